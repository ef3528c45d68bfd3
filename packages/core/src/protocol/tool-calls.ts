/**
 * A call the model requested, and its result: the two records that cross between turn, scheduler and surfaces. Types
 * and names only.
 */

import type { Part } from './content.ts';
import type {
  ServerTool,
  ToolCallConfirmationDetails,
  ToolErrorType,
  ToolInvocation,
  ToolKind,
  ToolLocation,
  ToolResultDisplay,
} from './tools.ts';

export interface ToolCallDisplay {
  name: string;
  description: string;
}

/** The data a surface needs to show a call, without building the tool. */
export interface ShownCall {
  /** The tool's display name, and one line about what the call does. */
  display: ToolCallDisplay;
  kind: ToolKind;
  /** The files the call touches. */
  locations: ToolLocation[];
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
  originalRequestName?: string;
  originalRequestArgs?: Record<string, unknown>;
  inputModifiedByHook?: boolean;
  forcedAsk?: boolean;
}

/** A call that is put to the user again. */
export type ProposedCall = Pick<ToolCallRequestInfo, 'callId' | 'name' | 'args'>;

export interface OutputTruncation {
  originalLength: number;
  shownLength: number;
  threshold: number;
}

export interface ToolCallResponseInfo {
  callId: string;
  /** Sent back to the model; always holds the functionResponse of this call. */
  responseParts: Part[];
  resultDisplay: ToolResultDisplay | undefined;
  /** Serialises as `StructuredError`, see protocol/errors. */
  error: Error | undefined;
  errorType: ToolErrorType | undefined;
  display?: ToolCallDisplay;
  outputFile?: string;
  /** Present when the model reads less than the tool returned; in characters. */
  truncation?: OutputTruncation;
  /** The number of characters of the result that the model reads, without media. */
  contentLength?: number;
  data?: Record<string, unknown>;
}

/** The status of a call. The last three are terminal: a call that reached one stays there. */
export const ToolCallStatus = {
  Validating: 'validating',
  AwaitingApproval: 'awaiting_approval',
  Scheduled: 'scheduled',
  Executing: 'executing',
  Success: 'success',
  Error: 'error',
  Cancelled: 'cancelled',
} as const;
export type ToolCallStatus = (typeof ToolCallStatus)[keyof typeof ToolCallStatus];

interface CallBase {
  request: ToolCallRequestInfo;
}

export interface ValidatingToolCall extends CallBase {
  status: 'validating';
}

export interface AwaitingApprovalToolCall extends CallBase {
  status: 'awaiting_approval';
  details: ToolCallConfirmationDetails;
}

export interface ScheduledToolCall extends CallBase {
  status: 'scheduled';
}

export interface ExecutingToolCall extends CallBase {
  status: 'executing';
  /** The process the call started, as soon as there is one. */
  pid?: number;
  /** When the tool started, in milliseconds since 1970. */
  startTime?: number;
  tool?: ServerTool;
  invocation?: ToolInvocation;
}

/** A call that ended in any way; `response` is the part the model reads. */
export interface CompletedToolCall extends CallBase {
  status: 'success' | 'error' | 'cancelled';
  response: ToolCallResponseInfo;
  /** From the start of its execution; 0 when it never ran. */
  durationMs?: number;
}

/** A call by its status. */
export type ToolCall =
  | ValidatingToolCall
  | AwaitingApprovalToolCall
  | ScheduledToolCall
  | ExecutingToolCall
  | CompletedToolCall;
