import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { ApiError, type ApiErrorInit, InvalidStreamError, UnauthorizedError } from '../protocol/errors.ts';
import { type RetryOptions, retryWithBackoff } from './retry.ts';

const apiError = (init: ApiErrorInit) => new ApiError(init.reason, init);
const NO_CAPACITY = apiError({ reason: 'quota', status: 429, details: { errorReason: 'MODEL_CAPACITY_EXHAUSTED' } });

/** Runs against a list of outcomes: an Error is thrown, anything else is the answer. Records everything seen. */
async function run(outcomes: unknown[], options: RetryOptions<unknown> & { onSleep?: () => void; dice?: number } = {}) {
  const clock = {
    ...createFakeClock({ seed: 7, ...(options.onSleep && { onSleep: options.onSleep }) }),
    ...(options.dice !== undefined && { random: () => options.dice! }),
  };
  const notices: [number, unknown][] = [];
  let attempts = 0;
  const attempt = async () => {
    const outcome = outcomes[Math.min(attempts++, outcomes.length - 1)];
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const result = await retryWithBackoff(attempt, {
    clock,
    onRetry: (number, error) => notices.push([number, error]),
    ...options,
  }).then(
    (value: unknown) => ({ value }),
    (error: unknown) => ({ error }),
  );
  return { ...result, attempts, sleeps: clock.sleeps, notices };
}

function expectAround(sleeps: readonly number[], centres: number[], low: number, high: number) {
  expect(sleeps).toHaveLength(centres.length);
  for (const [index, centre] of centres.entries()) {
    expect(sleeps[index]).toBeGreaterThanOrEqual(centre * low);
    expect(sleeps[index]).toBeLessThanOrEqual(centre * high);
  }
}

describe('retryWithBackoff', () => {
  it('returns what the first good attempt returns', async () => {
    expect(await run(['fine'])).toEqual({ value: 'fine', attempts: 1, sleeps: [], notices: [] });
  });

  it.each<[string, Error]>([
    ['a rate limit', apiError({ reason: 'rate_limited', status: 429 })],
    ['a server error', apiError({ reason: 'server', status: 500 })],
    ['a broken connection', apiError({ reason: 'network', code: 'ECONNRESET' })],
    ['a timeout', apiError({ reason: 'timeout' })],
    ['a foreign error with a status', Object.assign(new Error('x'), { status: 503 })],
    ['a foreign error with a network code', Object.assign(new Error('x'), { code: 'ETIMEDOUT' })],
  ])('tries again after %s and tells of it', async (_name, error) => {
    const result = await run([error, 'fine']);
    expect(result).toMatchObject({ value: 'fine', attempts: 2, notices: [[1, error]] });
    expectAround(result.sleeps, [5_000], 0.7, 1.3);
  });

  it('makes as many attempts as the error is worth, unless the caller allows fewer', async () => {
    const failing = (attempts: number) => [apiError({ reason: 'server', status: 500, attempts })];
    expect(await run(failing(2))).toMatchObject({ attempts: 2 });
    expect(await run(failing(1))).toMatchObject({ attempts: 1 });
    expect(await run(failing(40))).toMatchObject({ attempts: 40 });
    expect(await run(failing(40), { maxAttempts: 3 })).toMatchObject({ attempts: 3 });
  });

  it.each<[string, Error]>([
    ['a bad request', apiError({ reason: 'invalid_request', status: 400 })],
    ['refused credentials', new UnauthorizedError('no')],
    ['a refusal', apiError({ reason: 'forbidden', status: 403 })],
    ['an overflow', apiError({ reason: 'context_overflow', status: 413 })],
    ['a bug', new TypeError('x is undefined')],
    ['an invalid stream', new InvalidStreamError('x', 'NO_RESPONSE_TEXT')],
  ])('throws %s at once and asks no user', async (_name, error) => {
    let asked = 0;
    const onPersistent429 = async () => {
      asked++;
      return true;
    };
    expect(await run([error, 'fine'], { onPersistent429 })).toMatchObject({ error, attempts: 1, sleeps: [] });
    expect(asked).toBe(0);
  });

  it('makes ten attempts, doubling its pace up to half a minute, give or take 30 %', async () => {
    const error = apiError({ reason: 'server', status: 503 });
    const result = await run([error]);
    expect(result).toMatchObject({ error, attempts: 10 });
    expectAround(result.sleeps, [5_000, 10_000, 20_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000], 0.7, 1.3);
    expect(new Set(result.sleeps.slice(3)).size).toBeGreaterThan(1);
  });

  it('waits as long as the server asks instead of its own time, never less and at most 20 % more', async () => {
    const outcomes = [
      apiError({ reason: 'rate_limited', status: 429, retryAfterMs: 1_000 }),
      apiError({ reason: 'server', status: 503, retryAfterMs: 200_000 }),
      'fine',
    ];
    expect((await run(outcomes, { dice: 0 })).sleeps).toEqual([1_000, 200_000]);
    expect((await run(outcomes, { dice: 0.999_999 })).sleeps).toEqual([1_200, 240_000]);
  });

  it('spreads its own time by 30 % to both sides', async () => {
    const outcomes = [apiError({ reason: 'network' }), apiError({ reason: 'timeout' }), 'fine'];
    expect((await run(outcomes, { dice: 0 })).sleeps).toEqual([3_500, 7_000]);
    expect((await run(outcomes, { dice: 0.999_999 })).sleeps).toEqual([6_500, 13_000]);
  });

  it('does not wait for a server that asks for more than the caller has', async () => {
    const error = apiError({ reason: 'rate_limited', status: 429, retryAfterMs: 5_001 });
    expect(await run([error, 'fine'], { maxServerDelayMs: 5_000 })).toMatchObject({ error, attempts: 1, sleeps: [] });
    const shorter = apiError({ reason: 'rate_limited', status: 429, retryAfterMs: 5_000 });
    expect(await run([shorter, 'fine'], { maxServerDelayMs: 5_000 })).toMatchObject({ value: 'fine', attempts: 2 });
  });

  it('keeps its own pace when the server asks for no wait at all', async () => {
    const result = await run([apiError({ reason: 'rate_limited', status: 429, retryAfterMs: 0 }), 'fine']);
    expectAround(result.sleeps, [5_000], 0.7, 1.3);
  });

  it('takes null options for absent ones', async () => {
    const error = apiError({ reason: 'network' });
    const options = {
      maxAttempts: null,
      initialDelayMs: null,
      maxDelayMs: null,
      shouldRetryOnError: null,
      onPersistent429: null,
    };
    expect(await run([error], options)).toMatchObject({ error, attempts: 10 });
  });

  it.each([0, -1, Number.NaN])('refuses %s attempts', async (maxAttempts) => {
    expect(await run(['fine'], { maxAttempts })).toMatchObject({
      error: new Error('maxAttempts must be a positive number.'),
      attempts: 0,
    });
  });

  it('counts poor content as a failed attempt', async () => {
    const shouldRetryOnContent = (content: unknown) => content === '';
    expect(await run(['', '', 'fine'], { shouldRetryOnContent })).toMatchObject({ value: 'fine', attempts: 3 });
    const exhausted = await run([''], { shouldRetryOnContent, maxAttempts: 2 });
    expect(exhausted).toMatchObject({ error: new Error('Retry attempts exhausted'), attempts: 2 });
    expect(exhausted.sleeps).toHaveLength(1);
  });

  it("follows the caller's own verdict on errors", async () => {
    const error = new RangeError('odd');
    expect(await run([error, 'fine'], { shouldRetryOnError: () => true })).toMatchObject({
      value: 'fine',
      attempts: 2,
    });
    const server = apiError({ reason: 'server' });
    expect(await run([server, 'fine'], { shouldRetryOnError: () => false })).toMatchObject({
      error: server,
      attempts: 1,
    });
  });
});

describe('retryWithBackoff and the fallback', () => {
  function fallback(...answers: (string | boolean | null)[]) {
    const asked: unknown[][] = [];
    const onPersistent429 = async (...question: unknown[]) => {
      asked.push(question);
      return answers[asked.length - 1] ?? null;
    };
    return { asked, onPersistent429 };
  }

  it.each<[string, ApiError]>([
    ['a spent quota', apiError({ reason: 'quota', status: 429 })],
    ['a missing model', apiError({ reason: 'not_found', status: 404 })],
  ])('is asked at once about %s, and once', async (_name, error) => {
    const { asked, onPersistent429 } = fallback(null);
    const result = await run([error], { onPersistent429, authType: 'gemini-api-key' });
    expect(result).toMatchObject({ error, attempts: 1, sleeps: [] });
    expect(asked).toEqual([['gemini-api-key', error]]);
  });

  it.each<[string, ApiError, number]>([
    ['429', apiError({ reason: 'rate_limited', status: 429 }), 1],
    ['5xx', apiError({ reason: 'server', status: 500 }), 1],
    ['a broken network, which another model does not mend', apiError({ reason: 'network' }), 0],
  ])('is asked after the last attempt on %s', async (_name, error, times) => {
    const { asked, onPersistent429 } = fallback(false);
    expect(await run([error], { onPersistent429, maxAttempts: 3 })).toMatchObject({ error, attempts: 3 });
    expect(asked).toHaveLength(times);
  });

  it('starts over with a full set of attempts and its first pace when it says so', async () => {
    const error = apiError({ reason: 'server', status: 500 });
    const { asked, onPersistent429 } = fallback('gemini-2.5-flash', null);
    const result = await run([error], { onPersistent429, maxAttempts: 3 });
    expect(result).toMatchObject({
      error,
      attempts: 6,
      notices: [
        [1, error],
        [2, error],
        [1, error],
        [2, error],
      ],
    });
    expectAround(result.sleeps, [5_000, 10_000, 5_000, 10_000], 0.7, 1.3);
    expect(asked).toHaveLength(2);
  });

  it('is asked about a model without capacity only after two short waits', async () => {
    const { asked, onPersistent429 } = fallback(null);
    const result = await run([NO_CAPACITY], { onPersistent429 });
    expect(result).toMatchObject({ error: NO_CAPACITY, attempts: 3, sleeps: [1_000, 3_000] });
    expect(asked).toHaveLength(1);
  });

  it('waits for capacity like for anything else when there is no user to ask', async () => {
    const result = await run([NO_CAPACITY], { maxAttempts: 4 });
    expect(result).toMatchObject({ error: NO_CAPACITY, attempts: 4 });
    expectAround(result.sleeps, [5_000, 10_000, 20_000], 0.7, 1.3);
  });
});

describe('retryWithBackoff and the signal', () => {
  const server = apiError({ reason: 'server' });

  it('does not begin when it is aborted already', async () => {
    const result = await run(['fine'], { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ error: { name: 'AbortError' }, attempts: 0 });
  });

  it('ends inside a wait', async () => {
    const controller = new AbortController();
    const result = await run([server, 'fine'], { signal: controller.signal, onSleep: () => controller.abort() });
    expect(result).toMatchObject({ error: { name: 'AbortError' }, attempts: 1 });
  });

  it('does not take an abort for a failure, whatever the attempt throws', async () => {
    const controller = new AbortController();
    const aborting = async () => {
      controller.abort();
      throw server;
    };
    const clock = createFakeClock();
    await expect(
      retryWithBackoff(aborting, { signal: controller.signal, clock, shouldRetryOnError: () => true }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(clock.sleeps).toEqual([]);
  });

  it('lets an AbortError out that came without a signal', async () => {
    const error = new DOMException('gone', 'AbortError');
    expect(await run([error], { shouldRetryOnError: () => true })).toMatchObject({ error, attempts: 1 });
  });

  it('does not go on when it is aborted while the fallback is being asked', async () => {
    const controller = new AbortController();
    const onPersistent429 = async () => {
      controller.abort();
      return true;
    };
    const quota = apiError({ reason: 'quota' });
    expect(await run([quota, 'fine'], { signal: controller.signal, onPersistent429 })).toMatchObject({
      error: { name: 'AbortError' },
      attempts: 1,
    });
  });
});
