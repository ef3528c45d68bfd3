/**
 * The taxonomy of failures, as classes that serialise to `StructuredError`. Raw errors are classified once, where
 * they are created; code above that point switches on `reason` or `type` and never reads a message.
 */

import type { ToolErrorType } from './tools.ts';

/** The JSON form of an error. */
export interface StructuredError {
  message: string;
  status?: number | undefined;
  /** The kind of failure, for consumers that decide on it. */
  reason?: ApiErrorReason | 'unauthorized' | 'budget_exceeded' | InvalidStreamErrorType;
  retryable?: boolean;
  /** The number of attempts, when there was more than one. */
  attempts?: number;
  /** The tokens of the model's window, where the rejection named them. */
  window?: number;
}

abstract class CastorError extends Error {
  /** Set by hand in every class: scripts and users read it, and a bundler may rename classes. */
  abstract override readonly name: string;

  toJSON(): StructuredError {
    return toStructuredError(this);
  }
}

export type ApiErrorReason =
  /** Too many requests at the moment; worth waiting. */
  | 'rate_limited'
  /** Out of quota for longer than is worth waiting, or the model has no capacity for this caller. */
  | 'quota'
  | 'server'
  /** The connection failed or broke, or the data on it was not an answer. */
  | 'network'
  | 'timeout'
  | 'invalid_request'
  /** The conversation exceeds the model's window. */
  | 'context_overflow'
  | 'forbidden'
  /** The model, or the path, does not exist there. */
  | 'not_found';

const RETRYABLE_REASONS: ReadonlySet<ApiErrorReason> = new Set<ApiErrorReason>([
  'rate_limited',
  'server',
  'network',
  'timeout',
]);

/** google.rpc error details, reduced to the fields that decisions depend on. */
export interface GoogleErrorDetails {
  /** ErrorInfo.reason, for example `RATE_LIMIT_EXCEEDED`. */
  errorReason?: string;
  /** ErrorInfo.domain. */
  domain?: string;
  metadata?: Record<string, string>;
  /** QuotaFailure.violations[].quotaId. */
  quotaIds?: string[];
  /** Help.links. */
  links?: { description?: string; url: string }[];
}

export interface ApiErrorInit {
  reason: ApiErrorReason;
  status?: number;
  /** The delay the server asked for. */
  retryAfterMs?: number;
  /** The number of attempts worth making, the first included, where it is not the usual one. */
  attempts?: number;
  /** The tokens of the model's window, where a `context_overflow` names them. */
  window?: number;
  /** The system's code for a failed connection, for example `ECONNRESET`. */
  code?: string;
  details?: GoogleErrorDetails;
  cause?: unknown;
}

/** The `code` of a rejection by a server that is still loading the model. */
export const MODEL_LOADING = 'MODEL_LOADING';

/** A request to a model provider failed. */
export class ApiError extends CastorError {
  override readonly name = 'ApiError';
  readonly reason: ApiErrorReason;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly attempts?: number;
  readonly window?: number;
  readonly code?: string;
  readonly details: GoogleErrorDetails;

  constructor(message: string, init: ApiErrorInit) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.reason = init.reason;
    if (init.status !== undefined) this.status = init.status;
    if (init.retryAfterMs !== undefined) this.retryAfterMs = init.retryAfterMs;
    if (init.attempts !== undefined) this.attempts = init.attempts;
    if (init.window !== undefined) this.window = init.window;
    if (init.code !== undefined) this.code = init.code;
    this.details = init.details ?? {};
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return RETRYABLE_REASONS.has(this.reason);
  }
}

/** The credentials were rejected. The only error that leaves `Turn.run` as an exception. */
export class UnauthorizedError extends CastorError {
  override readonly name = 'UnauthorizedError';
  /** Some services reject a key with 400 or 403. Absent where no server answered with one. */
  readonly status: number | undefined;

  /** Without the option `status`, the status is 401. */
  constructor(message?: string, options: ErrorOptions & { status?: number | undefined } = {}) {
    super(message, options);
    this.status = 'status' in options ? options.status : 401;
  }
}

/** A limit of the session is exhausted; the request was not sent. */
export class BudgetExceededError extends CastorError {
  override readonly name = 'BudgetExceededError';
}

/** The result of `toFriendlyError` for a third-party 400. */
export class BadRequestError extends CastorError {
  override readonly name = 'BadRequestError';
  readonly status = 400;
}

/** The result of `toFriendlyError` for a third-party 403. */
export class ForbiddenError extends CastorError {
  override readonly name = 'ForbiddenError';
  readonly status = 403;
}

/** The account was suspended for violating the terms of service. */
export class AccountSuspendedError extends CastorError {
  override readonly name = 'AccountSuspendedError';
  readonly status = 403;
  readonly appealUrl: string | undefined;
  readonly appealLinkText: string | undefined;

  constructor(message: string, metadata: Record<string, string> = {}, options?: ErrorOptions) {
    super(message, options);
    this.appealUrl = metadata['appeal_url'];
    this.appealLinkText = metadata['appeal_url_link_text'];
  }
}

export type InvalidStreamErrorType =
  | 'NO_FINISH_REASON'
  | 'NO_RESPONSE_TEXT'
  | 'MALFORMED_FUNCTION_CALL'
  | 'UNEXPECTED_TOOL_CALL'
  | 'MAX_TOKENS_EXCEEDED'
  | 'SAFETY_BLOCKED'
  | 'RECITATION_BLOCKED'
  | 'OTHER_BLOCKED'
  | 'THINKING_ONLY_RESPONSE'
  /** The answer does not match the schema that the caller wants, also after it was asked for again. */
  | 'INVALID_ANSWER';

/** The service's policy blocked the answer; a retry would be blocked too. */
const BLOCKED_TYPES: ReadonlySet<InvalidStreamErrorType> = new Set<InvalidStreamErrorType>([
  'SAFETY_BLOCKED',
  'RECITATION_BLOCKED',
  'OTHER_BLOCKED',
]);

/** The stream arrived, but it is not an acceptable turn. */
export class InvalidStreamError extends CastorError {
  override readonly name = 'InvalidStreamError';
  readonly type: InvalidStreamErrorType;
  readonly retryable: boolean;

  constructor(message: string, type: InvalidStreamErrorType, retryable = !BLOCKED_TYPES.has(type)) {
    super(message);
    this.type = type;
    this.retryable = retryable;
  }
}

/** A call failed in a way the model should read. */
export class ToolError extends CastorError {
  override readonly name = 'ToolError';
  readonly type: ToolErrorType;
  /** The message for the user, where it differs from the model's. */
  readonly display: string | undefined;

  constructor(message: string, type: ToolErrorType, options: ErrorOptions & { display?: string } = {}) {
    super(message, options);
    this.type = type;
    this.display = options.display;
  }
}

/** The contents of a request are not a conversation the service accepts: a bug of ours, never sent. */
export class IllegalConversationError extends CastorError {
  override readonly name = 'IllegalConversationError';
}

export function isAbortError(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'CanceledError');
}

export function getErrorMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (typeof error === 'string') return error;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

/** The HTTP status an error carries, if any: `status`, else `response.status`, else a numeric `code`. */
export function extractStatusCode(error: unknown): number | undefined {
  const { status, response, code } = (error ?? {}) as {
    status?: unknown;
    response?: { status?: unknown };
    code?: unknown;
  };
  return [status, response?.status, code].find((value) => typeof value === 'number');
}

/** The only conversion of an error to JSON. */
export function toStructuredError(error: unknown): StructuredError {
  const structured: StructuredError = { message: getErrorMessage(error) };
  const { status } = (error ?? {}) as { status?: unknown };
  if (typeof status === 'number') structured.status = status;
  if (error instanceof ApiError) {
    structured.reason = error.reason;
    structured.retryable = error.retryable;
    if (error.window !== undefined) structured.window = error.window;
  } else if (error instanceof UnauthorizedError) {
    structured.reason = 'unauthorized';
    structured.retryable = false;
  } else if (error instanceof BudgetExceededError) {
    structured.reason = 'budget_exceeded';
    structured.retryable = false;
  } else if (error instanceof InvalidStreamError) {
    structured.reason = error.type;
    structured.retryable = error.retryable;
  }
  return structured;
}

/**
 * Converts errors of a third-party `ContentGenerator` in the shape of the Google client libraries
 * (`response.data.error`) into named ones. Our own errors pass unchanged, as does everything not recognised.
 */
export function toFriendlyError(error: unknown): unknown {
  if (error instanceof CastorError) return suspendedAccount(error) ?? error;
  const { code, message } = foreignError(error);
  if (message === undefined) return error;
  switch (code) {
    case 400:
      return new BadRequestError(message, { cause: error });
    case 401:
      return new UnauthorizedError(message, { cause: error });
    case 403:
      return new ForbiddenError(message, { cause: error });
    default:
      return error;
  }
}

function suspendedAccount(error: CastorError): AccountSuspendedError | undefined {
  if (!(error instanceof ApiError) || error.status !== 403) return undefined;
  if (error.details.errorReason !== 'TOS_VIOLATION') return undefined;
  return new AccountSuspendedError(error.message, error.details.metadata, { cause: error });
}

function foreignError(error: unknown): { code?: number; message?: string } {
  const { response } = (error ?? {}) as { response?: { data?: unknown } };
  const data = typeof response?.data === 'string' ? parseObject(response.data) : response?.data;
  const { code, message } = ((data ?? {}) as { error?: { code?: unknown; message?: unknown } }).error ?? {};
  return {
    ...(typeof code === 'number' && { code }),
    ...(typeof message === 'string' && { message }),
  };
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A body that is not JSON names no error; the caller keeps the original.
    return undefined;
  }
}
