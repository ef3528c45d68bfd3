/**
 * What a policy rule is, once it was read. Types and the arithmetic of priorities;
 * matching is in rule-matching.ts.
 */

import type { SourceKind } from '../protocol/source.ts';
import type { ToolKind } from '../protocol/tools.ts';
import type { ApprovalMode } from './approval-mode.ts';

export type PolicyDecision = 'allow' | 'ask_user' | 'deny';

/** Who wrote a rule decides first: a higher tier always outranks a lower one. */
const TIERS: Readonly<Record<SourceKind, number>> = {
  builtin: 1,
  extension: 2,
  project: 3,
  user: 4,
  system: 5,
};

/** `priority` is what a rule file says: 0 to 999. */
export function effectivePriority(kind: SourceKind, priority: number): number {
  return TIERS[kind] + priority / 1000;
}

/** Where a rule was written: a file, or a sentence such as `settings: tools.exclude`. */
export interface RuleSource {
  name: string;
  line?: number;
}

export interface PolicyRule {
  /** Exact name, `*`, `mcp_*` or `mcp_<server>_*`. */
  toolName: string;
  decision: PolicyDecision;
  /** Effective: tier + priority / 1000. */
  priority: number;
  /** Of the source that wrote it. */
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
  /** Holds only for a Markdown file whose real path is in the plans folder; built-in rules only. */
  planFile?: boolean;
}

/** A second look at calls that rules allow. */
export interface SafetyChecker {
  toolName: string;
  priority: number;
  /** Of the in-process checkers `allowed-path` is ours; any other makes a matching call ask. */
  checker: string;
  source: RuleSource;
  modes?: readonly ApprovalMode[] | undefined;
}

/** What is asked about. */
export interface PolicyCall {
  toolName: string;
  args: Readonly<Record<string, unknown>>;
  kind?: ToolKind;
  annotations?: Readonly<Record<string, unknown>>;
  /** The agent that makes the call, when it is not the main one. */
  subagent?: string;
  /** The server's own name, for MCP tools. */
  mcpServer?: string;
}

export interface PolicyContext {
  mode: ApprovalMode;
  /** Whether a user can be asked. */
  interactive: boolean;
}

/** Whether the user, or the administrator for them, meant this rule: not a default, nor an extension's. */
export function isDeliberate({ kind }: PolicyRule): boolean {
  return kind !== 'builtin' && kind !== 'extension';
}

/** Whether the rule looks at arguments at all. */
export function isNarrowed(rule: PolicyRule): boolean {
  return (
    rule.argsPattern !== undefined ||
    rule.commandPrefix !== undefined ||
    rule.commandRegex !== undefined ||
    rule.planFile === true
  );
}

/** Highest first; of equals the stricter one first, so that order of files decides nothing. */
export function byPriority(left: PolicyRule, right: PolicyRule): number {
  return right.priority - left.priority || STRICTNESS[right.decision] - STRICTNESS[left.decision];
}

export const STRICTNESS: Readonly<Record<PolicyDecision, number>> = { allow: 0, ask_user: 1, deny: 2 };

export function stricter(left: PolicyDecision, right: PolicyDecision): PolicyDecision {
  return STRICTNESS[left] >= STRICTNESS[right] ? left : right;
}

export const NO_RULE = 'no rule speaks about it';

/** Why, in words for the user. */
export function ruleReason(rule: PolicyRule): string {
  const { name, line } = rule.source;
  const verb = { allow: 'allowed', ask_user: 'to be asked about', deny: 'denied' }[rule.decision];
  return `${verb} by ${name}${line === undefined ? '' : ` line ${line}`}`;
}
