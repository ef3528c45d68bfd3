import { describe, expect, it } from 'vitest';
import { UnauthorizedError } from '../../protocol/errors.ts';
import type { FailedAnswer } from './failed-answer.ts';
import { findReportedError, judgeFailure, judgeStreamError } from './judge-failure.ts';

const NOW = Date.UTC(2026, 10, 17);
const openai = (message: string, type = 'invalid_request_error', code: string | number | null = null) => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'r' });

function judge(status: number, body: object | string, more: Partial<FailedAnswer> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return judgeFailure({ status, body: text, now: NOW, ...more }, findReportedError(text) ?? { types: [] });
}

describe('judgeFailure', () => {
  it.each<[string, number, object | string, object]>([
    [
      'OpenAI without credit',
      429,
      openai('You exceeded your current quota', 'insufficient_quota'),
      { reason: 'quota' },
    ],
    ['a spent balance', 402, openai('Insufficient Balance'), { reason: 'quota' }],
    ['Anthropic billing', 400, anthropic('billing_error', 'no credit'), { reason: 'quota' }],
    ['no permission', 403, anthropic('permission_error', 'not yours'), { reason: 'forbidden' }],
    ['an unknown model', 404, openai('no such model', 'x', 'model_not_found'), { reason: 'not_found' }],
    ['a model to be pulled', 400, { error: 'model "x" not found, try pulling it first' }, { reason: 'not_found' }],
    ['LM Studio without a model', 400, openai('No models loaded. Please load a model'), { reason: 'not_found' }],
    ['a timeout', 408, '', { reason: 'timeout' }],
    ['a gateway timeout', 504, '', { reason: 'timeout' }],
    ['a conflict', 409, anthropic('conflict_error', 'again'), { reason: 'server' }],
    ['an overloaded service', 529, anthropic('overloaded_error', 'Overloaded'), { reason: 'server' }],
    ['a missing feature', 501, openai('not supported'), { reason: 'invalid_request' }],
    [
      'FastAPI',
      422,
      { detail: [{ loc: ['body', 'x'], msg: 'bad' }] },
      { reason: 'invalid_request', message: 'body.x: bad' },
    ],
    ['Mistral', 400, { object: 'error', message: 'wrong', type: 'x' }, { reason: 'invalid_request', message: 'wrong' }],
    ['an array of one', 400, [{ error: { code: 400, message: 'inside' } }], { message: 'inside' }],
    ['xAI', 400, { code: 'some', error: 'text' }, { message: 'text' }],
    ['HTML', 502, '<html><title>Bad gateway</title></html>', { reason: 'server', message: 'HTTP 502: Bad gateway' }],
    ['nothing', 500, '', { reason: 'server', message: 'HTTP 500' }],
    [
      "a gateway's raw cause",
      400,
      {
        error: { code: 400, message: 'Provider returned error', metadata: { raw: '{"error":{"message":"too hot"}}' } },
      },
      { message: 'too hot' },
    ],
    [
      'LiteLLM',
      400,
      openai('litellm.BadRequestError: AnthropicException - {"error":{"type":"x","message":"the cause"}}'),
      { message: 'the cause' },
    ],
    [
      'the reasons of a moderation',
      403,
      { error: { code: 403, message: 'flagged', metadata: { reasons: ['violence', 'x'] } } },
      { reason: 'forbidden', message: 'flagged (violence, x)' },
    ],
  ])('classifies %s', (_name, status, body, expected) => {
    expect(judge(status, body)).toMatchObject({ status, ...expected });
  });

  it.each([
    'prompt is too long: 200001 tokens > 200000 maximum',
    "This model's maximum context length is 8192 tokens",
    'Your input exceeds the context window of this model.',
    'the request exceeds the available context size. try increasing it',
    'Please reduce the length of the messages or completion.',
    'The number of tokens to keep is greater than the context length',
    'Input is too long for requested model.',
    'Prompt contains 9000 tokens, too large for model with 8192 maximum context length',
    'Your request exceeded model token limit: 8192',
    'too many tokens',
  ])('takes "%s" for an overflow', (words) => {
    expect(judge(400, openai(words))).toMatchObject({ reason: 'context_overflow' });
  });

  it.each<[string, number, object, string]>([
    ['a rate limit in a 400', 400, openai('rate limit: too many tokens'), 'invalid_request'],
    ['413', 413, anthropic('request_too_large', 'big'), 'context_overflow'],
    ['413 per minute that fits', 413, openai('tokens per minute (TPM): Limit 6000, Requested 5000'), 'rate_limited'],
    [
      '413 per minute that never fits',
      413,
      openai('tokens per minute (TPM): Limit 6000, Requested 9000'),
      'context_overflow',
    ],
  ])('takes %s for what it is', (_name, status, body, reason) => {
    expect(judge(status, body)).toMatchObject({ reason });
  });

  it.each<[string, number, object]>([
    ['401', 401, openai('who?')],
    ["Anthropic's type", 403, anthropic('authentication_error', 'invalid x-api-key')],
    ['a code', 400, openai('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key')],
  ])('takes %s for refused credentials', (_name, status, body) => {
    expect(judge(status, body)).toBeInstanceOf(UnauthorizedError);
    expect(judge(status, body)).toMatchObject({ status });
  });

  it.each<[string, Partial<FailedAnswer>, string, number]>([
    ['seconds', { retryAfter: '2' }, 'slow', 2_000],
    ['decimals', { retryAfter: '2.5' }, 'slow', 2_500],
    ['a date', { retryAfter: new Date(NOW + 7_000).toUTCString() }, 'slow', 7_000],
    ['milliseconds, which win', { retryAfter: '9', headers: { 'retry-after-ms': '1200' } }, 'slow', 1_200],
    ['words', {}, 'Please try again in 900ms.', 900],
    ['words in seconds', {}, 'Please try again in 11.054s.', 11_054],
  ])('reads the delay from %s', (_name, more, words, retryAfterMs) => {
    const body = openai(words, 'rate_limit_exceeded');
    expect(judge(429, body, more)).toMatchObject({ reason: 'rate_limited', retryAfterMs });
  });

  it('names the address where nothing was found, without its query', () => {
    const url = new URL('http://127.0.0.1:1/v1/v1/chat?key=secret');
    expect(judge(404, openai('no route'), { url }).message).toBe(
      'no route (The request went to http://127.0.0.1:1/v1/v1/chat.)',
    );
  });

  it('takes an hour of waiting for spent, and says so', () => {
    const message = (time: string) =>
      `slow (The service asks to wait for ${time}; Castor waits for at most 5 minutes.)`;
    expect(judge(429, openai('slow'), { retryAfter: '3600' })).toMatchObject({
      reason: 'quota',
      message: message('60 minutes'),
    });
    expect(judge(429, openai('slow'), { retryAfter: '86400' }).message).toBe(message('24 hours'));
    expect(judge(429, openai('slow'), { retryAfter: '300' })).toMatchObject({
      reason: 'rate_limited',
      message: 'slow',
    });
  });

  it('makes an error final that the server says is', () => {
    expect(judge(500, openai('x'), { headers: { 'x-should-retry': 'false' } })).toMatchObject({ attempts: 1 });
  });

  it('expects a local server to repeat its failures, and to load its model for minutes', () => {
    expect(judge(500, openai('Failed to parse'), { isLocal: true })).toMatchObject({ reason: 'server', attempts: 2 });
    expect(judge(500, openai('Failed to parse'))).toMatchObject({ reason: 'server', attempts: undefined });
    const loading = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } };
    expect(judge(503, loading, { isLocal: true })).toMatchObject({
      reason: 'server',
      code: 'MODEL_LOADING',
      message: 'The model is being loaded: Loading model',
      retryAfterMs: 1_500,
      attempts: 400,
    });
  });
});

describe('judgeStreamError', () => {
  it.each<[object, string]>([
    [{ error: { type: 'overloaded_error', message: 'x' } }, 'server'],
    [{ error: { code: 429, message: 'x' } }, 'rate_limited'],
    [{ error: { code: 502, message: 'x' } }, 'server'],
    [{ error: { code: 'context_length_exceeded', message: 'x' } }, 'context_overflow'],
    [{ error: { code: 'insufficient_quota', message: 'x' } }, 'quota'],
    [{ error: { type: 'invalid_request_error', message: 'x' } }, 'invalid_request'],
    [{ error: { message: 'unheard of' } }, 'server'],
    [{ error: 'text alone' }, 'server'],
  ])('classifies %j as %s', (frame, reason) => {
    expect(judgeStreamError(findReportedError(frame)!)).toMatchObject({ reason });
  });

  it('has the status that the object names, and none that no server sent', () => {
    expect(judgeStreamError({ types: ['502'] })).toMatchObject({ status: 502 });
    for (const types of [[], ['overloaded_error'], ['rate_limit_error'], ['server_error']]) {
      const error = judgeStreamError({ types, message: 'Try again in 2s.' });
      expect(error).toHaveProperty('status', undefined);
      expect(error).toMatchObject({ message: 'Try again in 2s.', retryAfterMs: 2_000, retryable: true });
    }
    const refused = judgeStreamError({ types: ['authentication_error'] });
    expect(refused).toBeInstanceOf(UnauthorizedError);
    expect(refused).toHaveProperty('status', undefined);
    expect(judgeStreamError({ types: [] }, true)).toMatchObject({ reason: 'server', attempts: 2 });
  });
});
