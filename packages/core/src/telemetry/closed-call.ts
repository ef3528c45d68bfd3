/** A call with its response, as the session reports it. Types only. */

import type { ToolCallResponseInfo } from '../protocol/tool-calls.ts';

export interface ClosedCall {
  name: string;
  args: Record<string, unknown>;
  prompt_id: string;
  succeeded: boolean;
  durationMs: number;
  decision: 'accept' | 'reject' | 'modify' | 'auto_accept' | undefined;
  response: ToolCallResponseInfo;
}
