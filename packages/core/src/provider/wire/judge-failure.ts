/**
 * Classifies a rejection of a provider other than Google by its status, its error type and its words. One table for all
 * of them: gateways pass each other's errors on. It is the only file beside gemini/errors.ts that may interpret the
 * wording of a message; every caller switches on `reason`.
 */

import { ApiError, type ApiErrorReason, MODEL_LOADING, UnauthorizedError } from '../../protocol/errors.ts';
import { isRecord } from '../../util/is-record.ts';
import { type FailedAnswer, askedDelayOf, describeAnswer, withAddress } from './failed-answer.ts';

/** What an error object says, whatever its shape on the wire. */
export interface ReportedError {
  message?: string | undefined;
  /** The error's `type`, `code` or class, in lower case. */
  types: readonly string[];
  /** Reasons a gateway lists beside the message. */
  reasons?: readonly string[] | undefined;
  /** The tokens of the window, where the error has a field for them. */
  window?: number | undefined;
}

/** A server that asks for a longer wait makes the error final. */
const MAX_WAIT_MS = 300_000;
/** A model may take ten minutes to load: 400 attempts of 1.5 s. */
const LOADING_ATTEMPTS = 400;
const LOADING_DELAY_MS = 1_500;
/** A server on this machine repeats its failures. */
const LOCAL_ATTEMPTS = 2;

const LOADING_WORDS = /\bloading model\b|\bmodel is (?:being )?load(?:ed|ing)\b/i;
const OVERFLOW_WORDS =
  /prompt is too long|exceeds the context window|context_length_exceeded|maximum context length|exceeds the available context size|input token count.*exceeds the maximum|maximum prompt length is|reduce the length of the messages|too large for model with \d+ maximum context|greater than the context length|exceeded model token limit|context window exceeds limit|exceeds the limit of \d+|input is too long for requested model|model_context_window_exceeded|request_too_large|token limit exceeded|too many tokens|exceed_context_size|\bn_ctx\b|context (?:size|length|window).{0,40}\bexceed|exceed.{0,40}\bcontext (?:size|length|window)/is;
/** Where a sentence about an overflow names the window; the first match counts. */
const WINDOW_WORDS: readonly RegExp[] = [
  /maximum context length (?:is|of) ([\d,]+)/i,
  /context size \(([\d,]+)(?: tokens)?\)/i,
  />\s*([\d,]+) maximum/i,
  /exceed context limit:.*>\s*([\d,]+)/i,
  /with ([\d,]+) maximum context/i,
  /maximum prompt length is ([\d,]+)/i,
  /context (?:length|window|size) (?:of|is) (?:only )?([\d,]+)/i,
  /model token limit:? ([\d,]+)/i,
  /maximum number of tokens allowed \(([\d,]+)\)/i,
  /exceeds the limit of ([\d,]+)/i,
];
/** A smaller number is not the window of a model. */
const LEAST_WINDOW = 512;
const NOT_OVERFLOW_WORDS = /rate limit|too many requests|throttling|service unavailable/i;
const PER_MINUTE_WORDS = /tokens per minute|\bTPM\b/i;
const NEVER_FITS_WORDS = /limit (\d+).*requested (\d+)/is;
const SPENT_TYPES: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_error',
  'enforced_spend_limit_reached',
  'insufficient_balance',
  'usage_not_included',
]);
const SPENT_WORDS =
  /insufficient (?:balance|credit|quota|funds)|exceeded your current quota|credit balance is too low/i;
const MISSING_MODEL_WORDS =
  /model.{0,80}\b(?:not found|does not exist|not exist)|try pulling it|no models? loaded|model unloaded/is;
const KEY_WORDS =
  /\b(?:invalid|incorrect|expired|missing|unknown) (?:x-)?api[ _-]?key|api[ _-]?key.{0,20}\b(?:invalid|not valid|expired)/i;

/** Throws nothing; a body without an error object is described by its status. */
export function judgeFailure(answer: FailedAnswer, error: ReportedError): ApiError | UnauthorizedError {
  const reasons = error.reasons?.length ? ` (${error.reasons.join(', ')})` : '';
  const message = `${error.message ?? describeAnswer(answer)}${reasons}`;
  if (isUnauthorized(answer.status, message, error.types))
    return new UnauthorizedError(message, { status: answer.status });
  const delayMs = askedDelayOf(answer, message);
  const reason = reasonOf(answer.status, message, error.types);
  const isLoading = answer.status === 503 && LOADING_WORDS.test(message);
  if (isLoading) {
    return new ApiError(`The model is being loaded: ${message}`, {
      reason: 'server',
      status: answer.status,
      code: MODEL_LOADING,
      attempts: LOADING_ATTEMPTS,
      retryAfterMs: delayMs ?? LOADING_DELAY_MS,
    });
  }
  const attempts = attemptsOf(answer, reason);
  const isTooLong = delayMs !== undefined && delayMs > MAX_WAIT_MS && reason !== 'context_overflow';
  const found = reason === 'not_found' ? withAddress(message, answer.url) : message;
  return new ApiError(isTooLong ? `${found} (${describeWait(delayMs)})` : found, {
    reason: isTooLong ? 'quota' : reason,
    status: answer.status,
    ...(delayMs !== undefined && { retryAfterMs: delayMs }),
    ...(attempts !== undefined && { attempts }),
    ...(reason === 'context_overflow' && namedWindow(error, message)),
  });
}

function describeWait(delayMs: number): string {
  const minutes = Math.ceil(delayMs / 60_000);
  const time = minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
  return `The service asks to wait for ${time}; Castor waits for at most ${MAX_WAIT_MS / 60_000} minutes.`;
}

function namedWindow({ window }: ReportedError, message: string): { window?: number } {
  const named = WINDOW_WORDS.map((words) => words.exec(message)?.[1]).find((number) => number !== undefined);
  const tokens = window ?? Number(named?.replaceAll(',', ''));
  return tokens >= LEAST_WINDOW ? { window: tokens } : {};
}

/**
 * The same for an error object inside a stream. Its type or code is judged as the status it is sent with elsewhere; the
 * error has a status only if the object names one, since the server's own was 200.
 */
export function judgeStreamError(error: ReportedError, isLocal = false): ApiError | UnauthorizedError {
  const named = namedStatus(error.types);
  const answer = { status: named ?? statusOf(error.types, error.message ?? ''), body: '', now: 0, isLocal };
  const judged = judgeFailure(answer, { message: 'The stream reported an error.', ...error });
  if (named !== undefined) return judged;
  if (judged instanceof UnauthorizedError) return new UnauthorizedError(judged.message, { status: undefined });
  const { message, status: _judgedAs, ...init } = judged;
  return new ApiError(message, init);
}

function isUnauthorized(status: number, message: string, types: readonly string[]): boolean {
  if (status === 401 || types.includes('authentication_error')) return true;
  return (status === 400 || status === 403) && (types.includes('invalid_api_key') || KEY_WORDS.test(message));
}

function reasonOf(status: number, message: string, types: readonly string[]): ApiErrorReason {
  if (types.some((type) => SPENT_TYPES.has(type)) || SPENT_WORDS.test(message)) return 'quota';
  if (status === 402) return 'quota';
  if (isOverflow(status, message, types)) return 'context_overflow';
  if (types.includes('overloaded_error') || types.includes('server_is_overloaded')) return 'server';
  switch (status) {
    case 403:
    case 407:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 408:
    case 504:
      return 'timeout';
    case 413:
    case 429:
      return 'rate_limited';
    case 409:
    case 498:
      return 'server';
    case 400:
    case 422:
      return MISSING_MODEL_WORDS.test(message) ? 'not_found' : 'invalid_request';
    case 501:
      return 'invalid_request';
    default:
      return status >= 300 && status < 500 ? 'invalid_request' : 'server';
  }
}

/** 413 is the window, unless the words name a limit per minute that a later request fits into. */
function isOverflow(status: number, message: string, types: readonly string[]): boolean {
  if (status === 413) {
    if (!PER_MINUTE_WORDS.test(message)) return true;
    const [, limit, requested] = NEVER_FITS_WORDS.exec(message) ?? [];
    return limit !== undefined && Number(requested) > Number(limit);
  }
  if (status !== 400 && status !== 422 && status !== 500) return false;
  const words = [message, ...types].join(' ');
  return OVERFLOW_WORDS.test(words) && !NOT_OVERFLOW_WORDS.test(words);
}

function attemptsOf({ headers = {}, status, isLocal }: FailedAnswer, reason: ApiErrorReason): number | undefined {
  if (headers['x-should-retry'] === 'false') return 1;
  return isLocal && status === 500 && reason === 'server' ? LOCAL_ATTEMPTS : undefined;
}

function namedStatus(types: readonly string[]): number | undefined {
  return types.map(Number).find((code) => code >= 400 && code < 600);
}

function statusOf(types: readonly string[], message: string): number {
  const byType: Readonly<Record<string, number>> = {
    authentication_error: 401,
    permission_error: 403,
    not_found_error: 404,
    model_not_found: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    timeout_error: 504,
    context_length_exceeded: 400,
    invalid_prompt: 400,
    cyber_policy: 400,
    bio_policy: 400,
    overloaded_error: 529,
  };
  const known = types.map((type) => byType[type]).find((status) => status !== undefined);
  if (known !== undefined) return known;
  if (types.some((type) => type.startsWith('invalid_'))) return 400;
  return OVERFLOW_WORDS.test(message) ? 400 : 500;
}

/**
 * Finds the error in a body of any provider: OpenAI's and Anthropic's object, Ollama's and xAI's text, Mistral's bare
 * object, FastAPI's list, an array of one, and gateways that pass another body on inside the message.
 */
export function findReportedError(body: unknown): ReportedError | undefined {
  const value: unknown = typeof body === 'string' ? parseOrUndefined(body) : body;
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(outer)) return undefined;
  const { error, detail } = outer;
  if (typeof error === 'string') return { message: error, types: typesOf(outer) };
  if (isRecord(error))
    return unwrap(
      { message: textOf(error['message']), types: typesOf(error), ...reasonsOf(error), ...windowOf(error) },
      error,
    );
  if (Array.isArray(detail)) return { message: detail.map(describeDetail).join('; '), types: [] };
  if (typeof detail === 'string') return { message: detail, types: [] };
  const message = textOf(outer['message']);
  return message === undefined ? undefined : { message, types: typesOf(outer) };
}

/** The real cause of a gateway's error: OpenRouter's `metadata.raw`, or JSON inside the message. */
function unwrap(outer: ReportedError, error: Record<string, unknown>): ReportedError {
  const { metadata } = error;
  const raw = isRecord(metadata) ? metadata['raw'] : undefined;
  const embedded = /\{.*\}/s.exec(outer.message ?? '')?.[0];
  const inner = findReportedError(raw) ?? (embedded === undefined ? undefined : findReportedError(embedded));
  const message = inner?.message ?? (typeof raw === 'string' && raw !== '' ? raw : undefined);
  if (message === undefined) return outer;
  return { ...outer, message, types: [...outer.types, ...(inner?.types ?? [])] };
}

function reasonsOf({ metadata }: Record<string, unknown>): { reasons?: string[] } {
  const reasons = isRecord(metadata) ? metadata['reasons'] : undefined;
  return Array.isArray(reasons) ? { reasons: reasons.filter((reason) => typeof reason === 'string') } : {};
}

function windowOf({ n_ctx: window }: Record<string, unknown>): { window?: number } {
  return typeof window === 'number' ? { window } : {};
}

function typesOf(error: Record<string, unknown>): string[] {
  const details = isRecord(error['details']) ? error['details']['error_code'] : undefined;
  return [error['type'], error['code'], error['status'], details]
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map((value) => String(value).toLowerCase());
}

function describeDetail(item: unknown): string {
  if (!isRecord(item)) return String(item);
  const place = Array.isArray(item['loc']) ? `${item['loc'].join('.')}: ` : '';
  return `${place}${textOf(item['msg']) ?? ''}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the caller describes the text itself.
    return undefined;
  }
}
