/** What the document on the runtime shows (docs/documents.md, document 001). */

import * as core from '@castor/core';
import {
  applyModelSelection,
  checkNextSpeaker,
  CompressionStatus,
  CoreToolScheduler,
  createCancelledResult,
  createErrorResult,
  createGeminiGenerator,
  createSuccessResult,
  defineTool,
  GeminiEventType,
  LoopDetectionService,
  MAX_TURNS,
  ModelAvailability,
  ModelRouter,
  policyChain,
  ToolErrorType,
  ToolExecutor,
  ToolRegistry,
  UtilityModel,
} from '@castor/core';
import type {
  ExecutingToolCall,
  RoutingContext,
  ServerGeminiStreamEvent,
  StreamEvent,
  ToolCallRequestInfo,
  Turn,
} from '@castor/core';
import { answer, call, fault, say, text, thought } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { collect, MODEL, NEVER, openAgent, openChat } from './document-fixture.ts';

const shout = defineTool({
  name: 'shout',
  displayName: 'Shout',
  kind: 'read',
  description: 'Makes a text loud.',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  canUpdateOutput: true,
  describe: ({ text }) => text,
  execute: async ({ text }, { onOutput, onPid }) => {
    onPid(42);
    onOutput('live');
    return { llmContent: text.toUpperCase(), returnDisplay: text };
  },
});

function request(name: string, args: Record<string, unknown>): ToolCallRequestInfo {
  return { callId: 'c', name, args, isClientInitiated: false, prompt_id: 'p' };
}

describe('GeminiClient', () => {
  it('streams ServerGeminiStreamEvent and returns the turn', async () => {
    await using env = await openAgent([answer(call('shout', { text: 'a' }, { id: '1' }))]);
    const stream: AsyncGenerator<ServerGeminiStreamEvent, Turn> = env.agent.client.sendMessageStream('hi', NEVER, 'p');
    let step = await stream.next();
    while (!step.done) step = await stream.next();
    expect(step.value.pendingToolCalls.map(({ callId }) => callId)).toEqual(['1']);
  });

  it.each([
    ['false', false, 2],
    ['true', true, 1],
  ])('continues after an unusable stream once: with isInvalidStreamRetry %s', async (_name, isRetry, prompts) => {
    await using env = await openAgent(() => fault('prompt_blocked'), { features: { continueOnFailedApiCall: true } });
    await collect(env.agent.client.sendMessageStream('hi', NEVER, 'p', MAX_TURNS, isRetry));
    expect(env.model.requests).toHaveLength(prompts);
  });

  it.each([0, -1])('has no limit of turns with maxSessionTurns %i', async (maxSessionTurns) => {
    await using env = await openAgent([say('answered')], { limits: { maxSessionTurns } });
    const types = (await collect(env.agent.client.sendMessageStream('hi', NEVER, 'p'))).map(({ type }) => type);
    expect(types).toEqual(['model_info', 'content', 'finished']);
  });

  it('compresses with tryCompressChat(prompt_id, force) only when it is due or forced', async () => {
    await using env = await openAgent([say('the summary'), say('the summary')]);
    for (const text of ['one', 'two'].map((word) => word.repeat(2000))) {
      env.agent.chat.addHistory({ role: 'user', parts: [{ text }] });
      env.agent.chat.addHistory({ role: 'model', parts: [{ text }] });
    }
    const { client } = env.agent;
    expect((await client.tryCompressChat('p', false)).compressionStatus).toBe(CompressionStatus.NOOP);
    expect((await client.tryCompressChat('p')).compressionStatus).toBe(CompressionStatus.NOOP);
    expect(env.model.requests).toHaveLength(0);
    expect((await client.tryCompressChat('p', true)).compressionStatus).toBe(CompressionStatus.COMPRESSED);
    await expect(client.tryCompressChat('p', NEVER as never)).rejects.toThrow('tryCompressChat(prompt_id, force');
  });

  it('shows its history and its chat', async () => {
    await using env = await openAgent([say('hello')]);
    const { client, chat } = env.agent;
    await collect(client.sendMessageStream('hi', NEVER, 'p'));
    expect(client.getHistory()).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ text: 'hello' }] },
    ]);
    expect(client.getChat()).toBe(chat);
  });
});

describe('an AfterAgent hook', () => {
  it('reads the answer as it was streamed, and one line for each turn', async () => {
    const read: string[] = [];
    await using env = await openAgent(
      [
        answer(text('Wai'), thought('**Plan** it'), text('t.'), call('shout', { text: 'a' }, { id: '1' })),
        answer(text('Hel'), thought('**Plan** it'), text('lo.')),
      ],
      {
        tools: new ToolRegistry([shout]),
        hooks: {
          agent: {
            async afterAgent({ response }) {
              read.push(response);
              return { kind: 'proceed' };
            },
          },
        },
      },
    );
    await collect(env.agent.session.prompt('hi', NEVER));
    expect(read).toEqual(['Wait.\nHello.']);
  });
});

describe('LoopDetectionService', () => {
  it('answers with booleans, so that an `if` fires on a loop and on nothing else', async () => {
    const loops = new LoopDetectionService();
    loops.reset('p');
    expect(await loops.turnStarted(NEVER)).toBe(false);
    const sentence = {
      type: GeminiEventType.Content,
      value: 'I will now check the file again to be very sure.. ',
    } as const;
    const answers = Array.from({ length: 10 }, () => loops.addAndCheck(sentence));
    expect(answers).toEqual([...Array<boolean>(9).fill(false), true]);
    expect(loops.lastLoop).toMatchObject({ count: 1, type: 'repeated_content' });
  });
});

describe('the choice of a model', () => {
  it('routes a RoutingContext as the document fills it in', async () => {
    const context: RoutingContext = { history: [], request: 'hi', signal: NEVER, requestedModel: 'flash' };
    const router = new ModelRouter({ availability: new ModelAvailability() });
    expect((await router.route(context)).model).toBe(core.resolveModel('flash'));
  });

  it('applies what is available, and uses an attempt up only when told to', () => {
    const availability = new ModelAvailability();
    const chainFor = (model: string) => policyChain(model, { requestedModel: 'auto' });
    const select = (consumeAttempt: boolean) =>
      applyModelSelection({ availability, chainFor }, { model: 'gemini-2.5-pro' }, { consumeAttempt }).model;
    availability.markRetryOncePerTurn('gemini-2.5-pro');
    expect([select(false), select(false), select(true), select(false)]).toEqual([
      ...['gemini-2.5-pro', 'gemini-2.5-pro', 'gemini-2.5-pro'],
      'gemini-2.5-flash',
    ]);
  });
});

describe('checkNextSpeaker', () => {
  const verdict = { reasoning: 'It announced a step.', next_speaker: 'model' };

  it('asks a client of its own about the chat', async () => {
    await using env = await openChat([say('Next, I will read it.'), say(JSON.stringify(verdict))]);
    await collect(await env.chat.sendMessageStream(MODEL, 'hi', 'p', NEVER));
    const llmClient = new UtilityModel({ generator: createGeminiGenerator({ baseUrl: env.model.url, apiKey: 'k' }) });
    expect(await checkNextSpeaker(env.chat, llmClient, NEVER, 'p')).toEqual(verdict);
  });

  it('takes the GeminiClient itself, as the older document does', async () => {
    await using env = await openAgent([say('Next, I will read it.'), say(JSON.stringify(verdict))]);
    const { client } = env.agent;
    await collect(client.sendMessageStream('hi', NEVER, 'p'));
    const nextSpeaker = await checkNextSpeaker(client.getChat(), client, NEVER);
    expect(nextSpeaker?.next_speaker).toBe('model');
  });
});

describe('GeminiChat', () => {
  it('returns a promise of the stream', async () => {
    await using env = await openChat([say('hi')]);
    const promise: Promise<AsyncGenerator<StreamEvent>> = env.chat.sendMessageStream(MODEL, 'hi', 'p', NEVER);
    const types = await promise.then((stream) => collect(stream)).then((events) => events.map(({ type }) => type));
    expect(new Set(types)).toEqual(new Set(['chunk']));
  });
});

describe('tools', () => {
  it('are found by getTool and run by a scheduler that says whether it is running', async () => {
    const tools = new ToolRegistry([shout]);
    expect([tools.getTool('shout')?.name, tools.getTool('whisper')]).toEqual(['shout', undefined]);
    const policy = { check: async () => ({ decision: 'allow' }) as const, remember: async () => undefined };
    const seen: boolean[] = [];
    const scheduler = new CoreToolScheduler({
      tools,
      policy,
      hooks: {
        async afterTool() {
          seen.push(scheduler.isRunning());
          return { kind: 'proceed' };
        },
      },
    });
    await scheduler.schedule(request('shout', { text: 'a' }), NEVER);
    expect([...seen, scheduler.isRunning()]).toEqual([true, false]);
  });

  it('are executed with a context of call, signal and handlers', async () => {
    const updates: ExecutingToolCall[] = [];
    const output: unknown[] = [];
    const completed = await new ToolExecutor({ tools: new ToolRegistry([shout]) }).execute({
      call: request('shout', { text: 'loud' }),
      signal: NEVER,
      outputUpdateHandler: (...piece) => void output.push(piece),
      onUpdateToolCall: (executing) => void updates.push(executing),
    });
    expect(completed).toMatchObject({ status: 'success', response: { callId: 'c', contentLength: 4 } });
    expect(completed.response.responseParts).toMatchObject([{ functionResponse: { response: { output: 'LOUD' } } }]);
    expect(output).toEqual([['c', 'live']]);
    const executing = { status: 'executing', tool: shout, startTime: expect.any(Number) as number };
    expect(updates).toMatchObject([executing, { ...executing, pid: 42 }]);
    expect(updates[0]?.invocation?.params).toEqual({ text: 'loud' });
  });

  it.each([
    ['a tool that is not there', request('whisper', {}), 'tool_not_registered'],
    ['arguments that do not fit', request('shout', { text: 1 }), 'invalid_tool_params'],
  ])('complete as an error for %s', async (_name, call, errorType) => {
    const executor = new ToolExecutor({ tools: new ToolRegistry([shout]) });
    expect(await executor.execute({ call, signal: NEVER })).toMatchObject({ status: 'error', response: { errorType } });
  });

  it('run between the hooks of the executor, as the document’s do', async () => {
    const seen: unknown[] = [];
    const executor = new ToolExecutor({
      tools: new ToolRegistry([shout]),
      hooks: {
        async beforeTool({ args }) {
          seen.push(['before', args]);
          return args['text'] === 'no'
            ? { kind: 'deny', reason: 'not this' }
            : { kind: 'proceed', args: { text: 'b' } };
        },
        async afterTool({ args }) {
          seen.push(['after', args]);
          return { kind: 'proceed' };
        },
      },
    });
    const run = (text: string) => executor.execute({ call: request('shout', { text }), signal: NEVER });
    const [changed, denied] = [await run('a'), await run('no')];
    expect(changed.response.responseParts[0]?.functionResponse?.response?.['output']).toContain('B');
    expect(denied).toMatchObject({ status: 'error', response: { errorType: 'policy_violation' } });
    expect(seen).toEqual([
      ['before', { text: 'a' }],
      ['after', { text: 'b' }],
      ['before', { text: 'no' }],
    ]);
  });

  it('have results that are built from what a tool returned, as the document builds them', () => {
    const asked = request('shout', { text: 'a' });
    const success = createSuccessResult(asked, { llmContent: 'LOUD', returnDisplay: 'loud' });
    expect(success).toMatchObject({ status: 'success', response: { resultDisplay: 'loud', contentLength: 4 } });
    expect(success.response.responseParts).toMatchObject([{ functionResponse: { response: { output: 'LOUD' } } }]);
    const error = createErrorResult(asked, new Error('Tool "shout" not found'), ToolErrorType.TOOL_NOT_FOUND);
    expect(error).toMatchObject({ status: 'error', response: { errorType: 'tool_not_registered' } });
    expect(error.response.error?.message).toBe('Tool "shout" not found');
    expect(createCancelledResult(asked, 'User cancelled tool execution.').status).toBe('cancelled');
  });

  it('have no hollow helper beside them', () => {
    expect(Object.keys(core)).not.toContain('executeToolWithHooks');
  });
});
