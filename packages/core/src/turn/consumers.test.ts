import { answer, call, createFakeClock, fakeModel, fault, finish, gate, say, text, thought } from '@castor/testkit';
import type { FakeModel, Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { GeminiChat } from '../chat/gemini-chat.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { ApiError, UnauthorizedError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { BatchTurnProcessor } from './batch-turn-processor.ts';
import { BufferedTurnProcessor } from './buffered-turn-processor.ts';
import { RealTimeEventListener } from './real-time-event-listener.ts';
import { TurnErrorHandler } from './turn-error-handler.ts';
import { TurnEventProcessor } from './turn-event-processor.ts';
import { TurnRecoveryManager } from './turn-recovery-manager.ts';
import { Turn } from './turn.ts';
import type { TurnEvent } from './turn.ts';

const NEVER = new AbortController().signal;

async function setUp(script: Script, retry = {}) {
  const model = await fakeModel(script);
  return { model, chat: chatFor(model, retry), [Symbol.asyncDispose]: () => model.close() };
}

function chatFor(model: FakeModel, retry = {}): GeminiChat {
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  return new GeminiChat({ generator, model: 'gemini-2.5-flash', clock: createFakeClock(), retry });
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
    expect(result).toMatchObject({ status: 'completed', content: 'ab', finishReason: 'STOP', error: undefined });
    expect(result.toolCalls.map(({ callId }) => callId)).toEqual(['1']);
    expect(log).toEqual(['content', 'retry', 'content', 'tool_call_request', 'finished']);
  });

  it.each([
    [[fault(400)], 'failed', 'invalid_request'],
    [[fault('prompt_blocked')], 'failed', 'SAFETY_BLOCKED'],
  ] as const)('says how a turn failed', async (script, status, reason) => {
    await using env = await setUp(script);
    const result = await new TurnEventProcessor().processTurn(new Turn(env.chat, 'p'), 'hi', NEVER);
    expect([result.status, result.error?.reason]).toEqual([status, reason]);
  });

  it('says that a turn was cancelled', async () => {
    await using env = await setUp([]);
    const result = await new TurnEventProcessor().processTurn(new Turn(env.chat, 'p'), 'hi', AbortSignal.abort());
    expect(result.status).toBe('cancelled');
  });
});

describe('RealTimeEventListener', () => {
  it('calls handlers by type and survives one that throws', async () => {
    await using env = await setUp([say(['a', 'b'])]);
    const heard: unknown[] = [];
    const listener = new RealTimeEventListener({ onHandlerError: (error, type) => heard.push([String(error), type]) });
    const removed = () => void heard.push('removed');
    listener
      .on(GeminiEventType.Content, () => {
        throw new Error('handler');
      })
      .on(GeminiEventType.Content, ({ value }) => void heard.push(value))
      .on(GeminiEventType.Finished, async ({ value }) => void heard.push(value.reason))
      .on(GeminiEventType.Finished, removed)
      .off(GeminiEventType.Finished, removed);
    await listener.listen(new Turn(env.chat, 'p'), 'hi', NEVER);
    expect(heard).toEqual([['Error: handler', 'content'], 'ab', 'STOP']);
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
    const requests = Array.from({ length: 9 }, (_unused, index) => ({ prompt_id: `p${index}`, request: `q${index}` }));
    const results = await new BatchTurnProcessor(chatFor(model), { maxConcurrent: 3 }).processBatch(requests, NEVER);
    expect(results.map(({ prompt_id, result }) => [prompt_id, result?.content])).toEqual(
      requests.map(({ prompt_id, request }) => [prompt_id, `re ${request}`]),
    );
    expect(most).toBeLessThanOrEqual(3);
  });

  it('really runs them side by side', async () => {
    const hold = gate();
    await using env = await setUp([answer(hold, text('slow')), say('fast')]);
    const batch = new BatchTurnProcessor(env.chat, { maxConcurrent: 2 }).processBatch(
      [
        { prompt_id: 'a', request: '1' },
        { prompt_id: 'b', request: '2' },
      ],
      NEVER,
    );
    await env.model.waitForRequest(2);
    hold.release();
    expect((await batch).map(({ result }) => result?.status)).toEqual(['completed', 'completed']);
    expect(env.chat.getHistory()).toEqual([]);
  });

  it('keeps an error to the item it belongs to', async () => {
    await using env = await setUp([say('a'), fault(401), fault(400), say('d')]);
    const requests = ['1', '2', '3', '4'].map((request) => ({ prompt_id: request, request }));
    const results = await new BatchTurnProcessor(env.chat, { maxConcurrent: 1 }).processBatch(requests, NEVER);
    expect(results.map(({ result, error }) => error?.reason ?? result?.error?.reason ?? result?.content)).toEqual([
      'a',
      'unauthorized',
      'invalid_request',
      'd',
    ]);
  });
});

describe('BufferedTurnProcessor', () => {
  it('gives out full batches, and the rest at the end', async () => {
    await using env = await setUp([answer(thought('a'), text('b'), thought('c'), text('d'), finish())]);
    const clock = { ...createFakeClock(), sleep: () => new Promise<void>(() => {}) };
    const sizes: number[] = [];
    for await (const batch of new BufferedTurnProcessor({ maxSize: 2, clock }).process(
      new Turn(env.chat, 'p'),
      'hi',
      NEVER,
    )) {
      sizes.push(batch.length);
    }
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('gives out what it has when the stream stands still', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('a'), hold, text('b'))]);
    const batches = new BufferedTurnProcessor({ flushIntervalMs: 1 }).process(new Turn(env.chat, 'p'), 'hi', NEVER);
    expect((await batches.next()).value).toEqual([
      { type: 'content', value: 'a', traceId: expect.any(String) as string },
    ]);
    hold.release();
    const rest: TurnEvent[] = [];
    for await (const batch of batches) rest.push(...batch);
    expect(rest.map(({ type }) => type)).toEqual(['content', 'finished']);
  });

  it('cancels the turn when its consumer leaves', async () => {
    await using env = await setUp([fault('stall_mid_stream')]);
    const batches = new BufferedTurnProcessor({ flushIntervalMs: 1 }).process(new Turn(env.chat, 'p'), 'hi', NEVER);
    for await (const _batch of batches) break;
    await env.model.waitForDisconnects(1);
  });
});

describe('TurnErrorHandler', () => {
  it('decides by the class of the error', async () => {
    const handler = new TurnErrorHandler();
    expect(handler.isRetryable(new ApiError('429 quota', { reason: 'quota', status: 429 }))).toBe(false);
    expect(handler.isRetryable(new ApiError('slow down', { reason: 'rate_limited', status: 429 }))).toBe(true);
    expect(handler.isRetryable(new Error('429'))).toBe(false);
    await expect(handler.handleError(new UnauthorizedError('no'))).rejects.toThrow('no');
    expect(await handler.handleError(new Error('x'))).toEqual({ type: 'error', value: { error: { message: 'x' } } });
    expect(await handler.handleError(new Error('x'), { signal: AbortSignal.abort() })).toEqual({
      type: 'user_cancelled',
    });
  });
});

describe('TurnRecoveryManager', () => {
  const once = { maxAttempts: 1, maxStreamRetries: 0 };
  const types = async (events: AsyncIterable<TurnEvent>) => {
    const seen: string[] = [];
    for await (const event of events) seen.push(event.type === GeminiEventType.Content ? event.value : event.type);
    return seen;
  };

  it('really runs the turn again when it failed before any output', async () => {
    await using env = await setUp([fault(503), fault(503), say('ok')], once);
    const clock = createFakeClock();
    const manager = new TurnRecoveryManager({ clock, initialDelayMs: 10 });
    expect(await types(manager.runWithRecovery(() => new Turn(env.chat, 'p'), 'hi', NEVER))).toEqual([
      'ok',
      'finished',
    ]);
    expect([env.model.requests.length, clock.sleeps]).toEqual([3, [10, 20]]);
  });

  it('never runs it again after output', async () => {
    await using env = await setUp([fault('reset_mid_stream')], once);
    const manager = new TurnRecoveryManager({ clock: createFakeClock() });
    expect(await types(manager.runWithRecovery(() => new Turn(env.chat, 'p'), 'hi', NEVER))).toEqual([
      'frame 1 ',
      'error',
    ]);
    expect(env.model.requests.length).toBe(1);
  });

  it('does not run it again for an error that would come again', async () => {
    await using env = await setUp([fault(400)], once);
    const manager = new TurnRecoveryManager({ clock: createFakeClock() });
    expect(await types(manager.runWithRecovery(() => new Turn(env.chat, 'p'), 'hi', NEVER))).toEqual(['error']);
  });

  it('turns to the fallback when every retry failed', async () => {
    await using env = await setUp([fault(503), fault(503), say('from the fallback')], once);
    const manager = new TurnRecoveryManager({
      maxRetries: 1,
      clock: createFakeClock(),
      createFallbackTurn: () => new Turn(env.chat, 'p'),
    });
    expect(await types(manager.runWithRecovery(() => new Turn(env.chat, 'p'), 'hi', NEVER))).toEqual([
      'from the fallback',
      'finished',
    ]);
  });

  it('is cancelled while it waits', async () => {
    const controller = new AbortController();
    await using env = await setUp([fault(503)], once);
    const manager = new TurnRecoveryManager({ clock: createFakeClock({ onSleep: () => controller.abort() }) });
    expect(await types(manager.runWithRecovery(() => new Turn(env.chat, 'p'), 'hi', controller.signal))).toEqual([
      'user_cancelled',
    ]);
  });
});
