import { describe, expect, it } from 'vitest';
import { ApiError, type ApiErrorInit, InvalidStreamError, UnauthorizedError } from '../protocol/errors.ts';
import { retryRule } from './retry-table.ts';

const api = (init: ApiErrorInit) => new ApiError('x', init);

describe('retryRule', () => {
  it.each<[string, unknown, { connect: boolean; stream: boolean }]>([
    ['429', api({ reason: 'rate_limited', status: 429 }), { connect: true, stream: true }],
    ['5xx', api({ reason: 'server', status: 500 }), { connect: true, stream: true }],
    ['a broken connection', api({ reason: 'network', code: 'ECONNRESET' }), { connect: true, stream: true }],
    ['silence', api({ reason: 'timeout' }), { connect: true, stream: true }],
    [
      'a model without capacity',
      api({ reason: 'quota', details: { errorReason: 'MODEL_CAPACITY_EXHAUSTED' } }),
      { connect: true, stream: true },
    ],
    ['a spent quota', api({ reason: 'quota' }), { connect: false, stream: false }],
    ['400', api({ reason: 'invalid_request', status: 400 }), { connect: false, stream: false }],
    ['401', new UnauthorizedError('x'), { connect: false, stream: false }],
    ['403', api({ reason: 'forbidden', status: 403 }), { connect: false, stream: false }],
    ['404', api({ reason: 'not_found', status: 404 }), { connect: false, stream: false }],
    ['413', api({ reason: 'context_overflow', status: 413 }), { connect: false, stream: false }],
    ['an unusable answer', new InvalidStreamError('x', 'NO_FINISH_REASON'), { connect: false, stream: true }],
    ['a blocked answer', new InvalidStreamError('x', 'SAFETY_BLOCKED'), { connect: false, stream: false }],
    ['an abort', new DOMException('x', 'AbortError'), { connect: false, stream: false }],
    ['a foreign 503', { status: 503 }, { connect: true, stream: true }],
    ['a foreign 400', { status: 400 }, { connect: false, stream: false }],
    ['a bug', new TypeError('x'), { connect: false, stream: false }],
  ])('for %s', (_name, error, expected) => {
    const phases = { connect: retryRule('connect', error).retry, stream: retryRule('stream', error).retry };
    expect(phases).toEqual(expected);
  });
});
