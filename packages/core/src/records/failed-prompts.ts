/**
 * Prompts that failed at their first request: their record, and which of them a resumed session sends with its next
 * request. Pure.
 */

import type { Part } from '../protocol/content.ts';
import { getErrorMessage, toStructuredError } from '../protocol/errors.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { ownWords } from './resumable-content.ts';
import type { SessionMessage } from './session-file.ts';
import { toStoredParts } from './session-parts.ts';

export interface FailedPrompt {
  id: string;
  /** The text as it was to be sent. */
  text: string;
  /** With its media, unless the service rejected the request as invalid. */
  content?: Part[];
  displayContent?: SessionMessage['displayContent'];
  error: string;
  /** A later request with this prompt would fail as well. */
  isRejected?: true;
}

/** The request was too long, or the service blocks this prompt: a session that kept it could send nothing more. */
const REJECTIONS: ReadonlySet<StructuredError['reason']> = new Set([
  'context_overflow',
  'SAFETY_BLOCKED',
  'RECITATION_BLOCKED',
  'OTHER_BLOCKED',
] as const);

/** Undefined when the message does not hold the user's own text. */
export function toFailedPrompt(sent: SessionMessage, error: unknown): FailedPrompt | undefined {
  // Record the text that was to be sent: a retry sends the same.
  const { displayContent, ...message } = sent;
  const text = ownWords(message);
  if (text === undefined) return undefined;
  const { reason } = toStructuredError(error);
  const media = toStoredParts(message.content).filter((part) => part.text === undefined);
  // An invalid request may be invalid because of its media, never because of its words.
  const isWhole = media.length > 0 && reason !== 'invalid_request';
  return {
    id: `failed-${sent.id}`,
    text,
    ...(isWhole && { content: [{ text }, ...media] }),
    ...(displayContent !== undefined && { displayContent }),
    error: getErrorMessage(error),
    ...(REJECTIONS.has(reason) && { isRejected: true }),
  };
}

/** The message for a record of any shape; undefined for one without an id and text. */
export function readFailedPrompt(record: Readonly<Record<string, unknown>>): SessionMessage | undefined {
  const { id, text, content, displayContent, error, isRejected } = record;
  if (typeof id !== 'string' || typeof text !== 'string') return undefined;
  const parts = toStoredParts(content);
  const shown = toStoredParts(displayContent);
  return {
    id,
    type: 'user',
    ...(shown.length > 0 && { displayContent: shown }),
    content: parts.length > 0 ? parts : [{ text }],
    isInterrupted: true,
    failure: typeof error === 'string' ? error : '',
    ...(isRejected === true && { isRejected }),
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
  const failed = since.filter(({ isInterrupted, failure, isRejected }) => isInterrupted && failure !== undefined && !isRejected);
  return new Map(
    failed.map(({ isInterrupted: _nowSent, ...message }) => {
      // Marks it as a prompt, also one that starts as a slash command does.
      return [message.id, { ...message, prompt_id: `${sessionId}########${message.id}` }];
    }),
  );
}
