/** The session's port to a scheduler: run the calls of a turn, and pass on the user's answers. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import type { PartListUnion } from '../protocol/content.ts';
import type { EventAddress } from '../protocol/events.ts';
import type { CompletedToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';
import type { AskingChild } from '../scheduler/children.ts';

export interface SchedulerPort {
  /**
   * Yields the events and returns one completed call per request, in the order of
   * the requests. An abort completes open calls as cancelled; it does not throw.
   */
  run(requests: readonly ToolCallRequestInfo[], signal: AbortSignal): AsyncGenerator<AgentEvent, CompletedToolCall[]>;
  /** Whether one of its calls waits for approval. */
  isWaiting(callId: string): boolean;
  /** The child of a running call that waits for the answer to this question. */
  findAskingChild(id: string, address: EventAddress): AskingChild | undefined;
  /** Passes the user's text on to the children of running calls. */
  steerChildren(input: PartListUnion): void;
  /** Answers a `tool_call_confirmation`. Throws when no such call is waiting. */
  respond(callId: string, outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): void;
}
