/**
 * A call the model asked for, and what came of it: the two records that cross
 * between turn, scheduler and surfaces. Types only.
 */

import type { Part } from './content.ts';
import type { ToolErrorType, ToolResultDisplay } from './tools.ts';

export interface ToolCallDisplay {
  name: string;
  description: string;
}

export interface ToolCallRequestInfo {
  /** The id the API gave, unchanged; else `<name>-<ms>-<random hex>`. Unique in the session. */
  callId: string;
  name: string;
  args: Record<string, unknown>;
  isClientInitiated: boolean;
  prompt_id: string;
  /** `responseId` of the frame the call came in. */
  traceId?: string;
  display?: ToolCallDisplay;
  checkpoint?: string;
  parentCallId?: string;
  schedulerId?: string;
  originalRequestName?: string;
  originalRequestArgs?: Record<string, unknown>;
  inputModifiedByHook?: boolean;
  forcedAsk?: boolean;
}

export interface ToolCallResponseInfo {
  callId: string;
  /** What goes back to the model; always holds the functionResponse of this call. */
  responseParts: Part[];
  resultDisplay: ToolResultDisplay | undefined;
  /** Serialises as `StructuredError`, see protocol/errors. */
  error: Error | undefined;
  errorType: ToolErrorType | undefined;
  display?: ToolCallDisplay;
  outputFile?: string;
  contentLength?: number;
  data?: Record<string, unknown>;
}

/** Where a call stands. The last three are terminal: a call that reached one stays there. */
export type ToolCallStatus =
  | 'validating'
  | 'awaiting_approval'
  | 'scheduled'
  | 'executing'
  | 'success'
  | 'error'
  | 'cancelled';

/** A call that reached its end, whatever the end was; `response` is what the model reads of it. */
export interface CompletedToolCall {
  status: Extract<ToolCallStatus, 'success' | 'error' | 'cancelled'>;
  request: ToolCallRequestInfo;
  response: ToolCallResponseInfo;
  durationMs?: number;
}
