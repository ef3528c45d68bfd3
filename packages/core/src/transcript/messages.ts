/**
 * Words the sentences for users on how an answer or a prompt ended. Tables and pure functions, shared by the fold and
 * by surfaces without a transcript.
 */

import type { Outcome, PromptEndedEvent } from '../protocol/agent-events.ts';
import { FinishReason } from '../protocol/content.ts';
import type { InvalidStreamErrorType } from '../protocol/errors.ts';
import { CompressionStatus } from '../protocol/events.ts';
import { describeRequestFailure } from '../protocol/failure-sentence.ts';
import type {
  AgentExecutionValue,
  ChatCompressionInfo,
  ContextWindowWillOverflowValue,
  InvalidStreamEventValue,
} from '../protocol/events.ts';

export const REQUEST_CANCELLED = 'Request cancelled.';
export const CONTEXT_CLEARED = 'The conversation was cleared.';
export const LOOP_DETECTED =
  'A loop was detected: the model repeated itself even after a warning. Castor stopped the request.';
export const MAX_TURNS_REACHED =
  'This session reached its turn limit. Raise model.maxSessionTurns in the settings to continue.';
export const WITHDRAWN_BY_RETRY = 'The text above was withdrawn: the attempt failed and the answer starts again.';
export const WITHDRAWN_BY_FAILURE = 'The text above was withdrawn: the answer failed before it was complete.';

const FINISH_TEXTS: Readonly<Record<string, string>> = {
  [FinishReason.MAX_TOKENS]: 'it reached the limit of output tokens',
  [FinishReason.SAFETY]: 'a safety filter stopped it',
  [FinishReason.RECITATION]: 'it recited protected material',
  [FinishReason.LANGUAGE]: 'the model does not support its language',
  [FinishReason.BLOCKLIST]: 'it contained a forbidden term',
  [FinishReason.PROHIBITED_CONTENT]: 'it contained prohibited content',
  [FinishReason.SPII]: 'it contained sensitive personal information',
  [FinishReason.OTHER]: 'the service gave no reason',
  [FinishReason.MALFORMED_FUNCTION_CALL]: 'the model made a malformed tool call',
  [FinishReason.UNEXPECTED_TOOL_CALL]: 'the model called an unknown tool',
  [FinishReason.IMAGE_SAFETY]: 'a safety filter stopped an image',
  [FinishReason.IMAGE_PROHIBITED_CONTENT]: 'an image contained prohibited content',
  [FinishReason.NO_IMAGE]: 'the model created no image',
};

/** Why an answer is incomplete; undefined for one that ended normally. */
export function describeFinishReason(reason: FinishReason | undefined): string | undefined {
  if (reason === undefined || reason === FinishReason.STOP) return undefined;
  if (reason === FinishReason.FINISH_REASON_UNSPECIFIED) return undefined;
  return `The response was cut short: ${FINISH_TEXTS[reason] ?? 'the service named an unknown reason'} (${reason}).`;
}

const INVALID_STREAM_TEXTS: Partial<Record<InvalidStreamErrorType, string>> = {
  NO_RESPONSE_TEXT: 'The model sent an empty response, without text or thoughts. This may be temporary: try again.',
  THINKING_ONLY_RESPONSE:
    'The model sent thoughts but no answer. The conversation may be too long for it: compress it and try again.',
  MAX_TOKENS_EXCEEDED:
    'The response reached the token limit before any answer. Compress the conversation and try again.',
  SAFETY_BLOCKED: 'The response was blocked by the safety policy of the service.',
  RECITATION_BLOCKED: 'The response was blocked by the recitation policy of the service.',
  OTHER_BLOCKED: 'The response was blocked by a policy of the service.',
};

/** Why no attempt returned an answer, with the reason's name. */
export function describeInvalidStream({ type, message, attempts = 1 }: InvalidStreamEventValue): string {
  const text = INVALID_STREAM_TEXTS[type] ?? (message || 'The model sent an invalid response.');
  return `${text} (${type}${attempts > 1 ? `, after ${attempts} attempts` : ''})`;
}

export function describeOverflow(value: ContextWindowWillOverflowValue): string {
  const { estimatedRequestTokenCount: needed, remainingTokenCount: left } = value;
  if (left <= 0)
    return (
      `The request was not sent: context files, instructions and the conversation exceed the model's context window by ` +
      `${-left} tokens. Shorten them, compress the conversation, or use a model with a larger window.`
    );
  return (
    `The request was not sent: it needs about ${needed} tokens and ${left} are left in the model's ` +
    'context window. Shorten it, or compress the conversation.'
  );
}

export function describeExecution(what: 'stopped' | 'blocked', { reason, systemMessage }: AgentExecutionValue): string {
  return `Agent execution ${what}: ${systemMessage?.trim() || reason}`;
}

/** The message about an attempt to compress, and its level; undefined when nothing happened. */
export function describeCompression(
  info: ChatCompressionInfo,
): { type: 'compression' | 'warning'; text: string } | undefined {
  const { originalTokenCount: before, newTokenCount: after, compressionStatus } = info;
  switch (compressionStatus) {
    case CompressionStatus.COMPRESSED:
      return { type: 'compression', text: `Chat history compressed from ${before} to ${after} tokens.` };
    case CompressionStatus.CONTENT_TRUNCATED:
      return { type: 'compression', text: `Old tool output was masked: from ${before} to ${after} tokens.` };
    case CompressionStatus.COMPRESSION_FAILED_INFLATED_TOKEN_COUNT:
      return { type: 'warning', text: 'The chat history is unchanged: compression was not beneficial.' };
    case CompressionStatus.COMPRESSION_FAILED_TOKEN_COUNT_ERROR:
      return { type: 'warning', text: 'The chat history is unchanged: its compressed size is unknown.' };
    case CompressionStatus.COMPRESSION_FAILED_EMPTY_SUMMARY:
      return { type: 'warning', text: 'The chat history is unchanged: the summary was empty.' };
    case CompressionStatus.NOOP:
      return undefined;
    default:
      // A log written by a newer version may hold a status unknown to this one.
      return undefined;
  }
}

const OUTCOME_TEXTS: Readonly<Record<Exclude<Outcome, 'completed'>, string>> = {
  cancelled: REQUEST_CANCELLED,
  failed: 'The request failed.',
  max_turns: 'The request stopped at the turn limit.',
  loop_detected: LOOP_DETECTED,
  overflow: "The request exceeds the model's context window.",
  invalid_stream: 'The model sent no valid response.',
  stopped: 'Agent execution stopped.',
  blocked: 'Agent execution blocked.',
  budget_exceeded: 'The budget of this run is spent.',
};

/** How a prompt ended, for outcomes without a message of their own; undefined for success. */
export function describeOutcome({ outcome, error, detail }: PromptEndedEvent): string | undefined {
  if (outcome === 'completed') return undefined;
  if (error?.reason === 'unauthorized') return `The service rejected the credentials: ${describeRequestFailure(error)}`;
  return error?.message || detail || OUTCOME_TEXTS[outcome];
}
