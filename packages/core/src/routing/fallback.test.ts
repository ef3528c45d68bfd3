import { PER_DAY_QUOTA, createFakeClock, fakeModel, fault, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ChatFallback } from '../chat/chat-fallback.ts';
import { GeminiChat } from '../chat/gemini-chat.ts';
import { StreamEventType } from '../chat/stream-events.ts';
import { ApiError } from '../protocol/errors.ts';
import type { ApiErrorReason } from '../protocol/errors.ts';
import { ModelAvailability } from './availability.ts';
import { createFallback, handleFlashFallback } from './fallback.ts';
import type { FallbackAsk, FallbackDecision } from './fallback-decision.ts';
import { UnknownQuestionError } from './fallback-questions.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { policyChain } from './fallback-chains.ts';

const PRO = 'gemini-2.5-pro';
const FLASH = 'gemini-2.5-flash';
const NEVER = new AbortController().signal;
const GIVE_UP: FallbackDecision = { kind: 'give_up' };

interface SetUp {
  requestedModel?: string;
  plan?: boolean;
  interactive?: boolean;
}

function setUp({ requestedModel = PRO, plan = false, interactive = true }: SetUp = {}) {
  const clock = createFakeClock();
  const availability = new ModelAvailability(clock);
  const chainFor = (model: string) => policyChain(model, { requestedModel, plan });
  const fallback = createFallback({ availability, chainFor, interactive });
  return { clock, availability, fallback };
}

function failure(reason: ApiErrorReason, errorReason?: string): ApiError {
  return new ApiError(`It is ${reason}.`, { reason, ...(errorReason !== undefined && { details: { errorReason } }) });
}

function asked(decision: FallbackDecision): FallbackAsk {
  if (decision.kind !== 'ask') throw new Error(`Expected a question, got ${decision.kind}.`);
  return decision;
}

describe('Fallback', () => {
  it.each([
    ['quota', 'has no quota left'],
    ['rate_limited', 'is too busy at the moment'],
    ['server', 'is too busy at the moment'],
    ['not_found', 'is not available to you'],
  ] as const)('asks the person about a named model after %s', (reason, happened) => {
    expect(setUp().fallback.decide(PRO, failure(reason))).toEqual({
      kind: 'ask',
      requestId: 'fallback-1',
      fallbackModel: FLASH,
      message: `${PRO} ${happened}; ${FLASH} can replace it. The service says: It is ${reason}.`,
      answer: expect.any(Function),
    });
  });

  it.each(['network', 'timeout', 'invalid_request', 'context_overflow', 'forbidden'] as const)(
    'gives up after %s, which another model would meet as well',
    (reason) => {
      expect(setUp({ plan: true }).fallback.decide(PRO, failure(reason))).toEqual(GIVE_UP);
    },
  );

  it('gives up on a bug, and on a model without a fallback', () => {
    expect(setUp().fallback.decide(PRO, new TypeError('x is undefined'))).toEqual(GIVE_UP);
    expect(setUp({ requestedModel: 'mine' }).fallback.decide('mine', failure('quota'))).toEqual(GIVE_UP);
  });

  it('gives up instead of asking where no user can answer', () => {
    const { fallback, availability } = setUp({ interactive: false });
    expect(fallback.decide(PRO, failure('quota'))).toEqual(GIVE_UP);
    expect(availability.snapshot(PRO)).toEqual({ available: true });
  });

  it('switches silently to the next model when the choice was ours and the failure may pass', () => {
    const { fallback, availability } = setUp({ requestedModel: 'auto-gemini-2.5', interactive: false });
    expect(fallback.decide(PRO, failure('rate_limited'))).toEqual({ kind: 'switch', model: FLASH });
    expect(availability.snapshot(PRO)).toEqual({ available: true, attempts: 1 });
    expect(fallback.decide(PRO, failure('quota'))).toEqual(GIVE_UP);
  });

  it.each([
    [failure('quota'), 'quota'],
    [failure('quota', 'MODEL_CAPACITY_EXHAUSTED'), 'capacity'],
    [failure('server'), 'capacity'],
    [failure('not_found'), 'not_found'],
  ])('switches silently in plan mode and notes what the failure says (%#)', (error, reason) => {
    const { fallback, availability } = setUp({ plan: true });
    expect(fallback.decide(PRO, error)).toEqual({ kind: 'switch', model: FLASH });
    expect(availability.snapshot(PRO)).toEqual({ available: false, reason });
  });

  it('offers no model a second time before one has answered, however long it takes', () => {
    const { fallback, clock } = setUp({ requestedModel: 'auto-gemini-2.5', plan: true });
    expect(fallback.decide(PRO, failure('server'))).toEqual({ kind: 'switch', model: FLASH });
    clock.advance(120_000);
    expect(fallback.decide(FLASH, failure('server'))).toEqual(GIVE_UP);
    expect(fallback.decide(PRO, failure('server'))).toEqual({ kind: 'switch', model: FLASH });
    fallback.succeeded(FLASH);
    clock.advance(120_000);
    expect(fallback.decide(FLASH, failure('server'))).toEqual({ kind: 'switch', model: PRO });
  });

  it('goes down the whole chain of the lite model', () => {
    const { fallback } = setUp({ requestedModel: 'flash-lite', interactive: false });
    expect([
      fallback.decide('gemini-3.1-flash-lite', failure('quota')),
      fallback.decide(FLASH, failure('quota')),
      fallback.decide(PRO, failure('quota')),
    ]).toEqual([{ kind: 'switch', model: FLASH }, { kind: 'switch', model: PRO }, GIVE_UP]);
  });

  it('takes the last resort although it was unavailable, for want of anything better', () => {
    const { fallback, availability } = setUp({ plan: true });
    availability.markTerminal(FLASH, 'quota');
    expect(fallback.decide(PRO, failure('quota'))).toEqual({ kind: 'switch', model: FLASH });
  });
});

describe('the answer to a question', () => {
  it.each([
    ['retry_always', { available: false, reason: 'replaced' }, { available: false, reason: 'replaced' }],
    ['retry_once', { available: false, reason: 'retry_once_per_turn' }, { available: true, attempts: 1 }],
    ['retry_later', { available: true }, { available: true }],
    ['stop', { available: true }, { available: true }],
  ] as const)('%s decides about the failed model in this prompt and the next', async (intent, now, later) => {
    const { fallback, availability, clock } = setUp();
    const question = asked(fallback.decide(PRO, failure('rate_limited')));
    const answer = question.answer(NEVER);
    fallback.answer(question.requestId, intent);
    expect(await answer).toBe(intent);
    expect(availability.snapshot(PRO)).toEqual(now);
    clock.advance(60_000);
    availability.resetTurn();
    expect(availability.snapshot(PRO)).toEqual(later);
  });

  it('may come before anybody waits for it', async () => {
    const { fallback } = setUp();
    const question = asked(fallback.decide(PRO, failure('quota')));
    fallback.answer(question.requestId, 'stop');
    expect(await question.answer(NEVER)).toBe('stop');
  });

  it('is refused when no question waits, or after another', () => {
    const { fallback } = setUp();
    const { requestId } = asked(fallback.decide(PRO, failure('quota')));
    fallback.answer(requestId, 'stop');
    const unknown = (id: string) => new UnknownQuestionError(`No question "${id}" is open.`);
    expect(() => fallback.answer(requestId, 'stop')).toThrow(unknown(requestId));
    expect(() => fallback.answer('nonsense', 'stop')).toThrow(unknown('nonsense'));
  });

  it('is not waited for any longer once the signal is aborted, and the question is withdrawn', async () => {
    const { fallback, availability } = setUp();
    const controller = new AbortController();
    const question = asked(fallback.decide(PRO, failure('quota')));
    const answer = question.answer(controller.signal);
    controller.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect(() => fallback.answer(question.requestId, 'retry_always')).toThrow(UnknownQuestionError);
    expect(availability.snapshot(PRO)).toEqual({ available: true });
    await expect(asked(fallback.decide(PRO, failure('quota'))).answer(AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('outlives a late success of the model it replaced', async () => {
    const { fallback, availability } = setUp();
    const question = asked(fallback.decide(PRO, failure('quota')));
    fallback.answer(question.requestId, 'retry_always');
    await question.answer(NEVER);
    fallback.succeeded(PRO);
    expect(availability.snapshot(PRO)).toEqual({ available: false, reason: 'replaced' });
  });
});

describe('handleFlashFallback', () => {
  it.each([
    ['retry_always', FLASH],
    ['retry_once', FLASH],
    ['retry_later', null],
    ['stop', null],
  ] as const)('turns the answer %s into %s', async (intent, expected) => {
    const { fallback } = setUp();
    const onAsk = ({ requestId }: FallbackAsk) => fallback.answer(requestId, intent);
    const error = failure('rate_limited');
    expect(
      await handleFlashFallback('oauth-personal', error, { fallback, failedModel: PRO, signal: NEVER, onAsk }),
    ).toBe(expected);
  });

  it('asks no user where no answer is needed', async () => {
    const switching = setUp({ plan: true }).fallback;
    const givingUp = setUp({ interactive: false }).fallback;
    const error = failure('rate_limited');
    const options = { failedModel: PRO, signal: NEVER };
    expect(await handleFlashFallback(undefined, error, { fallback: switching, ...options })).toBe(FLASH);
    expect(await handleFlashFallback(undefined, error, { fallback: givingUp, ...options })).toBe(null);
  });
});

describe('a chat with a fallback', () => {
  it('finishes the same turn with the other model and asks the exhausted one no more', async () => {
    await using model = await fakeModel([fault(429, { quotaId: PER_DAY_QUOTA }), say('done')]);
    const { clock, fallback } = setUp();
    const port: ChatFallback = fallback;
    const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
    const chat = new GeminiChat({ generator, model: PRO, clock, fallback: port });
    const types: string[] = [];
    for await (const event of await chat.sendMessageStream(PRO, 'hi', 'p', NEVER)) {
      if (event.type !== StreamEventType.FALLBACK) continue;
      types.push(event.value.type);
      if (event.value.type === 'fallback_requested') fallback.answer(event.value.requestId, 'retry_always');
    }
    expect(types).toEqual(['fallback_requested', 'fallback_answered']);
    expect(model.requests.map(({ path }) => /models\/([^:]+)/.exec(path)?.[1])).toEqual([PRO, FLASH]);
    expect(chat.getHistory()).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ text: 'done' }] },
    ]);
    model.assertDone();
  });
});
