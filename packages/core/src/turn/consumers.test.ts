import { answer, call, createFakeClock, fakeModel, fault, finish, gate, say, text, thought } from '@castor/testkit';
import type { FakeModel, Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { GeminiChat } from '../chat/gemini-chat.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { ApiError, UnauthorizedError } from '../protocol/errors.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { BatchTurnProcessor } from './batch-turn-processor.ts';
import { BufferedTurnProcessor } from './buffered-turn-processor.ts';
import { RealTimeEventListener } from './real-time-event-listener.ts';
import { TurnErrorHandler } from './turn-error-handler.ts';
import { TurnEventProcessor } from './turn-event-processor.ts';
import { TurnRecoveryManager } from './turn-recovery-manager.ts';
import { Turn } from './turn.ts';
import type { TurnChat } from './turn.ts';
import type { RunnableTurn } from './collect-turn.ts';

const NEVER = new AbortController().signal;

async function setUp(script: Script, retry = {}) {
  const model = await fakeModel(script);
  return { model, chat: chatFor(model, retry), [Symbol.asyncDispose]: () => model.close() };
}

function chatFor(model: FakeModel, retry = {}): GeminiChat {
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  return new GeminiChat({ generator, model: 'gemini-2.5-flash', clock: createFakeClock(), retry });
}

/** A turn with these events. */
function streamOf(...events: readonly ServerGeminiStreamEvent[]): RunnableTurn {
  return {
    async *run() {
      yield* events;
    },
  };
}

describe('TurnEventProcessor', () => {
  it('collects a turn, without what a failed attempt said', async () => {
    await using env = await setUp([
      fault('reset_mid_stream'),
      answer(text('a'), text('b'), call('t', { x: 1 }, { id: '1' })),
    ]);
    const log: string[] = [];
    const processor = new TurnEventProcessor({ log: (event) => log.push(event.type) });
    const result = await processor.processTurn(new Turn(env.chat, 'p'), 'hi', NEVER);
    expect(result).toMatchObject({ content: 'ab', thoughts: [], errors: [], completed: true, finishReason: 'STOP' });
    expect(result.toolCalls.map(({ callId }) => callId)).toEqual(['1']);
    expect(log).toEqual(['content', 'retry', 'content', 'tool_call_request', 'finished']);
  });

  it.each([
    ['an error event', [fault(400)], 'invalid_request'],
    ['an invalid stream', [fault('prompt_blocked')], 'SAFETY_BLOCKED'],
    ['an exception', [fault(401)], 'unauthorized'],
  ] as const)('counts %s among its errors', async (_name, script, reason) => {
    await using env = await setUp(script);
    const result = await new TurnEventProcessor().processTurn(new Turn(env.chat, 'p'), 'hi', NEVER);
    expect([result.completed, result.errors.map((error) => error.reason)]).toEqual([false, [reason]]);
  });

  it('is not completed by a turn that was cancelled', async () => {
    await using env = await setUp([]);
    const result = await new TurnEventProcessor().processTurn(new Turn(env.chat, 'p'), 'hi', AbortSignal.abort());
    expect(result).toMatchObject({ status: 'cancelled', completed: false, errors: [] });
  });

  it('keeps what it collected until it is reset', async () => {
    await using env = await setUp([say('one '), fault(400), say('two'), say('three')]);
    const processor = new TurnEventProcessor();
    const contents: unknown[] = [];
    for (const reset of [false, false, true, false]) {
      const { content, errors, completed } = await processor.processTurn(new Turn(env.chat, 'p'), 'hi', NEVER);
      contents.push([content, errors.length, completed]);
      if (reset) processor.reset();
    }
    expect(contents).toEqual([
      ['one ', 0, true],
      ['one ', 1, false],
      ['one two', 1, true],
      ['three', 0, true],
    ]);
  });
});

describe('TurnEventProcessor, at the end of a turn', () => {
  it.each<[string, ServerGeminiStreamEvent, number]>([
    ['an error', { type: GeminiEventType.Error, value: { error: { message: 'broken' } } }, 1],
    ['a cancel', { type: GeminiEventType.UserCancelled }, 0],
  ])('stops at %s', async (_name, ending, errors) => {
    const late = { type: GeminiEventType.Content, value: 'late' } as const;
    const result = await new TurnEventProcessor().processTurn(
      streamOf(ending, late, { type: GeminiEventType.Finished, value: { reason: 'STOP', usageMetadata: undefined } }),
      'hi',
      NEVER,
    );
    expect([result.content, result.errors.length, result.completed]).toEqual(['', errors, false]);
  });

  it('gives out copies of what it keeps', async () => {
    await using env = await setUp([say('one'), say('two')]);
    const processor = new TurnEventProcessor();
    const first = await processor.processTurn(new Turn(env.chat, 'p'), 'hi', NEVER);
    first.errors.push({ message: 'of the caller' });
    expect((await processor.processTurn(new Turn(env.chat, 'p'), 'hi', NEVER)).errors).toEqual([]);
  });
});

describe('RealTimeEventListener', () => {
  it('calls a handler as often as it was added, and `off` removes it once', async () => {
    const turn = streamOf({ type: GeminiEventType.Content, value: 'a' });
    const heard: string[] = [];
    const handler = (content: string) => void heard.push(content);
    const listener = new RealTimeEventListener();
    listener.on(GeminiEventType.Content, handler).on(GeminiEventType.Content, handler);
    await listener.listenToTurn(turn, 'hi', NEVER);
    expect(heard).toEqual(['a', 'a']);
    listener.off(GeminiEventType.Content, handler);
    await listener.listenToTurn(turn, 'hi', NEVER);
    expect(heard).toEqual(['a', 'a', 'a']);
  });

  it('calls handlers with the value and survives one that throws', async () => {
    await using env = await setUp([say(['a', 'b'])]);
    const heard: unknown[] = [];
    const listener = new RealTimeEventListener({ onHandlerError: (error, type) => heard.push([String(error), type]) });
    const removed = () => void heard.push('removed');
    listener
      .on(GeminiEventType.Content, () => {
        throw new Error('handler');
      })
      .on(GeminiEventType.Content, (content: string) => void heard.push(content))
      .on(GeminiEventType.Finished, async (value, event) => void heard.push([value.reason, event.type]))
      .on(GeminiEventType.Finished, removed)
      .off(GeminiEventType.Finished, removed);
    await listener.listenToTurn(new Turn(env.chat, 'p'), 'hi', NEVER);
    expect(heard).toEqual([['Error: handler', 'content'], 'ab', ['STOP', 'finished']]);
  });

  it('hands an error on as the event holds it and as the documents read it', async () => {
    await using env = await setUp([fault(400)]);
    const heard: unknown[] = [];
    const listener = new RealTimeEventListener().on(GeminiEventType.Error, (error: StructuredError) => {
      heard.push(error.status, error.message !== '');
    });
    listener.on(GeminiEventType.Error, ({ error }) => void heard.push(error.status));
    await listener.listenToTurn(new Turn(env.chat, 'p'), 'hi', NEVER);
    expect(heard).toEqual([400, true, 400]);
  });

  it('hands nothing on for an event without a value', async () => {
    await using env = await setUp([]);
    const heard: unknown[] = [];
    const listener = new RealTimeEventListener().on(GeminiEventType.UserCancelled, (value) => void heard.push(value));
    await listener.listenToTurn(new Turn(env.chat, 'p'), 'hi', AbortSignal.abort());
    expect(heard).toEqual([undefined]);
  });
});

describe('BatchTurnProcessor', () => {
  it('runs no more than the limit at once, and gives results in order', async () => {
    let most = 0;
    const model = await fakeModel(({ body }) => {
      most = Math.max(most, model.openStreams);
      return say(`re ${(body as { contents: { parts: { text: string }[] }[] }).contents.at(-1)?.parts[0]?.text}`);
    });
    await using _ = model;
    const requests = Array.from({ length: 9 }, (_unused, index) => ({
      input: `q${index}`,
      promptId: `p${index}`,
      metadata: { index },
    }));
    const results = await new BatchTurnProcessor(chatFor(model), 2).processBatch(requests, NEVER);
    expect(results.map(({ input, result, metadata }) => [input, result?.content, metadata?.index])).toEqual(
      requests.map(({ input, metadata }) => [input, `re ${input}`, metadata.index]),
    );
    expect(most).toBeLessThanOrEqual(2);
  });

  it('really runs them side by side, each with its own answer and raw responses', async () => {
    const hold = gate();
    await using env = await setUp([answer(hold, text('slow')), say('fast')]);
    const batch = new BatchTurnProcessor(env.chat).processBatch(
      [
        { input: '1', promptId: 'a' },
        { input: '2', promptId: 'b' },
      ],
      NEVER,
    );
    await env.model.waitForRequest(2);
    hold.release();
    expect((await batch).map(({ result }) => [result?.finished, (result?.debugResponses.length ?? 0) > 0])).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(env.chat.getHistory()).toEqual([]);
  });

  it('keeps an error to the item it belongs to', async () => {
    await using env = await setUp([say('a'), fault(401), fault(400), say('d')]);
    const requests = ['1', '2', '3', '4'].map((input) => ({ input, promptId: input, metadata: `m${input}` }));
    const results = await new BatchTurnProcessor(env.chat, 1).processBatch(requests, NEVER);
    const told = results.map((item) =>
      item.error
        ? [item.error.name, item.result, item.metadata]
        : [item.result.errors[0]?.reason ?? item.result.content, item.result.finished, item.metadata],
    );
    expect(told).toEqual([
      ['a', true, 'm1'],
      ['UnauthorizedError', null, 'm2'],
      ['invalid_request', false, 'm3'],
      ['d', true, 'm4'],
    ]);
  });

  it('accepts a chat that has only what a turn uses', async () => {
    const chat: TurnChat = {
      async *sendMessageStream() {
        yield { candidates: [{ content: { role: 'model', parts: [{ text: 'plain' }] }, finishReason: 'STOP' }] };
      },
      getHistory: () => [],
    };
    const [item] = await new BatchTurnProcessor(chat, 2).processBatch([{ input: 'a', promptId: 'p' }], NEVER);
    expect([item?.error, item?.result?.content]).toEqual([undefined, 'plain']);
  });

  it('names the supported form of a request', async () => {
    await using env = await setUp([]);
    const batch = new BatchTurnProcessor(env.chat).processBatch([{ prompt_id: 'p', request: 'q' } as never], NEVER);
    await expect(batch).rejects.toThrow('needs {input, promptId}');
  });
});

describe('the numbers the consumers take by position', () => {
  it.each<[string, () => unknown]>([
    ['new BatchTurnProcessor(chat, 3)', () => new BatchTurnProcessor({} as GeminiChat, { maxConcurrent: 1 } as never)],
    ['new BatchTurnProcessor(chat, 3)', () => new BatchTurnProcessor({} as GeminiChat, 0)],
    ['new BufferedTurnProcessor(10, 100)', () => new BufferedTurnProcessor({ maxSize: 2 } as never)],
    ['new BufferedTurnProcessor(10, 100)', () => new BufferedTurnProcessor(2, Number.NaN)],
    ['new TurnRecoveryManager(3, 1000)', () => new TurnRecoveryManager({ maxRetries: 2 } as never)],
    ['new TurnRecoveryManager(3, 1000)', () => new TurnRecoveryManager(3, '1s' as never)],
  ])('are never ignored: an error names %s', (form, construct) => {
    expect(construct).toThrow(form);
  });
});

describe('BufferedTurnProcessor', () => {
  const still = { ...createFakeClock(), sleep: () => new Promise<void>(() => {}) };

  it('gives out full batches, and the rest at the end', async () => {
    await using env = await setUp([answer(thought('a'), text('b'), thought('c'), text('d'), finish())]);
    const processor = new BufferedTurnProcessor(2, 100, { clock: still });
    const sizes: number[] = [];
    for await (const batch of processor.processWithBuffering(new Turn(env.chat, 'p'), 'hi', NEVER)) {
      sizes.push(batch.length);
    }
    expect(sizes).toEqual([2, 2, 1]);
  });

  it.each([
    ['finished', [say('a')], ['content', 'finished']],
    ['error', [fault(400)], ['error']],
  ] as const)('flushes at once on %s, without a timer', async (_name, script, types) => {
    await using env = await setUp(script);
    const batches = new BufferedTurnProcessor(10, 100, { clock: still }).processWithBuffering(
      endless(new Turn(env.chat, 'p')),
      'hi',
      NEVER,
    );
    expect((await batches.next()).value?.map(({ type }: ServerGeminiStreamEvent) => type)).toEqual(types);
  });

  it('gives out what it has when the stream stands still', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('a'), hold, text('b'))]);
    const batches = new BufferedTurnProcessor(10, 1).processWithBuffering(new Turn(env.chat, 'p'), 'hi', NEVER);
    expect((await batches.next()).value).toEqual([
      { type: 'content', value: 'a', traceId: expect.any(String) as string },
    ]);
    hold.release();
    const rest: ServerGeminiStreamEvent[] = [];
    for await (const batch of batches) rest.push(...batch);
    expect(rest.map(({ type }) => type)).toEqual(['content', 'finished']);
  });

  it.each([
    ['full batches', 1],
    ['a batch that is not full', 10],
  ])('gives out what came before an exception, with %s', async (_name, size) => {
    const content = { type: GeminiEventType.Content, value: 'a' } as const;
    const turn = {
      async *run() {
        yield content;
        throw new Error('late');
      },
    };
    const got: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const batch of new BufferedTurnProcessor(size, 60_000).processWithBuffering(turn, 'x', NEVER)) {
        // A whole turn of the event loop: an unhandled rejection would end the process here.
        await new Promise((resolve) => setImmediate(resolve));
        got.push(...batch);
      }
    };
    await expect(read()).rejects.toThrow('late');
    expect(got).toEqual([content]);
  });

  it('cancels the turn when its consumer leaves', async () => {
    await using env = await setUp([fault('stall_mid_stream')]);
    const batches = new BufferedTurnProcessor(10, 1).processWithBuffering(new Turn(env.chat, 'p'), 'hi', NEVER);
    for await (const _batch of batches) break;
    await env.model.waitForDisconnects(1);
  });
});

/** A turn that never closes its stream. */
function endless(turn: Turn) {
  return {
    async *run(request: string, signal: AbortSignal) {
      yield* turn.run(request, signal);
      await new Promise(() => {});
    },
  } as unknown as Turn;
}

describe('TurnErrorHandler', () => {
  it.each<[unknown, boolean]>([
    [new ApiError('429 quota, rate limit', { reason: 'quota', status: 429 }), false],
    [new ApiError('slow down', { reason: 'rate_limited', status: 429 }), true],
    [Object.assign(new Error('later'), { status: 503 }), true],
    [new Error('429'), false],
    [new Error('Service Unavailable'), true],
    ['Network error', true],
    [new UnauthorizedError('timeout'), false],
  ])('decides by the class of the error whether it is retryable: %o', (error, expected) => {
    expect(TurnErrorHandler.isRetryableError(error)).toBe(expected);
  });

  it.each<[unknown, boolean]>([
    [new UnauthorizedError('no'), false],
    [new DOMException('x', 'AbortError'), false],
    [new Error('The request was aborted'), false],
    [new ApiError('aborted by the server', { reason: 'server', status: 500 }), true],
    [new Error('x'), true],
  ])('decides what is worth a report: %o', (error, expected) => {
    expect(TurnErrorHandler.shouldReportError(error)).toBe(expected);
  });

  it('makes one event of an error', async () => {
    await using env = await setUp([]);
    const turn = new Turn(env.chat, 'p');
    const handle = (error: unknown, signal = NEVER) =>
      TurnErrorHandler.handleTurnError(error, { turn, input: 'hi', signal });
    await expect(handle(new UnauthorizedError('no'))).rejects.toThrow('no');
    expect(await handle(new Error('x'))).toEqual({ type: 'error', value: { error: { message: 'x' } } });
    expect(await handle(new Error('x'), AbortSignal.abort())).toEqual({ type: 'user_cancelled' });
  });
});

describe('TurnRecoveryManager', () => {
  const once = { maxAttempts: 1, maxStreamRetries: 0 };
  const said = async (events: AsyncIterable<ServerGeminiStreamEvent>) => {
    const seen: string[] = [];
    for await (const event of events) seen.push(event.type === GeminiEventType.Content ? event.value : event.type);
    return seen;
  };
  const recover = async (manager: TurnRecoveryManager, turn: Turn, signal = NEVER) =>
    said(await manager.executeWithRecovery(turn, 'hi', signal));

  it('really runs the turn again when it failed before any output', async () => {
    await using env = await setUp([fault(503), fault(503), say('ok')], once);
    const clock = createFakeClock();
    const manager = new TurnRecoveryManager(3, 10, { clock });
    expect(await recover(manager, new Turn(env.chat, 'p'))).toEqual(['ok', 'finished']);
    expect([env.model.requests.length, clock.sleeps]).toEqual([3, [10, 20]]);
  });

  it('reads the message of an error from a chat that is not ours', async () => {
    let runs = 0;
    const chat = {
      getHistory: () => [],
      sendMessageStream: async () => {
        runs += 1;
        throw new Error(runs < 3 ? 'Service Unavailable' : 'bad request');
      },
    };
    const manager = new TurnRecoveryManager(5, 10, { clock: createFakeClock() });
    expect(await recover(manager, new Turn(chat, 'p', { reportError: async () => {} }))).toEqual(['error']);
    expect(runs).toBe(3);
  });

  it('runs it no more often than it was told', async () => {
    await using env = await setUp([fault(503), fault(503), say('never asked')], once);
    const manager = new TurnRecoveryManager(2, 10, { clock: createFakeClock() });
    expect(await recover(manager, new Turn(env.chat, 'p'))).toEqual(['error']);
  });

  it('never runs it again after output', async () => {
    await using env = await setUp([fault('reset_mid_stream')], once);
    const manager = new TurnRecoveryManager(3, 10, { clock: createFakeClock() });
    expect(await recover(manager, new Turn(env.chat, 'p'))).toEqual(['frame 1 ', 'error']);
    expect(env.model.requests.length).toBe(1);
  });

  it('does not run it again for an error that would come again', async () => {
    await using env = await setUp([fault(400), fault(401)], once);
    const manager = new TurnRecoveryManager(3, 10, { clock: createFakeClock() });
    expect(await recover(manager, new Turn(env.chat, 'p'))).toEqual(['error']);
    await expect(recover(manager, new Turn(env.chat, 'p'))).rejects.toThrow(UnauthorizedError);
  });

  it('runs it again after an exception that is worth it', async () => {
    await using env = await setUp([say('ok')]);
    const turn = new Turn(env.chat, 'p');
    let runs = 0;
    const throwsOnce = {
      async *run(request: string, signal: AbortSignal) {
        if (runs++ === 0) throw new ApiError('busy', { reason: 'server', status: 503 });
        yield* turn.run(request, signal);
      },
    } as unknown as Turn;
    const manager = new TurnRecoveryManager(3, 10, { clock: createFakeClock() });
    expect(await recover(manager, throwsOnce)).toEqual(['ok', 'finished']);
  });

  it('is cancelled while it waits', async () => {
    const controller = new AbortController();
    await using env = await setUp([fault(503)], once);
    const clock = createFakeClock({ onSleep: () => controller.abort() });
    const manager = new TurnRecoveryManager(3, 10, { clock });
    expect(await recover(manager, new Turn(env.chat, 'p'), controller.signal)).toEqual(['user_cancelled']);
  });

  it.each([
    ['fails', [fault(503), say('second')], ['second', 'finished']],
    ['throws', [fault(401), say('second')], ['second', 'finished']],
    ['fails after it said something', [fault('reset_mid_stream'), say('second')], ['second', 'finished']],
  ] as const)('announces the second turn when the first %s', async (name, script, rest) => {
    await using env = await setUp(script, once);
    const [primary, fallback] = [new Turn(env.chat, 'p'), new Turn(env.chat, 'p')];
    const events = await said(new TurnRecoveryManager().executeWithFallback(primary, fallback, 'hi', NEVER));
    const begun = name.includes('after') ? ['frame 1 ', 'retry'] : [];
    expect(events).toEqual([...begun, '\n[Switching to fallback model...]\n', ...rest]);
  });

  it('needs no second turn when the first is fine, or was cancelled', async () => {
    await using env = await setUp([say('first')]);
    const run = (signal: AbortSignal) => {
      const [primary, fallback] = [new Turn(env.chat, 'p'), new Turn(env.chat, 'p')];
      return said(new TurnRecoveryManager().executeWithFallback(primary, fallback, 'hi', signal));
    };
    expect(await run(NEVER)).toEqual(['first', 'finished']);
    expect(await run(AbortSignal.abort())).toEqual(['user_cancelled']);
  });
});
