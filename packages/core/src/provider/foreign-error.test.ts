import { describe, expect, it } from 'vitest';
import { ApiError, InvalidStreamError, UnauthorizedError } from '../protocol/errors.ts';
import { classifyForeignError, getRetryErrorType } from './foreign-error.ts';

const withCause = (depth: number, cause: unknown): Error => {
  let error = new Error('outermost', { cause });
  for (let level = 1; level < depth; level++) error = new Error('outer', { cause: error });
  return error;
};
const coded = (code: string) => Object.assign(new Error('failed'), { code });
const googleBody = JSON.stringify({
  error: {
    code: 429,
    message: 'slow',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' }],
  },
});

describe('classifyForeignError', () => {
  it('passes our own errors through', () => {
    for (const error of [new ApiError('x', { reason: 'quota' }), new UnauthorizedError('x')]) {
      expect(classifyForeignError(error)).toBe(error);
    }
  });

  it.each<[string, unknown, object]>([
    ['a status', { status: 503 }, { reason: 'server', status: 503 }],
    ['a status on the response', { response: { status: 429 } }, { reason: 'rate_limited', status: 429 }],
    ['a numeric code', Object.assign(new Error('x'), { code: 404 }), { reason: 'not_found', status: 404 }],
    [
      'an SDK error whose message is the body',
      Object.assign(new Error(googleBody), { status: 429 }),
      { reason: 'rate_limited', status: 429, retryAfterMs: 3_000, message: 'slow' },
    ],
    [
      'an error object in response.data',
      { response: { data: JSON.parse(googleBody) } },
      { reason: 'rate_limited', status: 429, retryAfterMs: 3_000 },
    ],
    [
      'an error object in a nested cause',
      withCause(3, new Error(googleBody)),
      { reason: 'rate_limited', status: 429, retryAfterMs: 3_000 },
    ],
    ['a network code', coded('ECONNRESET'), { reason: 'network', code: 'ECONNRESET' }],
    ['a network code five causes deep', withCause(5, coded('EAI_AGAIN')), { reason: 'network', code: 'EAI_AGAIN' }],
    ['a bad TLS record', coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), { reason: 'network' }],
    ['the words of fetch', new TypeError('fetch failed'), { reason: 'network', code: 'FETCH_FAILED' }],
    [
      'the words of the SDK',
      new Error('Incomplete JSON segment at the end'),
      { reason: 'network', code: 'INCOMPLETE_JSON' },
    ],
  ])('classifies by %s', (_name, error, expected) => {
    const classified = classifyForeignError(error);
    expect(classified).toBeInstanceOf(ApiError);
    expect(classified).toMatchObject({ ...expected, cause: error });
  });

  it('takes a foreign 401 for refused credentials', () => {
    expect(classifyForeignError({ status: 401, message: 'who?' })).toEqual(new UnauthorizedError('who?'));
  });

  it.each<[string, unknown]>([
    ['a bug', new TypeError('x is undefined')],
    ['a code six causes deep', withCause(6, coded('ECONNRESET'))],
    ['a code of another kind', coded('ENOENT')],
    ['an invalid stream', new InvalidStreamError('x', 'NO_RESPONSE_TEXT')],
    ['a status that is no failure', { status: 200 }],
    ['nothing', undefined],
    ['text', 'fetch'],
  ])('does not claim %s', (_name, error) => {
    expect(classifyForeignError(error)).toBeUndefined();
  });
});

describe('getRetryErrorType', () => {
  it.each<[unknown, string]>([
    [new InvalidStreamError('x', 'NO_RESPONSE_TEXT'), 'INVALID_CONTENT'],
    [coded('EPIPE'), 'EPIPE'],
    [new ApiError('x', { reason: 'network', code: 'TRUNCATED_FRAME' }), 'TRUNCATED_FRAME'],
    [new TypeError('fetch failed'), 'FETCH_FAILED'],
    [new ApiError('x', { reason: 'rate_limited', status: 429 }), 'QUOTA_EXCEEDED'],
    [{ status: 502 }, 'SERVER_ERROR'],
    [{ status: 499 }, 'HTTP_499'],
    [new UnauthorizedError('x'), 'HTTP_401'],
    [new ApiError('x', { reason: 'timeout' }), 'TIMEOUT'],
    [new RangeError('x'), 'RangeError'],
    ['text', 'UNKNOWN'],
  ])('labels %o as %s', (error, label) => {
    expect(getRetryErrorType(error)).toBe(label);
  });
});
