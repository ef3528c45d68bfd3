/**
 * What is tried again, how often and at what pace: the one table, as data. A
 * phase is where an attempt failed: while the service was asked (`connect`) or
 * after it had begun to answer (`stream`, whose attempts the chat counts).
 */

import {
  ApiError,
  type ApiErrorReason,
  InvalidStreamError,
  UnauthorizedError,
  isAbortError,
} from '../protocol/errors.ts';
import { classifyForeignError } from './foreign-error.ts';
import { isCapacityExhausted } from './gemini/errors.ts';

export type RetryPhase = 'connect' | 'stream';

export type RetryKind =
  | ApiErrorReason
  /** A `network` failure that says nobody is there: a wrong address, or no network at all. */
  | 'unreachable'
  /** A `quota` that is not ours to spend: the model has no room for anybody just now. */
  | 'no_capacity'
  | 'unauthorized'
  | 'aborted'
  | 'invalid_stream'
  /** An invalid stream that would come out the same again. */
  | 'blocked'
  /** Not a failure of a model provider. */
  | 'unknown';

export interface RetryRule {
  /** Whether the same request may be sent again. */
  retry: boolean;
  /** Whether, once it is not, another model may be asked for instead. */
  askFallback: boolean;
  /** With somebody to ask: the waits given to the same model before asking. */
  patienceMs?: readonly number[];
  /** The waits given to a service that never answered; one that did gets the whole budget. */
  firstContactMs?: readonly number[];
}

export interface RetryBudget {
  /** Counts the first attempt too. */
  maxAttempts: number;
  initialDelayMs: number;
  maxDelayMs: number;
}

export const RETRY_BUDGETS: Readonly<Record<RetryPhase, RetryBudget>> = {
  connect: { maxAttempts: 10, initialDelayMs: 5_000, maxDelayMs: 30_000 },
  stream: { maxAttempts: 4, initialDelayMs: 1_000, maxDelayMs: 30_000 },
};

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const AGAIN: RetryRule = { retry: true, askFallback: false };
const AGAIN_THEN_ASK: RetryRule = { retry: true, askFallback: true };
/** A mistyped address should be said in seconds; a gateway that is just starting is still met. */
const AGAIN_SOON: RetryRule = { retry: true, askFallback: false, firstContactMs: [1_000, 2_000, 4_000] };
const PATIENT_THEN_ASK: RetryRule = { retry: true, askFallback: true, patienceMs: [1_000, 3_000] };
const ASK: RetryRule = { retry: false, askFallback: true };
const NEVER: RetryRule = { retry: false, askFallback: false };

const RETRY_TABLE: Readonly<Record<RetryPhase, Readonly<Record<RetryKind, RetryRule>>>> = {
  connect: {
    rate_limited: AGAIN_THEN_ASK,
    server: AGAIN_THEN_ASK,
    network: AGAIN,
    unreachable: AGAIN_SOON,
    timeout: AGAIN_SOON,
    no_capacity: PATIENT_THEN_ASK,
    quota: ASK,
    not_found: ASK,
    invalid_request: NEVER,
    context_overflow: NEVER,
    forbidden: NEVER,
    unauthorized: NEVER,
    aborted: NEVER,
    invalid_stream: NEVER,
    blocked: NEVER,
    unknown: NEVER,
  },
  stream: {
    rate_limited: AGAIN,
    server: AGAIN,
    network: AGAIN,
    unreachable: AGAIN,
    timeout: AGAIN,
    no_capacity: AGAIN,
    quota: NEVER,
    not_found: NEVER,
    invalid_request: NEVER,
    context_overflow: NEVER,
    forbidden: NEVER,
    unauthorized: NEVER,
    aborted: NEVER,
    invalid_stream: AGAIN,
    blocked: NEVER,
    unknown: NEVER,
  },
};

/** The table's row for an error, ours or a foreign generator's. */
export function retryRule(phase: RetryPhase, error: unknown): RetryRule {
  return RETRY_TABLE[phase][retryKind(error)];
}

export function retryKind(error: unknown): RetryKind {
  if (isAbortError(error)) return 'aborted';
  if (error instanceof InvalidStreamError) return error.retryable ? 'invalid_stream' : 'blocked';
  const classified = classifyForeignError(error);
  if (classified instanceof ApiError) return apiErrorKind(classified);
  return classified instanceof UnauthorizedError ? 'unauthorized' : 'unknown';
}

/** Whether the connection failed, rather than who is at its other end. */
export function isNetworkFailure(error: unknown): boolean {
  const kind = retryKind(error);
  return kind === 'network' || kind === 'unreachable';
}

function apiErrorKind(error: ApiError): RetryKind {
  if (isCapacityExhausted(error)) return 'no_capacity';
  return error.reason === 'network' && UNREACHABLE_CODES.has(error.code ?? '') ? 'unreachable' : error.reason;
}
