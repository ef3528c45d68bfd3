/**
 * Golden runs of the three formats: the same scripts, as text, json and stream-json. The short form has every script as
 * stream-json, and one half of them as text, the other as json.
 */

import { fileURLToPath } from 'node:url';
import {
  answer,
  call,
  createWorkspace,
  fakeModel,
  fault,
  finish,
  normalise,
  readGolden,
  runCli,
  say,
  text,
  thought,
} from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, inject } from 'vitest';
import { variants } from '../house/variants.ts';

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url));
const FORMATS = { text: 'txt', json: 'json', 'stream-json': 'jsonl' } as const;

interface Run {
  script: () => Script;
  args?: string[];
  settings?: object;
  stdin?: string;
}

const list = (id: string) => call('list_directory', { dir_path: '.' }, { id });
const REPEATED = 'The answer is that the answer is what the answer was said to be. '.repeat(40);

const RUNS: Record<string, Run> = {
  // Text that arrives in one read is one delta; the thought keeps the two apart.
  answer: { script: () => [answer(text('Hello '), thought('**Plan** look'), text('world.'), finish())] },
  tools: {
    script: () => [
      answer(text('I will look.'), list('call-1')),
      answer(call('read_file', { file_path: 'nowhere.txt' }, { id: 'call-2' })),
      say('There is one file.'),
    ],
  },
  'denied-tool': {
    script: () => [
      answer(call('write_file', { file_path: 'b.txt', content: 'x' }, { id: 'call-1' })),
      say('I may not.'),
    ],
  },
  error: { script: () => [fault(403)] },
  'no-key': { script: () => [fault(401)] },
  retry: { script: () => [fault(503, { retryDelay: '0.01s' }), say('Better now.')] },
  blocked: { script: () => [fault('prompt_blocked')] },
  cut: { script: () => [answer(text('Half an ans'), finish('MAX_TOKENS'))] },
  loop: { script: () => () => answer(text(REPEATED), finish()) },
  overflow: { script: () => [], stdin: 'word '.repeat(1_600_000) },
  'turn-limit': {
    script: () => [answer(list('call-1')), answer(list('call-2'))],
    settings: { model: { maxSessionTurns: 2 } },
  },
  budget: { script: () => [answer(list('call-1')), answer(list('call-2'))], args: ['-p', 'go', '--max-turns', '2'] },
};

async function run({ script, args = ['-p', 'go'], settings = {}, stdin = '' }: Run, format: string) {
  await using workspace = await createWorkspace({
    files: { 'a.txt': 'hello\n' },
    homeFiles: { '.gemini/settings.json': JSON.stringify(settings) },
  });
  await using model = await fakeModel(script());
  const { stdout, stderr, code } = await runCli(['-m', 'gemini-2.5-flash', '-o', format, ...args], {
    workspace,
    model,
    stdin,
  });
  const printed = [stdout.replaceAll(/(word ){99,}/g, 'word … '), '--- stderr', stderr, `--- exit code ${code}`, ''];
  return normalise(printed.join('\n'), { [workspace.home]: '<home>', [workspace.project]: '<project>' });
}

describe('golden runs', () => {
  const isWhole = inject('isEndurance') || process.env['UPDATE_GOLDEN'] !== undefined;
  const cases = Object.entries(RUNS).flatMap(([name, script], index) =>
    Object.entries(FORMATS)
      .filter((_, place, formats) => isWhole || place === index % formats.length)
      .map(([format, extension]) => [name, format, extension, script] as const),
  );

  variants.each(cases)('%s as %s', async (name, format, extension, script) => {
    const printed = await run(script, format);
    expect(printed).toBe(await readGolden(`${GOLDEN}/${name}.${extension}`, printed));
  });
});
