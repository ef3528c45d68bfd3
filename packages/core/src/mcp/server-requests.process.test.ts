/** What servers ask of their client, over real HTTP: roots, data of the user, answers of the model. */

import { mcp, mcpServer } from '@castor/testkit';
import type { McpAction, McpScript } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { SamplingRequest, ServerAnswer, ServerQuestion } from '../protocol/server-questions.ts';
import type { OpenServersOptions } from './open-servers.ts';
import { openForTest } from './open-servers.fixture.ts';

/** The tool answers with what the client answered. */
const asking = (...run: McpAction[]): McpScript => ({ tools: [{ name: 'ask', run }] });

async function open(script: McpScript, more: Partial<OpenServersOptions> = {}, entry: object = {}) {
  const server = await mcpServer(script);
  const run = openForTest({ one: { httpUrl: server.url, ...entry } }, more);
  await run.ready();
  return {
    server,
    ...run,
    async answer(): Promise<unknown> {
      await run.call('mcp_one_ask');
      return server.record.answers.at(-1);
    },
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const FORM = mcp.request('elicitation/create', {
  message: 'Who \u001B[2Jare you?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name'],
  },
});

function scripted(...answers: ServerAnswer[]) {
  const questions: ServerQuestion[] = [];
  const ask = async (question: ServerQuestion) => {
    questions.push(question);
    return answers.shift() ?? { action: 'cancel' as const };
  };
  return { questions, ask };
}

describe('roots', () => {
  it('are the folders of the workspace, and their change is told', async () => {
    const folders = ['/work/a b'];
    await using run = await open(asking(mcp.request('roots/list')), { roots: () => folders });
    expect(await run.answer()).toMatchObject({ result: { roots: [{ uri: 'file:///work/a%20b', name: 'a b' }] } });
    folders.push('/work/two');
    run.servers.rootsChanged();
    await run.server.record.until((record) => record.received('notifications/roots/list_changed').length === 1);
    expect(await run.answer()).toMatchObject({ result: { roots: [{}, { uri: 'file:///work/two' }] } });
    run.server.record.assertLegal();
  });
});

describe('elicitation', () => {
  it('is announced, names the server and returns the answer', async () => {
    const { questions, ask } = scripted({ action: 'accept', content: { name: 'Ada', age: 36 } });
    await using run = await open(asking(FORM), { ask });
    expect(run.server.record.received('initialize')[0]?.params?.['capabilities']).toEqual({
      roots: { listChanged: true },
      elicitation: { form: {}, url: {} },
    });
    expect(await run.answer()).toMatchObject({ result: { action: 'accept', content: { name: 'Ada', age: 36 } } });
    expect(questions[0]).toMatchObject({ type: 'form', server: 'one', message: 'Who are you?' });
    run.server.record.assertLegal();
  });

  it.each<[string, ServerAnswer, object]>([
    ['declined', { action: 'decline' }, { result: { action: 'decline' } }],
    ['cancelled', { action: 'cancel' }, { result: { action: 'cancel' } }],
    ['without a required field', { action: 'accept', content: { age: 1 } }, { error: { code: -32_603 } }],
    ['of another type', { action: 'accept', content: { name: 'x', age: 'y' } }, { error: { code: -32_603 } }],
    [
      'with more than was asked',
      { action: 'accept', content: { name: 'x', extra: 'y' } },
      { result: { action: 'accept', content: { name: 'x' } } },
    ],
  ])('an answer that is %s', async (_name, given, expected) => {
    await using run = await open(asking(FORM), { ask: scripted(given).ask });
    const answer = (await run.answer()) as { result?: unknown };
    expect(answer).toMatchObject(expected);
    if ('result' in expected) expect(answer.result).toEqual(expected.result);
  });

  it('of a page asks with the address', async () => {
    const { questions, ask } = scripted({ action: 'accept' });
    const url = { mode: 'url', elicitationId: '1', message: 'Sign in', url: 'https://a.example/in' };
    await using run = await open(asking(mcp.request('elicitation/create', url)), { ask });
    expect(await run.answer()).toMatchObject({ result: { action: 'accept' } });
    expect(questions).toEqual([{ type: 'url', server: 'one', message: 'Sign in', url: 'https://a.example/in' }]);
  });

  it.each<[string, ServerAnswer['action'] | undefined, RegExp]>([
    ['opens it', 'accept', /The user was shown https:\/\/a\.example\/in and continued\. Call the tool again\./],
    ['declines', 'decline', /The user did not agree to open https:\/\/a\.example\/in\./],
    ['is absent', undefined, /The user did not agree/],
  ])('of a page that a failed call needs reaches the user, who %s', async (_who, action, words) => {
    const elicitations = [{ mode: 'url', elicitationId: '1', message: 'Sign in', url: 'https://a.example/in' }];
    const rules = [mcp.on('tools/call', [mcp.failure(-32_042, 'Needs a page', { elicitations })])];
    const { questions, ask } = scripted({ action: action ?? 'cancel' });
    await using run = await open({ tools: [{ name: 'ask' }], rules }, action === undefined ? {} : { ask });
    const { error } = await run.call('mcp_one_ask');
    expect(error?.message).toMatch(words);
    expect(error?.message).toContain('Needs a page');
    expect(questions).toHaveLength(action === undefined ? 0 : 1);
  });

  it('without a user is declined, and the user is told why once', async () => {
    await using run = await open(asking(FORM));
    expect([await run.answer(), await run.answer()]).toMatchObject([
      { result: { action: 'decline' } },
      { result: { action: 'decline' } },
    ]);
    expect(run.notices).toEqual([
      'The MCP server one asked for data (Who are you?). Castor declined, because no user can be asked in this run.',
    ]);
  });

  it('that cannot be shown is an error for the server', async () => {
    await using run = await open(asking(mcp.request('elicitation/create', { message: 'x' })), { ask: scripted().ask });
    expect(await run.answer()).toMatchObject({ error: { code: -32_602 } });
  });

  it('is withdrawn when the server goes', async () => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<AbortSignal>();
    const { promise: withdrawn, resolve: onWithdrawn } = Promise.withResolvers<void>();
    const ask = async (_question: ServerQuestion, signal: AbortSignal) => {
      signal.addEventListener('abort', () => onWithdrawn());
      onAsked(signal);
      await withdrawn;
      return { action: 'cancel' as const };
    };
    await using run = await open(asking(FORM), { ask });
    const calling = run.call('mcp_one_ask').catch(() => undefined);
    await asked;
    await run.servers.switch('one', false, { session: true });
    await withdrawn;
    await calling;
  });

  it('asks one question of a server at a time', async () => {
    let open1 = 0;
    let most = 0;
    const ask = async () => {
      most = Math.max(most, ++open1);
      await new Promise((resolve) => setImmediate(resolve));
      open1--;
      return { action: 'decline' as const };
    };
    const unawaited = { ...FORM, isAwaited: false } as McpAction;
    await using run = await open(asking(unawaited, unawaited, FORM), { ask });
    await run.call('mcp_one_ask');
    await run.server.record.until((record) => record.answers.length === 3);
    expect(most).toBe(1);
  });
});

describe('sampling', () => {
  const SAMPLE = mcp.request('sampling/createMessage', {
    systemPrompt: 'Be brief.',
    messages: [
      { role: 'user', content: { type: 'text', text: 'What is \u001B[1m2+2?' } },
      { role: 'assistant', content: { type: 'text', text: '5' } },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Sure?' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
      },
    ],
    maxTokens: 100_000,
    temperature: 0.5,
  });

  function model() {
    const requests: SamplingRequest[] = [];
    const sample = async (request: SamplingRequest) => {
      requests.push(request);
      return { text: '4', model: 'm', isCut: false };
    };
    return { requests, sample };
  }

  it('is off unless the settings allow it', async () => {
    const { requests, sample } = model();
    await using run = await open(asking(SAMPLE), { sample, ask: scripted({ action: 'accept' }).ask });
    expect(await run.answer()).toMatchObject({ error: { code: -32_601 } });
    expect(run.server.record.received('initialize')[0]?.params?.['capabilities']).not.toHaveProperty('sampling');
    expect(requests).toEqual([]);
  });

  it('with "ask" shows what is sent, and sends it after a yes', async () => {
    const { requests, sample } = model();
    const { questions, ask } = scripted({ action: 'accept' }, { action: 'accept', isLasting: true });
    await using run = await open(asking(SAMPLE), { sample, ask }, { sampling: 'ask' });
    for (let count = 0; count < 3; count++) {
      expect(await run.answer()).toMatchObject({
        result: { role: 'assistant', content: { type: 'text', text: '4' }, model: 'm', stopReason: 'endTurn' },
      });
    }
    // The second answer lasts.
    expect(questions).toHaveLength(2);
    expect(questions[0]).toEqual({ type: 'sampling', server: 'one', request: requests[0] });
    expect(requests[0]).toEqual({
      system: 'Be brief.',
      contents: [
        { role: 'user', parts: [{ text: 'What is 2+2?' }] },
        { role: 'model', parts: [{ text: '5' }] },
        { role: 'user', parts: [{ text: 'Sure?' }, { inlineData: { data: 'AAAA', mimeType: 'image/png' } }] },
      ],
      maxTokens: 8_192,
      temperature: 0.5,
    });
    run.server.record.assertLegal();
  });

  it('with "ask" and a no, or without a user, does not reach the model', async () => {
    const { requests, sample } = model();
    await using run = await open(
      asking(SAMPLE),
      { sample, ask: scripted({ action: 'decline' }).ask },
      { sampling: 'ask' },
    );
    expect(await run.answer()).toMatchObject({ error: { code: -1, message: 'The user rejected the request.' } });
    await using alone = await open(asking(SAMPLE), { sample }, { sampling: 'ask' });
    expect(await alone.answer()).toMatchObject({ error: { code: -1 } });
    expect(alone.notices).toEqual([expect.stringContaining('asked the model a question (Sure?)')]);
    expect(requests).toEqual([]);
  });

  it('with "allow" tells what is asked, and keeps the reason of a failure from the server', async () => {
    const { sample } = model();
    await using run = await open(asking(SAMPLE), { sample }, { sampling: 'allow' });
    await run.answer();
    expect(run.notices).toEqual(['The MCP server one asks the model: Sure?']);
    const spent = async () => Promise.reject(new Error('The budget of $1 is spent.'));
    await using poor = await open(asking(SAMPLE), { sample: spent }, { sampling: 'allow' });
    expect(await poor.answer()).toMatchObject({ error: { message: 'The model did not answer.' } });
    expect(poor.notices.at(-1)).toContain('failed: The budget of $1 is spent.');
  });

  it('of a project asks, whatever the project says', async () => {
    const { sample } = model();
    const server = await mcpServer(asking(SAMPLE));
    const entries = { one: { httpUrl: server.url, sampling: 'allow' } };
    const layers = [{ source: 'project' as const, servers: entries, written: entries }];
    await using run = openForTest({}, { layers, sample, isTrustedForRun: true });
    await run.ready();
    await run.call('mcp_one_ask');
    expect(server.record.answers.at(-1)).toMatchObject({ error: { code: -1 } });
    await server[Symbol.asyncDispose]();
  });

  it.each<[string, object]>([
    ['no messages', { messages: [] }],
    ['an unknown role', { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] }],
    ['an unknown kind', { messages: [{ role: 'user', content: { type: 'video' } }] }],
    ['tools', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], tools: [{ name: 'x' }] }],
    ['too much text', { messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(300_000) } }] }],
  ])('with %s is refused', async (_name, params) => {
    const { requests, sample } = model();
    const request = mcp.request('sampling/createMessage', { maxTokens: 10, ...params });
    await using run = await open(asking(request), { sample }, { sampling: 'allow' });
    expect(await run.answer()).toMatchObject({ error: { code: -32_602 } });
    expect(requests).toEqual([]);
  });
});

it('what the server logs is kept, the last lines without escapes', async () => {
  const log = (data: unknown) => mcp.notify('notifications/message', { level: 'warning', logger: 'db', data });
  await using run = await open(asking());
  await run.server.play([
    ...Array.from({ length: 30 }, (_, index) => log(`line ${index}`)),
    log({ message: 'a\u001B[2Jb' }),
  ]);
  await run.until(() => run.servers.states[0]?.log.at(-1) === 'warning db: ab');
  expect(run.servers.states[0]?.log).toHaveLength(20);
});
