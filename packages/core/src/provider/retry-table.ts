/**
 * The retry table, as data: which failures are retried, how often and with which delays. A phase is where an attempt
 * failed: before the service accepted the request (`connect`) or after it started to answer (`stream`, whose attempts
 * the chat counts).
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
  /** A `network` failure without a server at the address: a wrong address, or no network at all. */
  | 'unreachable'
  /** A `quota` failure that does not depend on this caller: the model has no capacity at the moment. */
  | 'no_capacity'
  | 'unauthorized'
  | 'aborted'
  | 'invalid_stream'
  /** An invalid stream that a retry would repeat. */
  | 'blocked'
  /** Not a failure of a model provider. */
  | 'unknown';

export interface RetryRule {
  /** Whether the same request may be retried. */
  retry: boolean;
  /** Whether, after the last retry, a fallback to another model may be offered. */
  askFallback: boolean;
  /** With a fallback to offer: the delays for the same model before offering it. */
  patienceMs?: readonly number[];
  /** The delays for a service that never answered; one that has answered gets the whole budget. */
  firstContactMs?: readonly number[];
}

export interface RetryBudget {
  /** Includes the first attempt. */
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
/** A mistyped address must be reported within seconds; a gateway that is just starting must still be reached. */
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

/** The table's row for an error, ours or a third-party generator's. */
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

/**
 * The attempts an error is worth, the first included: many for a server that loads a model, few for one that repeats its
 * failures. A limit below the default is the caller's and holds.
 */
export function attemptsFor(error: unknown, limit: number): number {
  const { attempts = limit } = error instanceof ApiError ? error : {};
  return limit < RETRY_BUDGETS.connect.maxAttempts ? Math.min(attempts, limit) : attempts;
}

/** Whether the connection itself failed, as opposed to the server rejecting the request. */
export function isNetworkFailure(error: unknown): boolean {
  const kind = retryKind(error);
  return kind === 'network' || kind === 'unreachable';
}

function apiErrorKind(error: ApiError): RetryKind {
  if (isCapacityExhausted(error)) return 'no_capacity';
  return error.reason === 'network' && UNREACHABLE_CODES.has(error.code ?? '') ? 'unreachable' : error.reason;
}
