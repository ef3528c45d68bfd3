/**
 * Classifies errors of a third-party ContentGenerator into our taxonomy: a client library's error with a status, a
 * wrapped Google error object, or a broken connection. Errors of the taxonomy pass through unchanged.
 */

import {
  ApiError,
  InvalidStreamError,
  UnauthorizedError,
  extractStatusCode,
  getErrorMessage,
} from '../protocol/errors.ts';
import { brokenConnectionCode, classifyGoogleError } from './gemini/errors.ts';
import { findGoogleError } from './gemini/google-error.ts';
import { findNetworkCode } from './network-codes.ts';

/** Undefined when the error is not a failure of a model provider: most likely a bug. */
export function classifyForeignError(error: unknown): ApiError | UnauthorizedError | undefined {
  if (error instanceof ApiError || error instanceof UnauthorizedError) return error;
  if (error instanceof InvalidStreamError) return undefined;
  const google = findGoogleError(error);
  const status = extractStatusCode(error) ?? google?.code;
  if (status !== undefined && status >= 400) {
    return classifyGoogleError(status, { message: getErrorMessage(error), details: {}, ...google }, error);
  }
  const message = getErrorMessage(error);
  const code = findNetworkCode(error) ?? brokenConnectionCode(message);
  return code === undefined ? undefined : new ApiError(message, { reason: 'network', code, cause: error });
}

/** A short label for the cause of a failed attempt, for logs and retry notices. */
export function getRetryErrorType(error: unknown): string {
  if (error instanceof InvalidStreamError) return 'INVALID_CONTENT';
  const classified = classifyForeignError(error);
  if (classified instanceof ApiError && classified.code !== undefined) return classified.code;
  const { status } = classified ?? {};
  if (status === 429) return 'QUOTA_EXCEEDED';
  if (status !== undefined && status >= 500 && status < 600) return 'SERVER_ERROR';
  if (status !== undefined) return `HTTP_${status}`;
  if (classified instanceof ApiError) return classified.reason.toUpperCase();
  return error instanceof Error && error.name !== '' ? error.name : 'UNKNOWN';
}
