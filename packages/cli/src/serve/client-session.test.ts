import { describe, expect, it } from 'vitest';
import { ClientSession } from './client-session.ts';
import type { CallContext } from './client-session.ts';
import type { RpcMessage } from './json-rpc.ts';
import type { PromptCall } from './tools.ts';

const HELLO = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: { name: 't' } };

function open(run: (call: PromptCall, context: CallContext) => Promise<RpcMessage>) {
  const sent: RpcMessage[] = [];
  const session = new ClientSession({ version: '1', send: (message) => void sent.push(message), run });
  const request = (id: unknown, method: string, params?: object) =>
    session.receive({ jsonrpc: '2.0', id, method, params });
  const initialize = (params: object = HELLO) => request(0, 'initialize', params);
  const call = (id: number, args: object, meta: object = {}) =>
    request(id, 'tools/call', { name: 'run_prompt', arguments: args, ...meta });
  return { sent, session, request, initialize, call };
}

const never = () => new Promise<RpcMessage>(() => {});
const errorIn = (message: RpcMessage | undefined) => message?.['error'] as { code: number; message: string };

describe('the handshake', () => {
  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2099-01-01', '2025-06-18'],
    [7, '2025-06-18'],
  ])('answers revision %s with %s', (protocolVersion, revision) => {
    const { sent, initialize } = open(never);
    initialize({ ...HELLO, protocolVersion });
    expect(sent).toEqual([
      expect.objectContaining({ id: 0, result: expect.objectContaining({ protocolVersion: revision }) }),
    ]);
  });

  it('comes before calls; a ping does not need it', () => {
    const { sent, request, call } = open(never);
    request(1, 'ping');
    call(2, { prompt: 'x' });
    expect(sent[0]).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(errorIn(sent[1]).message).toBe('Send "initialize" first.');
  });
});

describe('a message', () => {
  it.each<[string, unknown, number, string, unknown]>([
    ['a batch', [{}], -32_600, 'batches are not supported', null],
    ['a text', 'hi', -32_600, 'must be one JSON object', null],
    ['without a method', { jsonrpc: '2.0', id: 4 }, -32_600, 'needs a "method"', 4],
    ['with a list of params', { jsonrpc: '2.0', id: 4, method: 'ping', params: [] }, -32_600, '"params" must be', 4],
    ['with an odd id', { jsonrpc: '2.0', id: {}, method: 'ping' }, -32_600, '"id" must be', null],
    ['of an unknown method', { jsonrpc: '2.0', id: 4, method: 'prompts/list' }, -32_601, 'Unsupported method', 4],
  ])('%s gets an error, and the next is answered', (_name, message, code, words, id) => {
    const { sent, session, initialize } = open(never);
    session.receive(message);
    expect(sent[0]).toMatchObject({ id, error: { code, message: expect.stringContaining(words) } });
    initialize();
    expect(sent[1]).toMatchObject({ id: 0, result: {} });
  });
});

describe('a call', () => {
  it.each<[string, object, string]>([
    [
      'an unknown tool',
      { name: 'rm', arguments: {} },
      'Unknown tool: "rm". The tools are run_prompt and continue_session.',
    ],
    ['a list of arguments', { name: 'run_prompt', arguments: [] }, '"arguments" must be an object.'],
    ['no prompt', { name: 'run_prompt' }, '"prompt" must be a text that is not empty.'],
    [
      'an empty prompt',
      { name: 'run_prompt', arguments: { prompt: ' ' } },
      '"prompt" must be a text that is not empty.',
    ],
    ['a number as the model', { name: 'run_prompt', arguments: { prompt: 'x', model: 1 } }, '"model" must be a name.'],
    [
      'an unknown argument',
      { name: 'run_prompt', arguments: { prompt: 'x', cwd: '/' } },
      'run_prompt has no argument "cwd".',
    ],
    [
      'a session by its number',
      { name: 'continue_session', arguments: { prompt: 'x', session_id: '1' } },
      '"session_id" must be the session_id of an earlier result.',
    ],
    [
      'the latest session',
      { name: 'continue_session', arguments: { prompt: 'x', session_id: 'latest' } },
      '"session_id" must be the session_id of an earlier result.',
    ],
    [
      'a huge prompt',
      { name: 'run_prompt', arguments: { prompt: 'x'.repeat(1_000_001) } },
      '"prompt" has more than 1000000 characters.',
    ],
  ])('with %s is rejected with a sentence', (_name, params, message) => {
    const { sent, initialize, request } = open(never);
    initialize();
    request(1, 'tools/call', params);
    expect(errorIn(sent[1])).toEqual({ code: -32_602, message });
  });

  it('reports progress under its token, counting up, and nothing without one', async () => {
    const { sent, initialize, call, session } = open(async (_call, { progress }) => {
      progress('one');
      progress('two');
      return { content: [] };
    });
    initialize();
    call(1, { prompt: 'x' }, { _meta: { progressToken: 'p' } });
    call(2, { prompt: 'x' });
    await session.close();
    const reports = sent.filter(({ method }) => method === 'notifications/progress');
    expect(reports.map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 1, message: 'one' },
      { progressToken: 'p', progress: 2, message: 'two' },
    ]);
  });

  it('is stopped by a cancellation, and gets no answer then', async () => {
    const seen: AbortSignal[] = [];
    const { sent, session, initialize, call } = open(async (_call, { signal }) => {
      seen.push(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { content: [] };
    });
    initialize();
    call(1, { prompt: 'x' });
    session.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'other' } });
    expect(seen[0]?.aborted).toBe(false);
    session.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await session.close();
    expect(seen[0]?.aborted).toBe(true);
    expect(sent).toHaveLength(1);
  });

  it('that throws is a bug of ours, told as an error', async () => {
    const { sent, session, initialize, call } = open(async () => {
      throw new Error('oops');
    });
    initialize();
    call(1, { prompt: 'x' });
    await session.close();
    expect(sent).toHaveLength(1);
    call(2, { prompt: 'x' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(errorIn(sent[1])).toEqual({ code: -32_603, message: expect.stringContaining('bug in Castor') });
  });

  it('may not use the id of one that runs', () => {
    const { sent, initialize, call } = open(never);
    initialize();
    call(1, { prompt: 'x' });
    call(1, { prompt: 'y' });
    expect(errorIn(sent[1]).message).toBe('A call with this id is running.');
  });
});

describe('a question', () => {
  const QUESTION = { message: 'May I?', properties: { decision: { type: 'string' } }, required: ['decision'] };

  function asking(capabilities: object, protocolVersion = '2025-06-18') {
    const answers: unknown[] = [];
    const opened = open(async (_call, { ask }) => {
      answers.push(ask ? await ask(QUESTION) : 'cannot ask');
      return { content: [] };
    });
    opened.initialize({ ...HELLO, protocolVersion, capabilities });
    opened.call(1, { prompt: 'x' });
    return { ...opened, answers };
  }

  it.each<[string, object, unknown]>([
    ['an accepted form', { result: { action: 'accept', content: { decision: 'No' } } }, { decision: 'No' }],
    ['a declined form', { result: { action: 'decline' } }, undefined],
    ['a cancelled form', { result: { action: 'cancel' } }, undefined],
    ['an accepted form without content', { result: { action: 'accept' } }, undefined],
    ['an error', { error: { code: -1, message: 'x' } }, undefined],
    ['a list as the result', { result: [] }, undefined],
  ])('is sent as a form; %s is its answer', async (_name, reply, answer) => {
    const { sent, session, answers } = asking({ elicitation: {} });
    expect(sent[1]).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'May I?', requestedSchema: { type: 'object', required: ['decision'] } },
    });
    session.receive({ jsonrpc: '2.0', id: sent[1]!['id'], ...reply });
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toEqual([answer]);
  });

  it.each<[string, object, string]>([
    ['does not support forms', {}, '2025-06-18'],
    ['speaks a revision without them', { elicitation: {} }, '2025-03-26'],
  ])('is not asked of a client that %s', async (_name, capabilities, revision) => {
    const { answers, session } = asking(capabilities, revision);
    await session.close();
    expect(answers).toEqual(['cannot ask']);
  });

  it('is withdrawn when its call is cancelled', async () => {
    const { sent, session, answers } = asking({ elicitation: {} });
    await session.close();
    expect(answers).toEqual([undefined]);
    expect(sent[2]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: sent[1]!['id'] } });
  });

  it('takes no answer that belongs to another', async () => {
    const { sent, session, answers } = asking({ elicitation: {} });
    session.receive({ jsonrpc: '2.0', id: 'castor-99', result: { action: 'accept', content: {} } });
    session.receive({ jsonrpc: '2.0', id: 1, result: { action: 'accept', content: {} } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toEqual([]);
    expect(sent).toHaveLength(2);
  });
});
