import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, call, createFakeClock, fakeModel, fault, say } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGeminiGenerator } from '../model/gemini/generator.ts';
import { defineTool } from '../tools/define-tool.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { createAgent } from './create-agent.ts';
import { SessionRecorder } from './session-recorder.ts';

const NEVER = new AbortController().signal;

describe('SessionRecorder', () => {
  let directory: string;
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'castor-sessions-')), 'chats');
  });
  afterEach(() => rm(join(directory, '..'), { recursive: true }));

  const record = (onProblem?: (message: string) => void) =>
    new SessionRecorder({
      directory,
      sessionId: '12345678-aaaa',
      root: '/project',
      clock: createFakeClock(),
      ...(onProblem && { onProblem }),
    });
  const readRecords = async (path: string) =>
    (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, never>);

  it('writes a prompt through a tool, each fact once and in order, for its owner only', async () => {
    await using model = await fakeModel([answer(call('touch', {}, { id: 'c1' })), say('Done.')]);
    const recorder = record();
    const touch = defineTool({
      name: 'touch',
      displayName: 'Touch',
      kind: 'edit',
      description: 'Touches.',
      schema: { type: 'object' },
      describe: () => 'Touches',
      execute: async () => {
        const soFar = await readRecords(recorder.path);
        expect(Object.keys(soFar.at(-1) ?? {})).toEqual(['$callStarted']);
        return { llmContent: 'touched', returnDisplay: '' };
      },
    });
    const { session } = createAgent({
      generator: createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' }),
      model: 'gemini-2.5-flash',
      sessionId: '12345678-aaaa',
      tempDirectory: directory,
      tools: new ToolRegistry([touch]),
      chatRecorder: recorder,
      callRecorder: recorder,
    });
    for await (const _event of session.prompt('Go', NEVER));
    recorder.close();
    const records = await readRecords(recorder.path);
    expect(records.map((line) => line['type'] ?? Object.keys(line)[0])).toEqual([
      'sessionId',
      'user',
      'gemini',
      '$callStarted',
      '$callEnded',
      'user',
      'gemini',
    ]);
    expect(records.map((line) => line['content']).filter(Boolean)).toEqual([
      [{ text: 'Go' }],
      [{ functionCall: { id: 'c1', name: 'touch', args: {} } }],
      [{ functionResponse: { id: 'c1', name: 'touch', response: { output: 'touched' } } }],
      [{ text: 'Done.' }],
    ]);
    expect(records[6]).toMatchObject({ model: 'gemini-2.5-flash', tokens: { input: 10, output: 5, total: 15 } });
    expect([(await stat(recorder.path)).mode & 0o777, (await stat(directory)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(recorder.path).toMatch(/session-\d{4}-\d\d-\d\dT\d\d-\d\d-12345678\.jsonl$/);
  });

  it('takes back a message whose send failed', async () => {
    await using model = await fakeModel([fault(400)]);
    const recorder = record();
    const { session } = createAgent({
      generator: createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' }),
      model: 'gemini-2.5-flash',
      sessionId: 's',
      tempDirectory: directory,
      chatRecorder: recorder,
    });
    for await (const _event of session.prompt('Go', NEVER));
    const [, user, rewind] = await readRecords(recorder.path);
    expect(rewind).toEqual({ $rewindTo: user?.['id'] });
  });

  it('leaves no file for a session in which nothing was said', async () => {
    record().close();
    await expect(readdir(directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('says once that it cannot write, and lets the session go on', async () => {
    await writeFile(directory, 'in the way');
    const problems: string[] = [];
    const recorder = record((message) => problems.push(message));
    recorder.sent({ role: 'user', parts: [{ text: 'a' }] });
    recorder.sent({ role: 'user', parts: [{ text: 'b' }] });
    await recorder.started({ callId: 'c', name: 't', args: {}, isClientInitiated: false, prompt_id: 'p' });
    expect(problems).toEqual([expect.stringMatching(/^This session is not recorded any more: /)]);
  });
});
