import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { answer, call, fakeModel, say } from '@castor/testkit';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const EXAMPLE = fileURLToPath(new URL('../../examples/stream-a-prompt.ts', import.meta.url));

describe('examples/stream-a-prompt.ts', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'castor-example-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('streams a prompt through a tool and prints the events', async () => {
    const program = join(folder, 'example.mjs');
    await build({
      entryPoints: [EXAMPLE],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['castor-source'],
      external: ['@vscode/ripgrep', '@lydell/node-pty'],
    });
    await using model = await fakeModel([
      answer(call('count_words', { text: 'to be or not to be' }, { id: 'c1' })),
      say('Six.'),
    ]);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, 'How many?'], {
      env: { PATH: process.env['PATH'], GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: model.url },
    });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; outcome?: string });
    expect(events.map(({ type }) => type)).toEqual([
      'prompt_started',
      'model_info',
      'tool_call_request',
      'finished',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_response',
      'content',
      'finished',
      'prompt_ended',
    ]);
    expect([events.at(-1)?.outcome, stderr]).toEqual(['completed', '1 call(s), 30 tokens\n']);
    model.assertDone();
  });
});
