/**
 * The stream vocabulary of one turn and what the client adds around it. All payloads live in one map; the union and
 * the named aliases derive from it, so a new event is one line here and every exhaustive switch stops compiling until
 * it handles the event. Payloads are JSON; text payloads are deltas.
 */

import type { FinishReason, UsageMetadata } from './content.ts';
import type { InvalidStreamErrorType, StructuredError } from './errors.ts';
import type { ToolCallRequestInfo, ToolCallResponseInfo } from './tool-calls.ts';
import type { ToolCallConfirmationDetails } from './tools.ts';

export enum GeminiEventType {
  /** A piece of the answer. Turn; any number; void if a `retry` follows in the same turn. */
  Content = 'content',
  /** A piece of reasoning. Turn; any number; void if a `retry` follows in the same turn. */
  Thought = 'thought',
  /** The model requests a call. Turn; only once its attempt is accepted, before `finished`. */
  ToolCallRequest = 'tool_call_request',
  /** The result of a call. Scheduler; exactly one per `tool_call_request`. */
  ToolCallResponse = 'tool_call_response',
  /** A call waits for the user. Scheduler; after its request, before its response. */
  ToolCallConfirmation = 'tool_call_confirmation',
  /** The signal was aborted. Turn or client; last of its turn. */
  UserCancelled = 'user_cancelled',
  /** The turn failed. Turn; last of its turn. */
  Error = 'error',
  /** History was summarised. Client; before the turn's first content. */
  ChatCompressed = 'chat_compressed',
  /** The session's turn limit is reached. Client; instead of a turn. */
  MaxSessionTurns = 'max_session_turns',
  /** The model ended its turn. Turn; after all content and calls of the accepted attempt. */
  Finished = 'finished',
  /** The model repeats itself. Client; ends the prompt. */
  LoopDetected = 'loop_detected',
  /** Sources of the answer, sorted and deduplicated. Turn; at most once, just before `finished`. */
  Citation = 'citation',
  /**
   * The attempt failed and another starts: discard the text of this turn so far. Turn; once for each failed attempt
   * that another follows, before the wait; `value` holds the reason and the delay. Client, without `value`; when the
   * model repeats itself, before it is warned or stopped.
   */
  Retry = 'retry',
  /** The request would not fit. Client; instead of a turn. */
  ContextWindowWillOverflow = 'context_window_will_overflow',
  /** No attempt returned a usable answer. Turn; last of its turn. */
  InvalidStream = 'invalid_stream',
  /** The model chosen for this prompt. Client; before the first turn that uses it. */
  ModelInfo = 'model_info',
  /** A hook ended the prompt. Client or turn; last of its turn. */
  AgentExecutionStopped = 'agent_execution_stopped',
  /** A hook denied the request or the answer. Client or turn; a synthetic answer may follow. */
  AgentExecutionBlocked = 'agent_execution_blocked',
  /**
   * A model has no quota left and the user is asked whether another may take over. Turn, for the chat; between two
   * attempts. No other event of that turn follows until the answer, which arrives by a method call with the same
   * `requestId`.
   */
  FallbackRequested = 'fallback_requested',
  /**
   * The question is settled. Turn, for the chat; exactly one for each `fallback_requested`, also
   * when the prompt is cancelled instead (as `stop`).
   */
  FallbackAnswered = 'fallback_answered',
}

/** The user's possible answers when a model has no quota left. */
export type FallbackIntent =
  /** Use the other model from here on. */
  | 'retry_always'
  /** Use the other model for this request only. */
  | 'retry_once'
  /** Cancel this prompt; the model may have quota again later. */
  | 'retry_later'
  /** Cancel this prompt. */
  | 'stop';

export interface ThoughtSummary {
  subject: string;
  description: string;
}

export enum CompressionStatus {
  COMPRESSED = 1,
  COMPRESSION_FAILED_INFLATED_TOKEN_COUNT,
  COMPRESSION_FAILED_TOKEN_COUNT_ERROR,
  COMPRESSION_FAILED_EMPTY_SUMMARY,
  NOOP,
  CONTENT_TRUNCATED,
}

/** Both counts are local estimates of the history alone, without instructions and tools. */
export interface ChatCompressionInfo {
  originalTokenCount: number;
  newTokenCount: number;
  compressionStatus: CompressionStatus;
}

export interface GeminiErrorEventValue {
  error: StructuredError;
}

export interface GeminiFinishedEventValue {
  reason: FinishReason | undefined;
  usageMetadata: UsageMetadata | undefined;
}

export interface InvalidStreamEventValue {
  type: InvalidStreamErrorType;
  message: string;
  /** The number of attempts, when there was more than one. */
  attempts?: number;
}

export interface ContextWindowWillOverflowValue {
  estimatedRequestTokenCount: number;
  remainingTokenCount: number;
}

/** Why an attempt failed and when the next one starts. */
export interface RetryValue {
  /** The attempt that failed, counted from 1. */
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  model: string;
  error: StructuredError;
  /** The server is loading the model: nothing failed yet. */
  isLoading?: boolean;
}

export interface AgentExecutionValue {
  reason: string;
  /** The event of the hook that decided, such as `BeforeAgent`. */
  hook?: string;
  systemMessage?: string;
  contextCleared?: boolean;
}

export interface ServerToolCallConfirmationDetails {
  request: ToolCallRequestInfo;
  details: ToolCallConfirmationDetails;
  /** The sub-agent that asks; absent where the main agent does. */
  agent?: string;
  /** Why the question is repeated: the last answer could not be applied. */
  problem?: string;
}

interface EventValues {
  [GeminiEventType.Content]: string;
  [GeminiEventType.Thought]: ThoughtSummary;
  [GeminiEventType.ToolCallRequest]: ToolCallRequestInfo;
  [GeminiEventType.ToolCallResponse]: ToolCallResponseInfo;
  [GeminiEventType.ToolCallConfirmation]: ServerToolCallConfirmationDetails;
  [GeminiEventType.UserCancelled]: undefined;
  [GeminiEventType.Error]: GeminiErrorEventValue;
  [GeminiEventType.ChatCompressed]: ChatCompressionInfo | null;
  [GeminiEventType.MaxSessionTurns]: undefined;
  [GeminiEventType.Finished]: GeminiFinishedEventValue;
  [GeminiEventType.LoopDetected]: undefined;
  [GeminiEventType.Citation]: string;
  [GeminiEventType.Retry]: RetryValue | undefined;
  [GeminiEventType.ContextWindowWillOverflow]: ContextWindowWillOverflowValue;
  [GeminiEventType.InvalidStream]: InvalidStreamEventValue;
  [GeminiEventType.ModelInfo]: string;
  [GeminiEventType.AgentExecutionStopped]: AgentExecutionValue;
  [GeminiEventType.AgentExecutionBlocked]: AgentExecutionValue;
}

/** Castor's own events, which carry their fields beside `type`. */
interface EventFields {
  [GeminiEventType.FallbackRequested]: {
    requestId: string;
    failedModel: string;
    fallbackModel: string;
    message: string;
  };
  [GeminiEventType.FallbackAnswered]: { requestId: string; intent: FallbackIntent };
}

/** The session an event belongs to. */
export interface EventAddress {
  /**
   * On an event of a child session (a sub-agent): the call that started the child. Absent on a session's own events.
   */
  parentCallId?: string;
}

/** `event.value` can be read on every event; it is undefined on one without a value. */
export type EventOf<T extends GeminiEventType> = EventAddress &
  (T extends keyof EventFields
    ? { type: T; value?: undefined } & EventFields[T]
    : T extends keyof EventValues
      ? EventValues[T] extends undefined
        ? { type: T; value?: undefined }
        : undefined extends EventValues[T]
          ? { type: T; value?: Exclude<EventValues[T], undefined> }
          : { type: T; value: EventValues[T]; traceId?: string }
      : never);

export type ServerGeminiStreamEvent = { [T in GeminiEventType]: EventOf<T> }[GeminiEventType];

/** The names of the two in the documented UI. */
export type GeminiEvent = ServerGeminiStreamEvent;
export { GeminiEventType as ServerGeminiEventType };

export type ServerGeminiContentEvent = EventOf<GeminiEventType.Content>;
export type ServerGeminiThoughtEvent = EventOf<GeminiEventType.Thought>;
export type ServerGeminiToolCallRequestEvent = EventOf<GeminiEventType.ToolCallRequest>;
export type ServerGeminiToolCallResponseEvent = EventOf<GeminiEventType.ToolCallResponse>;
export type ServerGeminiToolCallConfirmationEvent = EventOf<GeminiEventType.ToolCallConfirmation>;
export type ServerGeminiUserCancelledEvent = EventOf<GeminiEventType.UserCancelled>;
export type ServerGeminiErrorEvent = EventOf<GeminiEventType.Error>;
export type ServerGeminiChatCompressedEvent = EventOf<GeminiEventType.ChatCompressed>;
export type ServerGeminiMaxSessionTurnsEvent = EventOf<GeminiEventType.MaxSessionTurns>;
export type ServerGeminiFinishedEvent = EventOf<GeminiEventType.Finished>;
export type ServerGeminiLoopDetectedEvent = EventOf<GeminiEventType.LoopDetected>;
export type ServerGeminiCitationEvent = EventOf<GeminiEventType.Citation>;
export type ServerGeminiRetryEvent = EventOf<GeminiEventType.Retry>;
export type ServerGeminiContextWindowWillOverflowEvent = EventOf<GeminiEventType.ContextWindowWillOverflow>;
export type ServerGeminiInvalidStreamEvent = EventOf<GeminiEventType.InvalidStream>;
export type ServerGeminiModelInfoEvent = EventOf<GeminiEventType.ModelInfo>;
export type ServerGeminiAgentExecutionStoppedEvent = EventOf<GeminiEventType.AgentExecutionStopped>;
export type ServerGeminiAgentExecutionBlockedEvent = EventOf<GeminiEventType.AgentExecutionBlocked>;
export type FallbackRequestedEvent = EventOf<GeminiEventType.FallbackRequested>;
export type FallbackAnsweredEvent = EventOf<GeminiEventType.FallbackAnswered>;

/** Ends an exhaustive switch: a member without a case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
