/**
 * Classifies an answer that reports a failure as an error of the taxonomy. It is the only file that may interpret the
 * wording of a message; every caller switches on `reason` and `details`.
 */

import { ApiError, type ApiErrorReason, UnauthorizedError } from '../../protocol/errors.ts';
import { type GoogleError, findGoogleError, parseDuration } from './google-error.ts';
import { type FailedAnswer, askedDelayOf, describeAnswer, withAddress } from '../wire/failed-answer.ts';

/** A server that asks for a longer wait makes the error final. */
const MAX_WAIT_MS = 300_000;
const PER_MINUTE_WAIT_MS = 60_000;

const CLOUD_CODE_DOMAIN = /^(?:staging-|autopush-)?cloudcode-pa\.(?:sandbox\.)?googleapis\.com$/;
const CAPACITY_REASONS: ReadonlySet<string> = new Set(['MODEL_CAPACITY_EXHAUSTED', 'MODEL_CAPACITY_EXCEEDED']);
const CAPACITY_WORDS = /exhausted your capacity|capacity exceeded|MODEL_CAPACITY_EXHAUSTED/i;
const NO_QUOTA_WORDS = /\blimit: 0(?![\d.])/;
const RETRY_IN_WORDS = /please retry in (\d+(?:\.\d+)?(?:ms|s))\b/i;
/** API_KEY_INVALID, and its variants for keys that are blocked or restricted to other callers. */
const KEY_REASON = /^API_KEY_/;
const KEY_WORDS = /\b(?:api[ _-]?)?keys?\b/i;
const INVALID_KEY_WORDS =
  /\bapi[ _-]?key (?:is |was |has )?(?:not valid|invalid|expired|not found|revoked)|\b(?:invalid|expired|unknown) api[ _-]?key\b/i;
const TOO_MANY_TOKENS_WORDS = /input token count\b.*\bexceeds the maximum/is;

export function toModelError(answer: FailedAnswer): ApiError | UnauthorizedError {
  const google = findGoogleError(answer.body) ?? { details: {} };
  const retryDelayMs = google.retryDelayMs ?? askedDelayOf(answer, '');
  return classifyGoogleError(answer.status, {
    ...google,
    message: withForeignAddress(google.message ?? describeAnswer(answer), answer),
    ...(retryDelayMs !== undefined && { retryDelayMs }),
  });
}

/** Behind another address than Google's, a path may be missing instead of a model. */
function withForeignAddress(message: string, { status, url }: FailedAnswer): string {
  const isForeign = status === 404 && url !== undefined && !url.hostname.endsWith('.googleapis.com');
  return isForeign ? withAddress(message, url) : message;
}

/** The same for an error object inside a stream, or thrown by a client library. */
export function classifyGoogleError(status: number, error: GoogleError, cause?: unknown): ApiError | UnauthorizedError {
  const message = error.message ?? `HTTP ${status}`;
  if (refusesCredentials(status, message, error.details.errorReason)) {
    return new UnauthorizedError(message, { status, ...(cause !== undefined && { cause }) });
  }
  const delayMs = error.retryDelayMs ?? parseDuration(RETRY_IN_WORDS.exec(message)?.[1]);
  const verdict = judge(status, message, { ...error, ...(delayMs !== undefined && { retryDelayMs: delayMs }) });
  const outOfCapacity = verdict.reason === 'quota' && CAPACITY_WORDS.test(message);
  return new ApiError(message, {
    ...verdict,
    status,
    details: outOfCapacity ? { errorReason: 'MODEL_CAPACITY_EXHAUSTED', ...error.details } : error.details,
    ...(cause !== undefined && { cause }),
  });
}

/** Other 400s and 403s concern the request, or the permissions of an accepted key. */
function refusesCredentials(status: number, message: string, errorReason = ''): boolean {
  if (status === 401) return true;
  if (status === 400) return errorReason === 'API_KEY_INVALID' || INVALID_KEY_WORDS.test(message);
  return status === 403 && (KEY_REASON.test(errorReason) || KEY_WORDS.test(message));
}

interface Verdict {
  reason: ApiErrorReason;
  retryAfterMs?: number;
}

function judge(status: number, message: string, error: GoogleError): Verdict {
  switch (status) {
    case 403:
    case 407:
      return { reason: 'forbidden' };
    case 404:
      return { reason: 'not_found' };
    case 413:
      return { reason: 'context_overflow' };
    case 400:
      return { reason: TOO_MANY_TOKENS_WORDS.test(message) ? 'context_overflow' : 'invalid_request' };
    case 408:
      return waiting('timeout', error.retryDelayMs);
    case 429:
    case 499:
      return judgeQuota('rate_limited', message, error);
    case 503:
      return judgeQuota('server', message, error);
    default:
      return status >= 300 && status < 500 ? { reason: 'invalid_request' } : waiting('server', error.retryDelayMs);
  }
}

/** `otherwise` is the meaning of the status when no detail is more specific. */
function judgeQuota(otherwise: 'rate_limited' | 'server', message: string, error: GoogleError): Verdict {
  const { errorReason = '', quotaIds = [], metadata = {} } = error.details;
  const delayMs = error.retryDelayMs;
  if (isSpent(message, error)) return { reason: 'quota' };
  if (CAPACITY_REASONS.has(errorReason)) return waiting('quota', delayMs);
  if ([...quotaIds, metadata['quota_limit']].some((name) => name?.includes('PerMinute'))) {
    return waiting('rate_limited', delayMs ?? PER_MINUTE_WAIT_MS);
  }
  if (delayMs !== undefined) return waiting(quotaIds.length > 0 ? 'rate_limited' : otherwise, delayMs);
  return { reason: CAPACITY_WORDS.test(message) ? 'quota' : otherwise };
}

/** Whether the quota is exhausted for longer than `MAX_WAIT_MS`. */
function isSpent(message: string, { details, retryDelayMs }: GoogleError): boolean {
  const { errorReason = '', domain = '', quotaIds = [] } = details;
  if (NO_QUOTA_WORDS.test(message) || errorReason === 'INSUFFICIENT_G1_CREDITS_BALANCE') return true;
  if (quotaIds.some((quotaId) => /PerDay|Daily/.test(quotaId))) return true;
  if (!CLOUD_CODE_DOMAIN.test(domain)) return false;
  return errorReason === 'QUOTA_EXHAUSTED' || (errorReason === 'RATE_LIMIT_EXCEEDED' && retryDelayMs === undefined);
}

function waiting(reason: ApiErrorReason, delayMs: number | undefined): Verdict {
  if (delayMs === undefined) return { reason };
  return { reason: delayMs > MAX_WAIT_MS ? 'quota' : reason, retryAfterMs: delayMs };
}

/**
 * Whether the model has no capacity for any caller at the moment, as opposed to this caller's quota being exhausted.
 */
export function isCapacityExhausted(error: ApiError): boolean {
  return error.reason === 'quota' && CAPACITY_REASONS.has(error.details.errorReason ?? '');
}

/** The two messages by which a third-party client reports a broken connection, with the label of each. */
const BROKEN_CONNECTION_WORDS = [
  { words: 'fetch failed', code: 'FETCH_FAILED' },
  { words: 'incomplete json segment', code: 'INCOMPLETE_JSON' },
];

export function brokenConnectionCode(message: string): string | undefined {
  const lowerCase = message.toLowerCase();
  return BROKEN_CONNECTION_WORDS.find(({ words }) => lowerCase.includes(words))?.code;
}
