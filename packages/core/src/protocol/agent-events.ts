/**
 * AgentEvent: every event a surface can receive. The stream events of a turn, and around them the lifecycle of a
 * prompt and of its calls. As in events.ts the payloads live in one map and the rest derives from it. Lifecycle
 * events carry their fields beside `type`; all of it is JSON, and `output` is a delta.
 */

import type { AnswerTokens } from './answer-tokens.ts';
import type { FinishReason, Part } from './content.ts';
import type { InvalidStreamErrorType, StructuredError } from './errors.ts';
import type { EventAddress, EventOf, GeminiEventType, ServerGeminiStreamEvent } from './events.ts';
import type { ShownCall, ToolCallStatus } from './tool-calls.ts';
import type { ToolConfirmationOutcome } from './tools.ts';

export type { FallbackAnsweredEvent, FallbackIntent, FallbackRequestedEvent } from './events.ts';

/** How a prompt ended. Only `completed` is a success. */
export type Outcome =
  | 'completed'
  /** The user, or the surface on their behalf, aborted the signal. */
  | 'cancelled'
  /** A request or a tool failed for good, or there was a bug; `error` names it. */
  | 'failed'
  /** The turn limit of the prompt or of the session was reached. */
  | 'max_turns'
  | 'loop_detected'
  /** The next request would not have fitted into the model's window. */
  | 'overflow'
  /** No attempt returned a usable answer. */
  | 'invalid_stream'
  /** A hook or a tool ended the prompt. */
  | 'stopped'
  /** A hook denied the prompt. */
  | 'blocked'
  /** A limit of the session is exhausted; `budget` names it. */
  | 'budget_exceeded';

/** The quantities a session may be limited in. */
export type BudgetName = 'turns' | 'tokens' | 'cost' | 'time';

/** A limit that was reached: in turns, tokens, US dollars or seconds. */
export interface SpentBudget {
  name: BudgetName;
  limit: number;
  spent: number;
}

interface AgentEventValues {
  /**
   * A request of the user starts. Session; first event of its prompt, never while another prompt of the same session
   * is open. `text` is the part of the request that surfaces show; `media`, of a session that is shown again, the
   * pictures and sounds that the user sent with it.
   */
  prompt_started: { prompt_id: string; text?: string; media?: Part[] };

  /**
   * The prompt has ended and the session is idle. Session; last event of its prompt, exactly one for each
   * `prompt_started`, also on abort and on a bug. `error` comes with `failed`; `budget` with `budget_exceeded`;
   * `detail` is a sentence on any other outcome that needs one. `reason` says why the last answer is not whole: with
   * `completed` the finish reason, where it is not STOP; with `invalid_stream` what was wrong.
   */
  prompt_ended: {
    prompt_id: string;
    outcome: Outcome;
    error?: StructuredError;
    detail?: string;
    budget?: SpentBudget;
    reason?: FinishReason | InvalidStreamErrorType;
    /** Of a recorded prompt: from its first request to its last answer. */
    durationMs?: number;
    /** Of a recorded prompt: what each of its answers took; absent where something it spent is not on record. */
    answers?: readonly AnswerTokens[];
  };

  /**
   * A call changed its status, or produced output. Scheduler; any number, after the call's `tool_call_request` and
   * before its `tool_call_response`. The status never goes back. `output` is the output since the last such event and
   * comes with `executing` only; `pid` comes once, when the call has a process. `outcome` is the user's answer to a
   * `tool_call_confirmation` and comes with `awaiting_approval`, once for each. `shown` is the form a surface shows;
   * it comes with the first such event of a call. When a hook, the user or another tool changed what runs, `name`,
   * `args` and `shown` are sent again.
   */
  tool_call_updated: {
    callId: string;
    status: ToolCallStatus;
    output?: string;
    pid?: number;
    outcome?: ToolConfirmationOutcome;
    shown?: ShownCall;
    name?: string;
    args?: Record<string, unknown>;
  };

  /**
   * A hook has a message for the user, or failed (`warning`). Session; any number, before the first event after the
   * hook ran. A hook that ends the prompt reports that by another event.
   */
  hook_message: { hookEvent: string; level: 'info' | 'warning'; message: string };

  /** A message for the user that belongs to no call and no turn. Session; at any time, also between prompts. */
  notice: { level: 'info' | 'warning'; message: string };

  /**
   * A background command has ended by itself. Session; one for each. `exitCode` or `signal` describes the end;
   * `message` is the sentence for the user, where the settings ask for one.
   */
  background_ended: { pid: number; command: string; exitCode?: number; signal?: string; message?: string };

  /** The approval mode changed. Session; after each change, whatever caused it. */
  mode_changed: { mode: string };

  /** Tools were added or removed since the session started. Session; names only, both lists sorted. */
  tools_changed: { added: string[]; removed: string[] };
}

/** Events beside a prompt: posted to the session, and yielded by the open prompt or, between prompts, by `events`. */
export type SessionEventType = 'hook_message' | 'notice' | 'background_ended' | 'mode_changed' | 'tools_changed';

export type LifecycleEventType = keyof AgentEventValues;
export type AgentEventType = GeminiEventType | LifecycleEventType;

export type AgentEventOf<T extends AgentEventType> = T extends GeminiEventType
  ? EventOf<T>
  : T extends LifecycleEventType
    ? { type: T } & EventAddress & AgentEventValues[T]
    : never;

export type AgentEvent = ServerGeminiStreamEvent | { [T in LifecycleEventType]: AgentEventOf<T> }[LifecycleEventType];

export type SessionEvent = { [T in SessionEventType]: AgentEventOf<T> }[SessionEventType];

export type PromptStartedEvent = AgentEventOf<'prompt_started'>;
export type PromptEndedEvent = AgentEventOf<'prompt_ended'>;
export type ToolCallUpdatedEvent = AgentEventOf<'tool_call_updated'>;
export type HookMessageEvent = AgentEventOf<'hook_message'>;
export type NoticeEvent = AgentEventOf<'notice'>;
export type BackgroundEndedEvent = AgentEventOf<'background_ended'>;

const SESSION_EVENTS: ReadonlySet<string> = new Set<SessionEventType>([
  'hook_message',
  'notice',
  'background_ended',
  'mode_changed',
  'tools_changed',
]);

export function isSessionEvent(event: AgentEvent): event is SessionEvent {
  return SESSION_EVENTS.has(event.type);
}
