/** What the session needs of a scheduler: run the calls of a turn, and take a person's answers. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import type { CompletedToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';

export interface SchedulerPort {
  /**
   * Yields what happens and returns one completed call per request, in the order of
   * the requests. An abort completes what is open as cancelled; it does not throw.
   */
  run(requests: readonly ToolCallRequestInfo[], signal: AbortSignal): AsyncGenerator<AgentEvent, CompletedToolCall[]>;
  /** Answers a `tool_call_confirmation`. Throws when no such call waits. */
  respond(callId: string, outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): void;
}
