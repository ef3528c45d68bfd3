import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { answer, call, createFakeClock, fakeModel, fault, say } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import type { Part } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { CompletedToolCall } from '../protocol/tool-calls.ts';
import { defineTool } from '../tools/define-tool.ts';
import { fingerprint } from '../tools/files/read-ledger.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { createAgent } from '../agent/create-agent.ts';
import { ALLOW_EVERYTHING } from '../agent/default-policy.ts';
import { toSessionHistory } from './session-history.ts';
import { replaySession } from './replay-session.ts';
import { hasLoss } from './recording-gap.ts';
import { readPreImage } from './pre-images.ts';
import { SessionRecorder } from './session-recorder.ts';

const NEVER = new AbortController().signal;

/** Only root may; what the tests of others prove without it is enough for the rest. */
function canMount(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0;
}

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
      policy: ALLOW_EVERYTHING,
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
      'user',
      'gemini',
    ]);
    expect(records.map((line) => line['content']).filter(Boolean)).toEqual([
      [{ text: 'Go' }],
      [{ functionCall: { id: 'c1', name: 'touch', args: {} } }],
      [{ functionResponse: { id: 'c1', name: 'touch', response: { output: 'touched' } } }],
      [{ text: 'Done.' }],
    ]);
    expect(records[4]).toMatchObject({ call: { id: 'c1', status: 'success' } });
    expect(records[5]).toMatchObject({ model: 'gemini-2.5-flash', tokens: { input: 10, output: 5, total: 15 } });
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
    const recorder = record();
    recorder.added({ role: 'user', parts: [{ text: '<hook_context>From a hook.</hook_context>' }] });
    recorder.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it('says once that it cannot write, and lets the session go on', async () => {
    await writeFile(directory, 'in the way');
    const problems: string[] = [];
    const recorder = record((message) => problems.push(message));
    recorder.sent({ role: 'user', parts: [{ text: 'a' }] }, 'p');
    recorder.sent({ role: 'user', parts: [{ text: 'b' }] }, 'p');
    const request = { callId: 'c', name: 't', args: {}, isClientInitiated: false, prompt_id: 'p' };
    await recorder.started(request, { hasEffects: true });
    expect(problems).toEqual([expect.stringMatching(/^Castor does not record this session: /)]);
  });

  const user = (text: string) => ({ role: 'user', parts: [{ text }] });
  const request = (callId: string, args = {}) => ({
    callId,
    name: 'touch',
    args,
    isClientInitiated: false,
    prompt_id: 'p',
  });
  const completed = (callId: string, parts: Part[] = [result(callId)]): CompletedToolCall => ({
    status: 'success',
    request: request(callId),
    response: { callId, responseParts: parts, resultDisplay: 'ok', error: undefined, errorType: undefined },
  });
  const result = (id: string) => ({ functionResponse: { id, name: 'touch', response: { output: id } } });
  const answer1 = (...parts: Part[]) => ({ content: { role: 'model', parts }, thoughts: [], model: 'm' });
  const asking = (id: string, args = {}) => ({ functionCall: { id, name: 'touch', args } });

  it('writes a result when it comes and not again when it is sent, words beside it only once', async () => {
    const recorder = record();
    recorder.sent(user('Go'), 'p');
    recorder.answered(answer1(asking('c1'), asking('c2', { a: 1 })), 'p');
    await recorder.started(request('c1'), { hasEffects: false });
    await recorder.started(request('c2', { a: 2 }), { hasEffects: true });
    const [first, second] = [completed('c1'), completed('c2')];
    recorder.ended(second);
    recorder.ended(first);
    const parts = [...first.response.responseParts, ...second.response.responseParts, { text: 'Hurry' }];
    recorder.sent({ role: 'user', parts }, 'p');
    const records = await readRecords(recorder.path);
    expect(records.slice(3)).toMatchObject([
      { $callStarted: { callId: 'c1', name: 'touch', hasEffects: false } },
      { $callStarted: { callId: 'c2', name: 'touch', args: { a: 2 }, hasEffects: true } },
      { content: [result('c2')], call: { id: 'c2', status: 'success' } },
      { content: [result('c1')], call: { id: 'c1', status: 'success' } },
      { content: [{ text: 'Hurry' }], isJoined: true },
    ]);
    expect(records[3]).not.toHaveProperty('$callStarted.args');
  });

  it('keeps results that are not sent yet when the history is replaced', async () => {
    const recorder = record();
    recorder.sent(user('Go'), 'p');
    recorder.answered(answer1(asking('c1')), 'p');
    const ended = completed('c1');
    recorder.ended(ended);
    recorder.replaced([user('Short'), { role: 'model', parts: [asking('c1')] }]);
    recorder.sent({ role: 'user', parts: ended.response.responseParts }, 'p');
    recorder.answered(answer1({ text: 'Done.' }), 'p');
    const { turns } = toSessionHistory(replaySession(await readFile(recorder.path)).messages);
    expect(turns.map(({ parts }) => parts)).toEqual([
      [{ text: 'Short' }],
      [asking('c1')],
      [result('c1')],
      [{ text: 'Done.' }],
    ]);
  });

  it('has a request wait for the disk only after a call with effects', async () => {
    const recorder = record();
    recorder.sent(user('Go'), 'p');
    recorder.answered(answer1(asking('c1'), asking('c2')), 'p');
    await recorder.started(request('c1'), { hasEffects: false });
    recorder.ended(completed('c1'));
    expect(recorder.settled()).toBeUndefined();
    await recorder.started(request('c2'), { hasEffects: true });
    recorder.ended(completed('c2'));
    await expect(recorder.settled()).resolves.toBeUndefined();
    expect(recorder.settled()).toBeUndefined();
  });

  it('has no request leave before what it speaks of is on the disk', async () => {
    const order: string[] = [];
    await using model = await fakeModel(() => {
      order.push('request');
      return say('Done.');
    });
    const recorder = record();
    const settled = async () => {
      await readdir('/');
      order.push('settled');
    };
    const { session } = createAgent({
      generator: createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' }),
      model: 'gemini-2.5-flash',
      sessionId: 's',
      tempDirectory: directory,
      chatRecorder: Object.assign(recorder, { settled }),
    });
    for await (const _event of session.prompt('Go', NEVER));
    expect(order).toEqual(['settled', 'request']);
  });

  it('writes text under way after a while or when it is much, and leaves it out once it is void or accepted', async () => {
    const clock = createFakeClock();
    const recorder = new SessionRecorder({ directory, sessionId: 's', root: '/project', clock });
    const shown = async () => replaySession(await readFile(recorder.path)).messages.at(-1);
    recorder.sent(user('Go'), 'p');
    recorder.observe({ type: GeminiEventType.Content, value: 'Slow' });
    await setImmediate();
    await setImmediate();
    expect([clock.sleeps, await shown()]).toMatchObject([[250], { content: [{ text: 'Slow' }], isInterrupted: true }]);
    recorder.observe({ type: GeminiEventType.Content, value: 'x'.repeat(5000) });
    expect(await shown()).toMatchObject({ content: [{ text: `Slow${'x'.repeat(5000)}` }] });
    recorder.observe({ type: GeminiEventType.Retry });
    expect(await shown()).toMatchObject({ type: 'user' });
    recorder.observe({ type: GeminiEventType.Content, value: 'The end' });
    recorder.answered(answer1({ text: 'The end.' }), 'p');
    recorder.observe({ type: GeminiEventType.Content, value: '.' });
    recorder.close();
    const { messages } = replaySession(await readFile(recorder.path));
    expect(messages.map(({ content }) => content)).toEqual([[{ text: 'Go' }], [{ text: 'The end.' }]]);
  });

  it('has what was observed in the file after a flush, and nothing of it twice', async () => {
    const recorder = record();
    recorder.sent(user('Go'), 'p');
    const thought = { subject: 'Sums', description: 'are easy' };
    recorder.observe({ type: GeminiEventType.Thought, value: thought });
    recorder.observe({ type: GeminiEventType.Content, value: 'One' });
    recorder.flush();
    recorder.flush();
    recorder.observe({ type: GeminiEventType.Content, value: ' two' });
    recorder.flush();
    expect((await readRecords(recorder.path)).slice(2)).toEqual([
      { $partial: { text: 'One', thoughts: [thought] } },
      { $partial: { text: ' two' } },
    ]);
    recorder.close();
  });

  it('has the words of a prompt in the file when they are shown before they are sent, and only then', async () => {
    const recorder = record();
    const kinds = async () => (await readRecords(recorder.path)).slice(1).map((line) => Object.keys(line)[0]);
    recorder.observe({ type: 'prompt_started', prompt_id: 'p', text: 'Go' });
    recorder.sent(user('Go'), 'p');
    recorder.flush();
    expect(await kinds()).toEqual(['id']);
    recorder.observe({ type: 'prompt_started', prompt_id: 'q', text: 'On' });
    recorder.flush();
    recorder.flush();
    expect(await kinds()).toEqual(['id', '$prompt']);
    recorder.sent(user('On'), 'q');
    recorder.observe({ type: 'prompt_ended', prompt_id: 'q', outcome: 'completed' });
    expect(await kinds()).toEqual(['id', '$prompt', 'id', '$prompt']);
    expect(replaySession(await readFile(recorder.path)).messages.length).toBe(2);
    recorder.close();
  });

  it('has what a file held on record, and kept, before the file is changed', async () => {
    const recorder = record();
    recorder.sent(user('Go'), 'p');
    recorder.answered(answer1(asking('c1')), 'p');
    await recorder.started(request('c1'), { hasEffects: true });
    const before = { bytes: Buffer.from('old'), fingerprint: fingerprint(Buffer.from('old')) };
    const change = { callId: 'c1', path: '/project/a', after: 'f'.repeat(64) };
    await recorder.changing({ ...change, before });
    await recorder.changing({ ...change, before: undefined });
    const preImage = `12345678-aaaa/pre-images/${before.fingerprint}`;
    expect((await readRecords(recorder.path)).slice(-2)).toEqual([
      { $fileChange: { ...change, before: before.fingerprint, preImage } },
      { $fileChange: { ...change, before: null, newFolders: 1 } },
    ]);
    expect(String(readPreImage(directory, preImage))).toBe('old');
    recorder.close();
  });

  it('writes what a call prints while it runs, for the model to read when there is no result', async () => {
    const recorder = record();
    recorder.sent(user('Go'), 'p');
    recorder.answered(answer1(asking('c1'), asking('c2')), 'p');
    await recorder.started(request('c1'), { hasEffects: false });
    await recorder.started(request('c2'), { hasEffects: true });
    const print = (callId: string, output: string) =>
      recorder.observe({ type: 'tool_call_updated', callId, status: 'executing', output });
    print('c1', 'quick');
    recorder.ended(completed('c1'));
    print('c2', 'step 1\n');
    await setImmediate();
    await setImmediate();
    print('c2', 'step 2\n');
    recorder.close();
    expect((await readFile(recorder.path, 'utf8')).includes('quick')).toBe(false);
    const { openCalls } = toSessionHistory(replaySession(await readFile(recorder.path)).messages);
    expect(openCalls[1]?.response.functionResponse?.response).toMatchObject({
      status: 'unknown',
      output: 'step 1\nstep 2\n',
    });
  });

  it.skipIf(!canMount())(
    'takes back half a line when the disk is full, says so once, and leaves a whole file',
    async () => {
      await mkdir(directory, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'castor-test', directory]);
      try {
        const problems: string[] = [];
        const recorder = record((message) => problems.push(message));
        recorder.sent(user('Go'), 'p');
        const before = await readFile(recorder.path, 'utf8');
        recorder.answered(answer1({ text: 'x'.repeat(20_000) }), 'p');
        recorder.sent(user('More'), 'p');
        await recorder.started(request('c1'), { hasEffects: true });
        recorder.ended(completed('c1'));
        recorder.close();
        expect(problems).toEqual([expect.stringMatching(/^Castor does not record this session any more: ENOSPC/)]);
        expect(await readFile(recorder.path, 'utf8')).toBe(before);
        expect(hasLoss(recorder.path)).toBe(true);
      } finally {
        execFileSync('umount', [directory]);
      }
    },
  );

  it('leaves no file of a session whose only message was taken back', async () => {
    const recorder = record();
    const content = user('Go');
    recorder.sent(content, 'p');
    recorder.withdrawn(content);
    recorder.close();
    expect(await readdir(directory)).toEqual([]);
  });
});
