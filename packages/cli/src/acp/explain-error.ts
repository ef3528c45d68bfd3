/** An error as one of the protocol: what the user can fix is a sentence, anything else is a bug. */

import { RequestError } from '@agentclientprotocol/sdk';
import { SessionError } from '@castor/core';
import { describeSessionError } from './editor-hints.ts';
import { AUTH_REQUIRED, failureOf, PromptFailure } from './prompt-result.ts';

export function explainError(error: unknown): RequestError {
  const cause = error instanceof Error && error.cause instanceof SessionError ? error.cause : error;
  if (cause instanceof SessionError) {
    const details = describeSessionError(cause);
    return RequestError.internalError({ details }, details);
  }
  if (isOurs(error)) return toRequestError(failureOf(error));
  // A sentence that is not wrapped, for example about a mode or a model.
  if (error instanceof Error && error.name === 'Error' && error.cause === undefined)
    return RequestError.internalError({ details: error.message }, error.message);
  return toRequestError(failureOf(error));
}

function isOurs(error: unknown): boolean {
  return (
    error instanceof PromptFailure ||
    (error instanceof Error && ['ExitError', 'UnauthorizedError'].includes(error.name))
  );
}

function toRequestError({ code, message }: PromptFailure): RequestError {
  return new RequestError(code, message, code === AUTH_REQUIRED ? { authRequired: true } : { details: message });
}
