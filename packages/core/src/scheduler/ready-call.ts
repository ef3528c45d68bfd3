/** The type of a call that passed every check and may run. */

import type { ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ConfirmationPayload, DefinedTool, ToolInvocation } from '../protocol/tools.ts';

/** A call that may run. */
export interface ReadyCall {
  kind: 'ready';
  request: ToolCallRequestInfo;
  tool: DefinedTool;
  invocation: ToolInvocation;
  confirmation?: ConfirmationPayload | undefined;
}
