/**
 * The fold: (Transcript, AgentEvent) → Transcript. Pure, and handles every member of the union. The work for an event
 * depends on the event and on the open calls, never on the length of the session or of the answer.
 */

import { isSessionEvent } from '../protocol/agent-events.ts';
import type { AgentEvent, FallbackAnsweredEvent, Outcome, PromptEndedEvent } from '../protocol/agent-events.ts';
import { GeminiEventType, assertNever } from '../protocol/events.ts';
import { describeRequestFailure } from '../protocol/failure-sentence.ts';
import type { ChatCompressionInfo, ThoughtSummary } from '../protocol/events.ts';
import {
  CONTEXT_CLEARED,
  LOOP_DETECTED,
  MAX_TURNS_REACHED,
  REQUEST_CANCELLED,
  describeCompression,
  describeExecution,
  describeFinishReason,
  describeInvalidStream,
  describeOutcome,
  describeOverflow,
} from './messages.ts';
import { PROGRAM_STOPPED } from '../util/program-stop.ts';
import { acceptText, appendText, dropAttempt, withdrawText } from './pending-text.ts';
import { reduceChild, reduceChildQuestion } from './reduce-child.ts';
import {
  abandonCalls,
  addCall,
  answerCall,
  askAboutCall,
  changeChild,
  takeFinished,
  updateCall,
} from './tool-group.ts';
import type { Calls } from './tool-group.ts';
import { MessageType, commit } from './transcript.ts';
import type { NewItem, Transcript } from './transcript.ts';

export function reduce(transcript: Transcript, event: AgentEvent): Transcript {
  const { parentCallId } = event;
  if (parentCallId !== undefined) {
    const asked = reduceChildQuestion(transcript, event);
    return changeCalls(asked, (calls) => changeChild(calls, parentCallId, (child) => reduceChild(child, event)));
  }
  const state = isSessionEvent(event) ? transcript : settleStatus(transcript, event);
  switch (event.type) {
    case 'prompt_started':
      return startPrompt(state, event.prompt_id, event.text);
    case 'prompt_ended':
      return endPrompt(state, event);
    case GeminiEventType.Content:
      return appendText(state, event.value);
    case GeminiEventType.Thought:
      return showThought(state, event.value);
    case GeminiEventType.Retry:
      return dropAttempt(state, event.value);
    case GeminiEventType.ToolCallRequest:
      return changeCalls(acceptText(state), (calls) => addCall(calls, event.value));
    case GeminiEventType.ToolCallConfirmation:
      return changeCalls(state, (calls) => askAboutCall(calls, event.value));
    case 'tool_call_updated':
      return changeCalls(state, (calls) => updateCall(calls, event));
    case GeminiEventType.ToolCallResponse:
      return changeCalls(state, (calls) => answerCall(calls, event.value));
    case GeminiEventType.Citation:
      return commit(acceptText(state), { type: MessageType.CITATION, text: event.value });
    case GeminiEventType.Finished:
      return warn(acceptText(state), describeFinishReason(event.value.reason), event.type);
    case GeminiEventType.UserCancelled:
      return cancel(state);
    case GeminiEventType.Error:
      return explain(withdrawText(state), 'failed', {
        type: MessageType.ERROR,
        text: describeRequestFailure(event.value.error),
        about: event.type,
        error: event.value.error,
        model: state.model,
      });
    case GeminiEventType.InvalidStream:
      return explain(withdrawText(state), 'invalid_stream', {
        type: MessageType.ERROR,
        text: describeInvalidStream(event.value),
        about: event.type,
      });
    case GeminiEventType.ChatCompressed:
      return event.value ? noteCompression(state, event.value) : state;
    case GeminiEventType.MaxSessionTurns:
      return explain(state, 'max_turns', { type: MessageType.WARNING, text: MAX_TURNS_REACHED, about: event.type });
    case GeminiEventType.LoopDetected:
      return explain(acceptText(state), 'loop_detected', {
        type: MessageType.WARNING,
        text: LOOP_DETECTED,
        about: event.type,
      });
    case GeminiEventType.ContextWindowWillOverflow:
      return explain(state, 'overflow', {
        type: MessageType.WARNING,
        text: describeOverflow(event.value),
        about: event.type,
      });
    case GeminiEventType.AgentExecutionStopped: {
      const text = describeExecution('stopped', event.value);
      const stopped = explain(acceptText(state), 'stopped', { type: MessageType.INFO, text, about: event.type });
      return noteClearing(stopped, event);
    }
    case GeminiEventType.AgentExecutionBlocked: {
      const text = describeExecution('blocked', event.value);
      const blocked = explain(acceptText(state), 'blocked', { type: MessageType.WARNING, text, about: event.type });
      return noteClearing(blocked, event);
    }
    case GeminiEventType.ModelInfo:
      return commit({ ...state, model: event.value }, { type: MessageType.MODEL, model: event.value });
    case 'fallback_requested': {
      const { type: _type, ...question } = event;
      return { ...state, question };
    }
    case 'fallback_answered':
      return settleQuestion(state, event);
    case 'hook_message':
    case 'notice': {
      const type = event.level === 'warning' ? MessageType.WARNING : MessageType.INFO;
      return commit(state, { type, text: event.message, about: event.type });
    }
    case 'background_ended':
      if (event.message === undefined) return state;
      return commit(state, { type: MessageType.INFO, text: event.message, about: event.type });
    case 'mode_changed':
    case 'tools_changed':
      return state;
    default:
      return assertNever(event);
  }
}

/** The status line is momentary: the next event ends the wait for an attempt, and commits the thought. */
function settleStatus(state: Transcript, { type }: AgentEvent): Transcript {
  if (type === GeminiEventType.Retry) return state;
  const waited = state.retry ? { ...state, retry: undefined } : state;
  return type === GeminiEventType.Thought ? waited : commitThought(waited);
}

function warn(state: Transcript, text: string | undefined, about: AgentEvent['type']): Transcript {
  return text === undefined ? state : commit(state, { type: MessageType.WARNING, text, about });
}

/** Commits the note on how the prompt is ending, so that `prompt_ended` need not repeat it. */
function explain(state: Transcript, outcome: Outcome, note: NewItem): Transcript {
  const noted = commit(state, note);
  return noted.prompt ? { ...noted, prompt: { ...noted.prompt, explained: outcome } } : noted;
}

function startPrompt(state: Transcript, prompt_id: string, text: string | undefined): Transcript {
  const opened = { ...settle(state), prompt: { prompt_id, isCancelled: false, explained: undefined } };
  return text === undefined ? opened : commit(opened, { type: MessageType.USER, text });
}

function endPrompt(state: Transcript, event: PromptEndedEvent): Transcript {
  if (state.prompt?.prompt_id !== event.prompt_id) return state;
  const isExplained = state.prompt.explained === event.outcome;
  const ended: Transcript = { ...settle(state), prompt: undefined };
  const text = describeOutcome(event);
  if (isExplained || text === undefined) return ended;
  switch (event.outcome) {
    case 'cancelled':
      return commit(ended, { type: MessageType.CANCELLED, text: text === PROGRAM_STOPPED ? text : REQUEST_CANCELLED });
    case 'failed':
    case 'invalid_stream':
      return commit(ended, {
        type: MessageType.ERROR,
        text,
        about: event.type,
        ...(event.error && { error: event.error, model: state.model }),
      });
    default:
      return commit(ended, { type: MessageType.WARNING, text, about: event.type });
  }
}

function cancel(state: Transcript): Transcript {
  if (state.prompt?.isCancelled) return state;
  const note: NewItem = { type: MessageType.CANCELLED, text: REQUEST_CANCELLED };
  const cancelled = explain(settle(state), 'cancelled', note);
  return cancelled.prompt ? { ...cancelled, prompt: { ...cancelled.prompt, isCancelled: true } } : cancelled;
}

/** Commits everything pending as it is: no more events are expected. */
function settle(state: Transcript): Transcript {
  const settled = changeCalls(acceptText(state), abandonCalls);
  return settled.question ? { ...settled, question: undefined } : settled;
}

function showThought(state: Transcript, thought: ThoughtSummary): Transcript {
  if (state.prompt?.isCancelled) return state;
  const before = commitThought(state);
  return {
    ...before,
    thought: { id: before.nextId, type: MessageType.THINKING, thought },
    nextId: before.nextId + 1,
  };
}

function commitThought(state: Transcript): Transcript {
  if (!state.thought) return state;
  return { ...state, committed: state.committed.append(state.thought), thought: undefined };
}

/** Applies a change to the open calls and commits those that are answered, in the model's order. */
function changeCalls(state: Transcript, change: (calls: Calls) => Calls): Transcript {
  const { pendingGroup } = state;
  const before = pendingGroup?.calls ?? [];
  const calls = change(before);
  if (calls === before || calls.length === 0) return state;
  const { finished, rest } = takeFinished(calls);
  const group = pendingGroup ?? { id: state.nextId, type: MessageType.TOOL_GROUP, continues: false };
  const nextId = pendingGroup ? state.nextId : state.nextId + 1;
  if (finished.length === 0) return { ...state, pendingGroup: { ...group, calls }, nextId };
  return {
    ...state,
    committed: state.committed.append({ ...group, calls: finished }),
    pendingGroup: rest.length > 0 ? { ...group, id: nextId, calls: rest, continues: true } : undefined,
    nextId: rest.length > 0 ? nextId + 1 : nextId,
  };
}

function noteCompression(state: Transcript, info: ChatCompressionInfo): Transcript {
  const note = describeCompression(info);
  if (!note) return state;
  if (note.type === MessageType.COMPRESSION) return commit(state, { ...info, ...note, type: note.type });
  return warn(state, note.text, GeminiEventType.ChatCompressed);
}

function noteClearing(
  state: Transcript,
  { type, value }: AgentEvent & { value: { contextCleared?: boolean } },
): Transcript {
  if (!value.contextCleared) return state;
  return commit(state, { type: MessageType.INFO, text: CONTEXT_CLEARED, about: type });
}

function settleQuestion(state: Transcript, { type, requestId, intent }: FallbackAnsweredEvent): Transcript {
  const { question } = state;
  if (question?.requestId !== requestId) return state;
  const settled: Transcript = { ...state, question: undefined };
  const { failedModel, fallbackModel } = question;
  switch (intent) {
    case 'retry_always':
      return commit(settled, {
        type: MessageType.INFO,
        text: `${fallbackModel} replaces ${failedModel}.`,
        about: type,
      });
    case 'retry_once':
      return commit(settled, {
        type: MessageType.INFO,
        text: `${fallbackModel} answers this request instead of ${failedModel}.`,
        about: type,
      });
    case 'retry_later':
    case 'stop':
      return settled;
    default:
      return assertNever(intent);
  }
}
