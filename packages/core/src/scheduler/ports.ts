/** The ports of the scheduler to the rooms around it. Plain data in, plain data out. */

import type {
  ConfirmationPayload,
  DefinedTool,
  ToolCallConfirmationDetails,
  ToolConfirmationOutcome,
  ToolKind,
  ToolResult,
  ToolServer,
} from '../protocol/tools.ts';
import type { CompletedToolCall, ToolCallDisplay, ToolCallRequestInfo } from '../protocol/tool-calls.ts';

export interface ToolLookup {
  getTool(name: string): DefinedTool | undefined;
  /** The error the model reads when it requests a missing tool. */
  notFound(name: string): Error;
}

export interface PolicyQuestion {
  toolName: string;
  args: Record<string, unknown>;
  kind: ToolKind;
  /** For the tool of an MCP server. */
  server?: ToolServer | undefined;
  /** The sub-agent that makes the call; absent for the main agent. */
  subagent?: string | undefined;
}

export interface PolicyVerdict {
  decision: 'allow' | 'ask_user' | 'deny';
  /** The reason; the model reads it. */
  denyMessage?: string | undefined;
  /** With `ask_user`: the reason specific to this call, where there is one beyond the rule. */
  reason?: string;
  /** Denied only because no user can be asked; a command that the user started runs. */
  unanswerable?: boolean | undefined;
  /** What decided, for the record. */
  decidedBy?: DecidingRule | undefined;
}

export interface DecidingRule {
  /** The tool that the rule is about, `*` for any. */
  rule?: string | undefined;
  /** The file and line, or the origin in words. */
  source: string;
  /** Whether the sandbox made the question unnecessary. */
  isSandbox?: boolean | undefined;
}

/** One decision on a call, as it is about to take effect. */
export interface CallDecision {
  call: ToolCallRequestInfo;
  /** The tool's current name. */
  tool: string;
  decision: 'allow' | 'deny';
  approver: 'user' | 'rule' | 'hook' | 'sandbox';
  decidedBy?: DecidingRule | undefined;
  /** What the user answered. */
  answer?: string | undefined;
}

/** Records decisions. A throw refuses the call. */
export type DecisionRecorder = (decision: CallDecision) => Promise<void>;

export interface RememberedApproval extends PolicyQuestion {
  outcome: ToolConfirmationOutcome;
  details: ToolCallConfirmationDetails;
}

export interface PolicyPort {
  /** False when no user can be asked; absent means true. */
  readonly canAsk?: boolean;
  check(question: PolicyQuestion): Promise<PolicyVerdict>;
  /** The commands an "always" would cover; absent when unknown. */
  describeAlways?(question: PolicyQuestion): Promise<string[]>;
  /** The user answered "always" in one of its forms. */
  remember(approval: RememberedApproval): Promise<void>;
}

export type BeforeToolDecision =
  | { kind: 'proceed'; args?: Record<string, unknown> }
  /** The user is asked, whatever the policy decides. */
  | { kind: 'ask'; args?: Record<string, unknown> }
  | { kind: 'deny'; reason: string }
  | { kind: 'stop'; reason: string };

export type AfterToolDecision =
  | { kind: 'proceed'; additionalContext?: string; tailCall?: { name: string; args: Record<string, unknown> } }
  | { kind: 'deny'; reason: string }
  | { kind: 'stop'; reason: string };

export interface ToolHookInput {
  callId: string;
  toolName: string;
  args: Record<string, unknown>;
  /** The tool the model requested, when this one replaced it. */
  originalToolName?: string | undefined;
}

/** A throwing member counts as no decision. */
export interface ToolHooks {
  beforeTool?(input: ToolHookInput, signal: AbortSignal): Promise<BeforeToolDecision>;
  afterTool?(input: ToolHookInput & { result: ToolResult }, signal: AbortSignal): Promise<AfterToolDecision>;
  /** The user is being asked; the scheduler does not wait for this call. Must not throw. */
  personAsked?(details: ToolCallConfirmationDetails): void;
}

/** The write-ahead record of calls. Must not throw. */
export interface CallRecorder {
  /** Resolves when the call is on record. Awaited before a call with effects starts. */
  started(request: ToolCallRequestInfo, options: { hasEffects: boolean; display?: ToolCallDisplay }): Promise<void>;
  ended(call: CompletedToolCall): void;
}

/** Watches what calls change in the workspace. Must not throw. */
export interface ChangeWatch {
  /** Awaited before a call with effects runs: its hooks and its tool may change anything from here on. */
  before(call: { callId: string; kind: ToolKind; name: string; args: Record<string, unknown> }): Promise<void>;
  after(callId: string): void;
  /** What of a command cannot be undone, for the question about it. */
  foretell?(command: string, args: Record<string, unknown>): Promise<string | undefined>;
}

/** Context for the model beside a result that touched these paths, until the signal aborts. A throw counts as no context. */
export type ResultContext = (
  paths: readonly string[],
  result: ToolResult,
  signal: AbortSignal,
) => Promise<string | ResultAddition | undefined>;

/** A text for the model, and the result as it is by now: a formatter may have changed what the call wrote. */
export interface ResultAddition {
  text?: string | undefined;
  result: ToolResult;
}

/** Lets the user edit a proposal; undefined when it is unchanged. The user sees the message of a throw. */
export type EditProposal = (
  details: Extract<ToolCallConfirmationDetails, { type: 'edit' }>,
  signal: AbortSignal,
) => Promise<string | undefined>;

export interface Answer {
  outcome: ToolConfirmationOutcome;
  payload?: ConfirmationPayload | undefined;
}
