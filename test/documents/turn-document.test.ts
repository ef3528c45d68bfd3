/** What the document on turns shows (docs/documents.md, document 000; 002 has the same names). The consumers have tests beside their code. */

import { readdir, readFile, rm } from 'node:fs/promises';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BufferedTurnProcessor,
  createReportError,
  extractThought,
  GeminiEventType,
  RealTimeEventListener,
  reportError,
  ToolRegistry,
  Turn,
  TurnErrorHandler,
  TurnEventProcessor,
  TurnRecoveryManager,
} from '@castor/core';
import type {
  FunctionCall,
  GenerateContentResponse,
  Part,
  ServerGeminiStreamEvent,
  ServerTool,
  StructuredError,
  ToolCallRequestInfo,
  TurnChat,
  TurnResult,
} from '@castor/core';
import { BatchTurnProcessor } from '@castor/core';
import { answer, call, fault, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { collect, NEVER, openAgent, openChat } from './document-fixture.ts';

const NO_CHAT: TurnChat = { async *sendMessageStream() {}, getHistory: () => [] };

describe('a ServerTool of the documents', () => {
  const add: ServerTool = {
    name: 'add',
    schema: { name: 'add', description: 'Adds.', parametersJsonSchema: { type: 'object', required: ['a', 'b'] } },
    async execute(params, signal) {
      const sum = Number(params['a']) + Number(params['b']);
      return { llmContent: `${sum} ${signal?.aborted}`, returnDisplay: String(sum) };
    },
    async shouldConfirmExecute(params) {
      return { type: 'info', title: 'Add', prompt: `${Number(params['a'])} and ${Number(params['b'])}` };
    },
  };

  it('is registered, declared, confirmed and run like any other', async () => {
    await using env = await openAgent([answer(call('add', { a: 1, b: 2 }, { id: 'c' })), say('3')], {
      tools: new ToolRegistry([add]),
      policy: { check: async () => ({ decision: 'ask_user' }), remember: async () => undefined },
      interactive: true,
    });
    const asked: unknown[] = [];
    for await (const event of env.agent.session.prompt('add', NEVER)) {
      if (event.type !== GeminiEventType.ToolCallConfirmation) continue;
      asked.push(event.value.details);
      env.agent.session.respond('c', 'proceed_once');
    }
    expect(asked).toEqual([{ type: 'info', title: 'Add', prompt: '1 and 2' }]);
    const { contents, tools } = env.model.requests[1]?.body as {
      contents: { parts: object[] }[];
      tools: { functionDeclarations: object[] }[];
    };
    expect(contents.at(-1)?.parts).toMatchObject([{ functionResponse: { response: { output: '3 false' } } }]);
    expect(tools[0]?.functionDeclarations).toMatchObject([{ name: 'add', description: 'Adds.' }]);
  });

  it('is what a registered tool can be used as, and what else is registered is refused', async () => {
    const tool = new ToolRegistry([add]).getTool('add');
    expect(await tool?.execute({ a: 2, b: 3 }, NEVER)).toMatchObject({ llmContent: '5 false' });
    expect(await tool?.shouldConfirmExecute({ a: 2, b: 3 }, NEVER)).toMatchObject({ prompt: '2 and 3' });
    await expect(tool?.execute({ a: 2 }, NEVER)).rejects.toThrow('Invalid parameters for add');
    expect(() => new ToolRegistry([{ name: 'x', schema: {} } as ServerTool])).toThrow('execute(params, signal)');
    const { schema: _missing, ...unnamed } = add;
    expect(() => new ToolRegistry([unnamed as ServerTool])).toThrow('needs name, schema');
  });

  it('that returns nothing is told to the model by its name', async () => {
    const forgetful = { ...add, execute: async () => undefined } as unknown as ServerTool;
    const tool = new ToolRegistry([forgetful]).getTool('add');
    await expect(tool?.execute({ a: 1, b: 2 }, NEVER)).rejects.toThrow('add returned no result');
  });
});

describe('Turn', () => {
  it('yields a stream of ServerGeminiStreamEvent, which is what the documents annotate', async () => {
    await using env = await openChat([say('hi')]);
    const events: AsyncGenerator<ServerGeminiStreamEvent> = new Turn(env.chat, 'p').run('hello', NEVER);
    const handlers = new Map<GeminiEventType, number>();
    const values: unknown[] = [];
    for await (const event of events) {
      handlers.set(event.type, (handlers.get(event.type) ?? 0) + 1);
      values.push(event.value);
    }
    expect([...handlers.keys()]).toEqual(['content', 'finished']);
    expect(values).toMatchObject(['hi', { reason: 'STOP' }]);
  });

  it('may be left at `finished`: the answer is in the history, and the chat goes on', async () => {
    await using env = await openChat([say('Paris'), say('Lyon')]);
    const events: ServerGeminiStreamEvent[] = [];
    for await (const event of new Turn(env.chat, 'integration-test').run('What is the capital of France?', NEVER)) {
      events.push(event);
      if (event.type === GeminiEventType.Finished) break;
    }
    expect(events.some(({ type }) => type === GeminiEventType.Content)).toBe(true);
    await collect(new Turn(env.chat, 'p').run('And the next city?', NEVER));
    expect(env.chat.getHistory().map(({ parts }) => parts?.[0]?.text)).toEqual([
      ...['What is the capital of France?', 'Paris'],
      ...['And the next city?', 'Lyon'],
    ]);
  });

  it('reads a chat that yields bare responses', async () => {
    const responses = ['one', 'two'].map((text): GenerateContentResponse => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] } }],
    }));
    const turn = new Turn(
      {
        async *sendMessageStream() {
          yield* responses;
        },
        getHistory: () => [],
      },
      'p',
    );
    const events = await collect(turn.run('hello', NEVER));
    expect(events).toEqual(['one', 'two'].map((value) => ({ type: 'content', value })));
    expect([turn.getDebugResponses(), turn.getResponseText()]).toEqual([responses, 'onetwo']);
  });

  it.each<[string, FunctionCall, unknown]>([
    ['an id of its own', { name: 'tool', args: { a: 1 } }, expect.stringMatching(/^tool-\d+-[0-9a-f]+$/)],
    ['the id it came with', { id: 'custom-id', name: 'tool', args: { a: 1 } }, 'custom-id'],
  ])('registers a call with %s in handlePendingFunctionCall', async (_name, fnCall, callId) => {
    await using env = await openChat([]);
    const turn = new Turn(env.chat, 'p');
    const value = { callId, name: 'tool', args: { a: 1 }, isClientInitiated: false, prompt_id: 'p' };
    expect(turn['handlePendingFunctionCall'](fnCall)).toEqual({ type: 'tool_call_request', value });
    expect(turn.pendingToolCalls).toEqual([value]);
    const second = turn['handlePendingFunctionCall']({ id: 'custom-id', name: 'tool' });
    expect(turn.pendingToolCalls.filter((pending) => pending.callId === second.value.callId)).toHaveLength(1);
  });
});

describe('Turn.run', () => {
  it.each<[string, unknown[]]>([
    ['no signal', ['hello']],
    ['nothing at all', []],
    ['a model and no signal', ['gemini-2.5-flash', 'hello']],
    ['a signal that is none', ['hello', {}]],
  ])('names its forms when it gets %s', (_name, args) => {
    const turn = new Turn(NO_CHAT, 'p');
    const run = turn.run.bind(turn) as (...args: unknown[]) => unknown;
    expect(() => run(...args)).toThrow('run(request, signal) or run(model, request, signal)');
  });
});

describe('extractThought', () => {
  it.each<[string, Part | string]>([
    ['the part of a response', { thought: true, text: '**Plan** read it' }],
    ['its text', '**Plan** read it'],
  ])('reads %s', (_name, thought) => {
    expect(extractThought(thought)).toEqual({ subject: 'Plan', description: 'read it' });
  });
});

describe('reportError', () => {
  it('is on by default: a bare turn that fails leaves a report of its own', async () => {
    const before = new Set(await reports());
    await using env = await openChat([fault(400)]);
    await collect(new Turn(env.chat, 'p').run('what led to it', NEVER));
    const written = (await reports()).filter((name) => !before.has(name));
    const texts = await Promise.all(written.map((name) => readFile(join(tmpdir(), name), 'utf8')));
    expect(texts.some((text) => text.includes('what led to it') && text.includes('Turn.run') === false)).toBe(true);
    expect(written.every((name) => name.startsWith('gemini-client-error-'))).toBe(true);
    await Promise.all(written.map((name) => rm(join(tmpdir(), name), { force: true })));
  });

  it('takes error, message, context and type, and never rejects', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'castor-report-'));
    const now = () => new Date(0);
    const contextForReport = [...new Turn(NO_CHAT, 'p').getContents('asked'), 'asked'];
    await createReportError({ directory, now })(new Error('boom'), 'As 002 reports', contextForReport, 'a');
    expect(await readFile(join(directory, 'gemini-client-error-a-1970-01-01T00-00-00-000Z.json'), 'utf8')).toContain(
      'asked',
    );
    await rm(join(directory, 'gemini-client-error-a-1970-01-01T00-00-00-000Z.json'));
    await createReportError({ directory, now })(new Error('boom'), 'While testing', { any: 'field' }, 'my/type');
    const [name = ''] = await readdir(directory);
    expect(name).toBe('gemini-client-error-my_type-1970-01-01T00-00-00-000Z.json');
    expect(JSON.parse(await readFile(join(directory, name), 'utf8'))).toMatchObject({
      message: 'While testing',
      error: { message: 'boom' },
      context: { any: 'field' },
    });
    await rm(directory, { recursive: true });
    expect(reportError).toBeTypeOf('function');
  });

  async function reports(): Promise<string[]> {
    return (await readdir(tmpdir())).filter((name) => name.includes('Turn.run-sendMessageStream'));
  }
});

describe('the documents’ annotations of the consumers', () => {
  it('compile, and hold what they name', async () => {
    await using env = await openChat([say('a'), say('b'), say('c'), say('d'), say('e'), fault(400)]);
    const turn = () => new Turn(env.chat, 'p');
    const processed: {
      content: string;
      toolCalls: ToolCallRequestInfo[];
      errors: StructuredError[];
      completed: boolean;
    } = await new TurnEventProcessor().processTurn(turn(), 'x', NEVER);
    const [item] = await new BatchTurnProcessor(env.chat, 5).processBatch(
      [{ input: 'x', promptId: 'p', metadata: { topic: 'physics' } }],
      NEVER,
    );
    let content: TurnResult['content'] | undefined;
    if (item?.error) throw item.error;
    else content = item?.result.content;
    const topic: string | undefined = item?.metadata?.topic;
    const recovered: Promise<AsyncGenerator<ServerGeminiStreamEvent>> = new TurnRecoveryManager(
      3,
      1000,
    ).executeWithRecovery(turn(), 'x', NEVER);
    const batches: AsyncGenerator<ServerGeminiStreamEvent[]> = new BufferedTurnProcessor(10, 100).processWithBuffering(
      turn(),
      'x',
      NEVER,
    );
    const listener = new RealTimeEventListener();
    const heard: string[] = [];
    listener.on(GeminiEventType.Content, (text: string) => void heard.push(text));
    listener.on(GeminiEventType.Error, (error: StructuredError) => void heard.push(error.message));
    const types = [
      ...(await collect(await recovered)).map(({ type }) => type),
      ...(await collect(batches)).flat().map(({ type }) => type),
    ];
    await listener.listenToTurn(turn(), 'x', NEVER);
    await listener.listenToTurn(turn(), 'x', NEVER);
    const failed: Promise<ServerGeminiStreamEvent> = TurnErrorHandler.handleTurnError(new Error('x'), {
      turn: turn(),
      input: 'x',
      signal: AbortSignal.abort(),
    });
    expect([processed.content, processed.errors, processed.completed, content, topic]).toEqual([
      ...['a', [], true],
      ...['b', 'physics'],
    ]);
    expect(types).toEqual(['content', 'finished', 'content', 'finished']);
    expect(heard).toEqual(['e', 'Request contains an invalid argument.']);
    expect(await failed).toEqual({ type: 'user_cancelled' });
  });
});
