/**
 * Folds a child session's events into the call that runs it: the end of its text and its newest calls. Pure. A
 * child's text never becomes part of its parent's answer, and a child's questions are the user's to
 * answer: a call that awaits approval, or the question of the transcript.
 */

import type { AgentEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { addCall, answerCall, askAboutCall, updateCall } from './tool-group.ts';
import type { Calls } from './tool-group.ts';
import type { ChildView, Transcript } from './transcript.ts';

const KEPT_TEXT = 2_000;
const KEPT_CALLS = 20;

export function reduceChild(child: ChildView, event: AgentEvent): ChildView {
  switch (event.type) {
    case GeminiEventType.Content:
      return { ...child, text: (child.text + event.value).slice(-KEPT_TEXT) };
    case GeminiEventType.Finished:
      return { ...child, tokens: child.tokens + (event.value.usageMetadata?.totalTokenCount ?? 0) };
    case GeminiEventType.Retry:
      return { ...child, text: '' };
    case GeminiEventType.ToolCallRequest:
      return withCalls({ ...child, text: '' }, addCall(child.calls, event.value));
    case GeminiEventType.ToolCallConfirmation:
      return withCalls(child, askAboutCall(child.calls, event.value));
    case 'tool_call_updated':
      return withCalls(child, updateCall(child.calls, event));
    case GeminiEventType.ToolCallResponse:
      return withCalls(child, answerCall(child.calls, event.value));
    default:
      // The result of the call that runs the child reports the rest.
      return child;
  }
}

/** Only answered calls are dropped, the oldest first. */
function withCalls(child: ChildView, calls: Calls): ChildView {
  if (calls === child.calls) return child;
  const excess = calls.length - KEPT_CALLS;
  if (excess <= 0 || !calls.slice(0, excess).every(({ isAnswered }) => isAnswered)) return { ...child, calls };
  return { ...child, calls: calls.slice(excess), omittedCalls: child.omittedCalls + excess };
}

/** The user answers a child's question about another model like the session's own; the question keeps its address. */
export function reduceChildQuestion(transcript: Transcript, event: AgentEvent): Transcript {
  if (event.type === GeminiEventType.FallbackRequested) {
    const { type: _type, ...question } = event;
    return { ...transcript, question };
  }
  const { question } = transcript;
  if (question === undefined || question.parentCallId !== event.parentCallId) return transcript;
  // A child that is cancelled ends without an answer.
  const isOver = event.type === GeminiEventType.FallbackAnswered || event.type === 'prompt_ended';
  return isOver ? { ...transcript, question: undefined } : transcript;
}
