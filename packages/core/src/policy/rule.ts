/**
 * Defines a loaded policy rule: types and the arithmetic of priorities. Matching is in
 * rule-matching.ts.
 */

import type { SourceKind } from '../protocol/source.ts';
import type { ToolKind } from '../protocol/tools.ts';
import type { ApprovalMode } from './approval-mode.ts';

export type PolicyDecision = 'allow' | 'ask_user' | 'deny';

/** The author of a rule decides first: a higher tier always outranks a lower one. */
const TIERS: Readonly<Record<SourceKind, number>> = {
  builtin: 1,
  extension: 2,
  project: 3,
  user: 4,
  system: 5,
};

/** `priority` is the number in a rule file: 0 to 999. */
export function effectivePriority(kind: SourceKind, priority: number): number {
  return TIERS[kind] + priority / 1000;
}

/** The origin of a rule: a file, or a sentence such as `settings: tools.exclude`. */
export interface RuleSource {
  name: string;
  line?: number;
}

export interface PolicyRule {
  /** Exact name, `*`, `mcp_*` or `mcp_<server>_*`. */
  toolName: string;
  /** Kinds of tools; a call of unknown kind, or of a server's tool, goes by its name. Built-in rules only. */
  toolKinds?: readonly ToolKind[];
  decision: PolicyDecision;
  /** Effective: tier + priority / 1000. */
  priority: number;
  /** The kind of its source. */
  kind: SourceKind;
  source: RuleSource;
  subagent?: string;
  /** The MCP server's own name; `*` for any. */
  mcpName?: string;
  /** Tested against the stable JSON of the arguments. */
  argsPattern?: RegExp;
  /** First words of a simple command; run_shell_command only. */
  commandPrefix?: string;
  /** Anchored at the start of a simple command; run_shell_command only. */
  commandRegex?: RegExp;
  /** Absent means every mode. */
  modes?: readonly ApprovalMode[] | undefined;
  /** Absent means both. */
  interactive?: boolean;
  toolAnnotations?: Readonly<Record<string, unknown>>;
  allowRedirection?: boolean;
  denyMessage?: string;
  /** A project's file says so, whatever the tier: it lifts no question about servers of the user. */
  isOfProject?: boolean;
  /** Matches only a Markdown file whose real path is in the plans folder; built-in rules only. */
  planFile?: boolean;
}

/** A second check of calls that rules allow. */
export interface SafetyChecker {
  toolName: string;
  priority: number;
  /** `allowed-path` is our only in-process checker; any other makes a matching call ask. */
  checker: string;
  source: RuleSource;
  modes?: readonly ApprovalMode[] | undefined;
}

/** The call to decide on. */
export interface PolicyCall {
  toolName: string;
  args: Readonly<Record<string, unknown>>;
  kind?: ToolKind;
  annotations?: Readonly<Record<string, unknown>>;
  /** The agent that makes the call, unless it is the main one. */
  subagent?: string;
  /** The server's own name, for MCP tools. */
  mcpServer?: string;
  /** The server's own name of the tool. */
  mcpTool?: string;
  /** The user trusts the server: its annotations are more than hints. */
  isTrustedServer?: boolean;
  /** The server is one of the project's. */
  isProjectServer?: boolean;
}

export interface PolicyContext {
  mode: ApprovalMode;
  /** Whether a user can be asked. */
  interactive: boolean;
  /** Rules that do not count for this call. */
  isIgnored?: (rule: PolicyRule) => boolean;
}

/** Whether the user or the administrator wrote this rule: not a default or an extension. */
export function isDeliberate({ kind }: PolicyRule): boolean {
  return kind !== 'builtin' && kind !== 'extension';
}

/** Whether the rule checks arguments. */
export function isNarrowed(rule: PolicyRule): boolean {
  return (
    rule.argsPattern !== undefined ||
    rule.commandPrefix !== undefined ||
    rule.commandRegex !== undefined ||
    rule.planFile === true
  );
}

/** Highest first; of equals the stricter one first, so that the order of files is irrelevant. */
export function byPriority(left: PolicyRule, right: PolicyRule): number {
  return right.priority - left.priority || STRICTNESS[right.decision] - STRICTNESS[left.decision];
}

export const STRICTNESS: Readonly<Record<PolicyDecision, number>> = { allow: 0, ask_user: 1, deny: 2 };

export function stricter(left: PolicyDecision, right: PolicyDecision): PolicyDecision {
  return STRICTNESS[left] >= STRICTNESS[right] ? left : right;
}

/** Names the source of a rule that an answer of this session created. */
export const SESSION_RULE_SOURCE = 'your answer in this session';

/** Names the source of the rule that needs no question about a command in the sandbox. */
export const SANDBOX_RULE_SOURCE = 'the sandbox';

export const NO_RULE = 'no rule speaks about it';
/** The reason for a line such as `# comment`. */
export const NO_COMMAND = 'it contains no command';

/** The reason, worded for the user. */
export function ruleReason(rule: PolicyRule): string {
  const { name, line } = rule.source;
  const verb = { allow: 'allowed', ask_user: 'to be asked about', deny: 'denied' }[rule.decision];
  return `${verb} by ${name}${line === undefined ? '' : ` line ${line}`}`;
}
