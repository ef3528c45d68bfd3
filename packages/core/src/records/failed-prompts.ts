/**
 * Prompts that failed at their first request: reads their record, and decides which of them a resumed session sends
 * with its next request. Pure.
 */

import type { StructuredError } from '../protocol/errors.ts';
import type { FailureFacts, SessionMessage } from './session-file.ts';
import { toStoredParts } from './session-parts.ts';

/** The request was too long, or the service blocks this prompt: a session that kept it could send nothing more. */
const REJECTIONS: ReadonlySet<unknown> = new Set<StructuredError['reason']>([
  'context_overflow',
  'SAFETY_BLOCKED',
  'RECITATION_BLOCKED',
  'OTHER_BLOCKED',
]);

/** The message for a record of any shape; undefined for one without an id and text. */
export function readFailedPrompt(record: Readonly<Record<string, unknown>>): SessionMessage | undefined {
  const { id, text, media, displayContent, error, reason, model } = record;
  if (typeof id !== 'string' || typeof text !== 'string') return undefined;
  const shown = toStoredParts(displayContent);
  // An invalid request may be invalid because of its media, never because of its words.
  const isSent = Array.isArray(media) && reason !== 'invalid_request';
  return {
    id,
    type: 'user',
    ...(shown.length > 0 && { displayContent: shown }),
    content: [{ text }, ...(isSent ? toStoredParts(media) : [])],
    isInterrupted: true,
    failure: typeof error === 'string' ? error : '',
    failureFacts: toFailureFacts(record),
    ...(typeof model === 'string' && { model }),
    ...(REJECTIONS.has(reason) && { isRejected: true }),
  };
}

/** Undefined for a prompt that did not fail. */
export function failureFrom({ failure, failureFacts }: SessionMessage): StructuredError | undefined {
  return failure === undefined ? undefined : { message: failure, ...failureFacts };
}

/** Drops facts of an invalid type. */
export function toFailureFacts({ reason, status, attempts }: Readonly<Record<string, unknown>>): FailureFacts {
  return {
    ...(typeof reason === 'string' && { reason: reason as NonNullable<FailureFacts['reason']> }),
    ...(typeof status === 'number' && { status }),
    ...(typeof attempts === 'number' && { attempts }),
  };
}

/**
 * The failed prompts since the last answer, by their id, as messages that are part of the conversation. One before an
 * answer is left out: the user went on without it.
 */
export function failedPromptsToSend(
  messages: readonly SessionMessage[],
  sessionId: string,
): ReadonlyMap<string, SessionMessage> {
  const since = messages.slice(messages.findLastIndex(({ type }) => type === 'gemini') + 1);
  const failed = since.filter(
    ({ isInterrupted, failure, isRejected }) => isInterrupted && failure !== undefined && !isRejected,
  );
  return new Map(
    failed.map(({ isInterrupted: _nowSent, ...message }) => {
      // Marks it as a prompt, also one that starts as a slash command does.
      return [message.id, { ...message, prompt_id: `${sessionId}########${message.id}` }];
    }),
  );
}
