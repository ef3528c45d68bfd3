import { describe, expect, it } from 'vitest';
import { type ApiError, type ApiErrorReason, UnauthorizedError } from '../../protocol/errors.ts';
import { parseRetryAfter } from '../wire/failed-answer.ts';
import { toModelError } from './errors.ts';

const NOW = Date.UTC(2026, 10, 16);

type Expected = {
  reason: ApiErrorReason | 'unauthorized';
  message?: string;
  retryAfterMs?: number;
  details?: ApiError['details'];
};
type Answer = { status: number; body?: unknown; statusText?: string; retryAfter?: string; location?: string };

const rpc = (type: string, fields: object) => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...fields });
const retryInfo = (retryDelay: string) => rpc('RetryInfo', { retryDelay });
const errorInfo = (reason: string, more: object = {}) => rpc('ErrorInfo', { reason, ...more });
const quota = (...quotaIds: string[]) => rpc('QuotaFailure', { violations: quotaIds.map((quotaId) => ({ quotaId })) });
const google = (code: number, message: string, ...details: object[]) => ({ error: { code, message, details } });
const cloudCode = (reason: string) => errorInfo(reason, { domain: 'cloudcode-pa.googleapis.com' });

const PER_DAY = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier';
const PER_MINUTE = 'GenerateRequestsPerMinutePerProjectPerModel';
const HTML = '<!DOCTYPE html><html><head><title>502\n Bad Gateway</title></head><body>nginx</body></html>';

function judge({ status, body = '', ...rest }: Answer) {
  const error = toModelError({
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    now: NOW,
    ...rest,
  });
  if (error instanceof UnauthorizedError) return { reason: 'unauthorized', status: 401, message: error.message };
  const { reason, retryable, retryAfterMs, details, message } = error;
  return { reason, status: error.status, retryable, retryAfterMs, details, message };
}

const RETRYABLE = new Set(['rate_limited', 'server', 'network', 'timeout']);

describe('toModelError', () => {
  it.each<[string, Answer, Expected]>([
    ['401', { status: 401, body: google(401, 'no') }, { reason: 'unauthorized', message: 'no' }],
    [
      '401 without a body',
      { status: 401, statusText: 'Unauthorized' },
      { reason: 'unauthorized', message: 'HTTP 401 Unauthorized' },
    ],
    [
      '400 for a wrong key',
      { status: 400, body: google(400, 'API key not valid.', errorInfo('API_KEY_INVALID')) },
      { reason: 'unauthorized', message: 'API key not valid.' },
    ],
    ...(
      [
        [400, google(400, 'API key not valid. Please pass a valid API key.')],
        [400, 'API key not valid'],
        [400, google(400, 'API key expired. Please renew the API key.')],
        [400, { error: { message: 'Invalid API key provided', type: 'auth' } }],
        [403, google(403, 'Your key was reported as leaked.')],
        [403, google(403, 'Your API key was reported as leaked. Please use another API key.')],
        [403, google(403, 'Requests from this address are blocked.', errorInfo('API_KEY_IP_ADDRESS_BLOCKED'))],
      ] as const
    ).map(([status, body]): [string, Answer, Expected] => [
      `${status} that refuses the key: ${JSON.stringify(body)}`,
      { status, body },
      { reason: 'unauthorized' },
    ]),
    [
      '400 that only mentions a key',
      { status: 400, body: google(400, 'Unknown key "api_key" in the request: it is not valid here.') },
      { reason: 'invalid_request' },
    ],
    [
      '403 for a model',
      { status: 403, body: google(403, 'The caller does not have permission to use this model.') },
      { reason: 'forbidden' },
    ],
    ['400', { status: 400, body: google(400, 'Bad field') }, { reason: 'invalid_request', message: 'Bad field' }],
    [
      '400 that asks to come back is not retried',
      { status: 400, body: google(400, 'Bad', retryInfo('3s')), retryAfter: '3' },
      { reason: 'invalid_request' },
    ],
    [
      '400 for too many tokens',
      {
        status: 400,
        body: google(400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
      },
      { reason: 'context_overflow' },
    ],
    ['403', { status: 403, body: google(403, 'no access') }, { reason: 'forbidden', message: 'no access' }],
    [
      '403 that wants the account validated keeps its links',
      {
        status: 403,
        body: google(
          403,
          'Verify your account',
          errorInfo('VALIDATION_REQUIRED', {
            domain: 'cloudcode-pa.googleapis.com',
            metadata: { validation_link: 'https://a.example/validate' },
          }),
          rpc('Help', {
            links: [{ description: 'Verify', url: 'https://a.example/v' }, { url: 'https://support.google.com/x' }],
          }),
        ),
      },
      {
        reason: 'forbidden',
        details: {
          errorReason: 'VALIDATION_REQUIRED',
          domain: 'cloudcode-pa.googleapis.com',
          metadata: { validation_link: 'https://a.example/validate' },
          links: [{ description: 'Verify', url: 'https://a.example/v' }, { url: 'https://support.google.com/x' }],
        },
      },
    ],
    ['404', { status: 404, body: google(404, 'models/x is not found') }, { reason: 'not_found' }],
    ['408', { status: 408 }, { reason: 'timeout' }],
    ['409', { status: 409 }, { reason: 'invalid_request' }],
    [
      '413',
      { status: 413, statusText: 'Payload Too Large' },
      { reason: 'context_overflow', message: 'HTTP 413 Payload Too Large' },
    ],
    ['429 alone', { status: 429, body: google(429, 'slow down') }, { reason: 'rate_limited' }],
    [
      '429 with RetryInfo',
      { status: 429, body: google(429, 'slow', retryInfo('34.074824224s')) },
      { reason: 'rate_limited', retryAfterMs: 34_075 },
    ],
    [
      '429 with RetryInfo in milliseconds',
      { status: 429, body: google(429, 'slow', retryInfo('900ms')) },
      { reason: 'rate_limited', retryAfterMs: 900 },
    ],
    [
      '429 with Retry-After in seconds',
      { status: 429, retryAfter: '7' },
      { reason: 'rate_limited', retryAfterMs: 7_000 },
    ],
    [
      '429 with Retry-After as a date',
      { status: 429, retryAfter: new Date(NOW + 20_000).toUTCString() },
      { reason: 'rate_limited', retryAfterMs: 20_000 },
    ],
    [
      'RetryInfo wins over Retry-After',
      { status: 429, body: google(429, 'slow', retryInfo('2s')), retryAfter: '9' },
      { reason: 'rate_limited', retryAfterMs: 2_000 },
    ],
    [
      '429 that names the delay in words',
      { status: 429, body: google(429, 'Quota exceeded. Please retry in 12.5s.') },
      { reason: 'rate_limited', retryAfterMs: 12_500 },
    ],
    [
      '429 with a delay of five minutes',
      { status: 429, retryAfter: '300' },
      { reason: 'rate_limited', retryAfterMs: 300_000 },
    ],
    ['429 with a longer delay', { status: 429, retryAfter: '301' }, { reason: 'quota', retryAfterMs: 301_000 }],
    [
      '429 with a longer delay in words',
      { status: 429, body: google(429, 'Please retry in 3600s') },
      { reason: 'quota', retryAfterMs: 3_600_000 },
    ],
    [
      '429 per day',
      { status: 429, body: google(429, 'quota', quota(PER_MINUTE, PER_DAY), retryInfo('5s')) },
      { reason: 'quota', details: { quotaIds: [PER_MINUTE, PER_DAY] } },
    ],
    [
      '429 per minute',
      { status: 429, body: google(429, 'quota', quota(PER_MINUTE)) },
      { reason: 'rate_limited', retryAfterMs: 60_000, details: { quotaIds: [PER_MINUTE] } },
    ],
    [
      '429 per minute with RetryInfo',
      { status: 429, body: google(429, 'quota', quota(PER_MINUTE), retryInfo('5s')) },
      { reason: 'rate_limited', retryAfterMs: 5_000, details: { quotaIds: [PER_MINUTE] } },
    ],
    [
      '429 whose metadata says per minute',
      {
        status: 429,
        body: google(
          429,
          'quota',
          errorInfo('RATE_LIMIT_EXCEEDED', { metadata: { quota_limit: 'RequestsPerMinute' } }),
        ),
      },
      {
        reason: 'rate_limited',
        retryAfterMs: 60_000,
        details: { errorReason: 'RATE_LIMIT_EXCEEDED', metadata: { quota_limit: 'RequestsPerMinute' } },
      },
    ],
    [
      '429 with a limit of nothing',
      { status: 429, body: google(429, 'Quota exceeded, limit: 0, model: x', retryInfo('5s')) },
      { reason: 'quota' },
    ],
    [
      '429 with a small limit',
      { status: 429, body: google(429, 'Quota exceeded, limit: 0.5') },
      { reason: 'rate_limited' },
    ],
    [
      '429 from Cloud Code with a delay',
      { status: 429, body: google(429, 'q', cloudCode('RATE_LIMIT_EXCEEDED'), retryInfo('8s')) },
      {
        reason: 'rate_limited',
        retryAfterMs: 8_000,
        details: { errorReason: 'RATE_LIMIT_EXCEEDED', domain: 'cloudcode-pa.googleapis.com' },
      },
    ],
    [
      '429 from Cloud Code without',
      { status: 429, body: google(429, 'q', cloudCode('RATE_LIMIT_EXCEEDED')) },
      { reason: 'quota', details: { errorReason: 'RATE_LIMIT_EXCEEDED', domain: 'cloudcode-pa.googleapis.com' } },
    ],
    [
      '429 from Cloud Code, exhausted',
      { status: 429, body: google(429, 'q', cloudCode('QUOTA_EXHAUSTED'), retryInfo('8s')) },
      { reason: 'quota', details: { errorReason: 'QUOTA_EXHAUSTED', domain: 'cloudcode-pa.googleapis.com' } },
    ],
    [
      '429 without credits',
      { status: 429, body: google(429, 'q', errorInfo('INSUFFICIENT_G1_CREDITS_BALANCE')) },
      { reason: 'quota', details: { errorReason: 'INSUFFICIENT_G1_CREDITS_BALANCE' } },
    ],
    [
      '429 without capacity',
      { status: 429, body: google(429, 'q', errorInfo('MODEL_CAPACITY_EXHAUSTED'), retryInfo('2s')) },
      { reason: 'quota', retryAfterMs: 2_000, details: { errorReason: 'MODEL_CAPACITY_EXHAUSTED' } },
    ],
    [
      '429 without capacity, in words',
      { status: 429, body: google(429, 'You have exhausted your capacity on this model.') },
      { reason: 'quota', details: { errorReason: 'MODEL_CAPACITY_EXHAUSTED' } },
    ],
    ['499', { status: 499, body: google(499, 'The operation was cancelled.') }, { reason: 'rate_limited' }],
    ['500', { status: 500, body: google(500, 'internal') }, { reason: 'server' }],
    ['503', { status: 503, body: google(503, 'The model is overloaded.') }, { reason: 'server' }],
    [
      '503 with a delay',
      { status: 503, body: google(503, 'busy', retryInfo('4s')) },
      { reason: 'server', retryAfterMs: 4_000 },
    ],
    ['503 for an hour', { status: 503, retryAfter: '3600' }, { reason: 'quota', retryAfterMs: 3_600_000 }],
    [
      '503 with a quota',
      { status: 503, body: google(503, 'busy', quota(PER_MINUTE)) },
      { reason: 'rate_limited', retryAfterMs: 60_000, details: { quotaIds: [PER_MINUTE] } },
    ],
    ['504', { status: 504, statusText: 'Gateway Timeout' }, { reason: 'server', message: 'HTTP 504 Gateway Timeout' }],
    [
      'a web page',
      { status: 502, body: HTML, statusText: 'Bad Gateway' },
      { reason: 'server', message: 'HTTP 502 Bad Gateway: 502 Bad Gateway' },
    ],
    ['a web page without a title', { status: 500, body: '<h1>Oops</h1>' }, { reason: 'server', message: 'HTTP 500' }],
    [
      'plain text',
      { status: 500, body: 'upstream  connect\nerror' },
      { reason: 'server', message: 'HTTP 500: upstream connect error' },
    ],
    [
      'text without an end',
      { status: 500, body: 'x'.repeat(10_000) },
      { reason: 'server', message: `HTTP 500: ${'x'.repeat(500)}…` },
    ],
    [
      "another gateway's JSON",
      { status: 502, body: { message: 'no upstream' } },
      { reason: 'server', message: 'HTTP 502: no upstream' },
    ],
    [
      'a redirect',
      { status: 302, statusText: 'Found', location: 'https://b.example/login?key=1' },
      { reason: 'invalid_request', message: 'HTTP 302 Found: redirect to https://b.example/login not followed' },
    ],
  ])('%s', (_name, answer, expected) => {
    const actual = judge(answer);
    if (expected.reason === 'unauthorized') {
      expect(actual).toEqual({ status: 401, message: expect.any(String), ...expected });
      return;
    }
    expect(actual).toEqual({
      status: answer.status,
      retryable: RETRYABLE.has(expected.reason),
      retryAfterMs: undefined,
      details: {},
      message: actual.message,
      ...expected,
    });
  });

  it.each<[string, string]>([
    ['in an array', JSON.stringify([google(429, 'inner', retryInfo('5s'))])],
    ['with words around it', `got 429: ${JSON.stringify(google(429, 'inner', retryInfo('5s')))} (giving up)`],
    [
      'as the message of another error',
      JSON.stringify(google(500, JSON.stringify(google(429, 'inner', retryInfo('5s'))))),
    ],
    [
      'nested ten deep',
      Array.from({ length: 10 }).reduce<string>(
        (message) => JSON.stringify({ error: { code: 500, message } }),
        JSON.stringify(google(429, 'inner', retryInfo('5s'))),
      ),
    ],
    ['with doubled commas', JSON.stringify(google(429, 'inner', retryInfo('5s'))).replaceAll(',', ', ,')],
    ['with non-breaking spaces', JSON.stringify(google(429, 'inner', retryInfo('5s'))).replaceAll(':{', ':\u00a0{')],
    ['with spaces in its keys', JSON.stringify(google(429, 'inner', retryInfo('5s'))).replace('"@type"', '" @type "')],
  ])('finds the error object %s', (_name, body) => {
    expect(judge({ status: 429, body })).toEqual({
      reason: 'rate_limited',
      status: 429,
      retryable: true,
      retryAfterMs: 5_000,
      details: {},
      message: 'inner',
    });
  });

  it('takes details of the wrong shape for absent', () => {
    const details = [
      null,
      7,
      'x',
      { '@type': 3 },
      rpc('RetryInfo', { retryDelay: 5 }),
      rpc('QuotaFailure', { violations: [null, {}] }),
    ];
    expect(judge({ status: 429, body: { error: { code: '429', message: 'm', details } } })).toMatchObject({
      reason: 'rate_limited',
      message: 'm',
      retryAfterMs: undefined,
      details: {},
    });
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['5', 5_000],
    [' 1.5 ', 1_500],
    [new Date(NOW - 5_000).toUTCString(), 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j as %s ms', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });
});
