/**
 * Derives rules from settings, flags and the restrictions of extensions. An absent list has no effect; an empty list
 * allows nothing.
 */

import type { ApprovalMode } from './approval-mode.ts';
import { SHELL_TOOL } from './rule-matching.ts';
import type { PolicyDecision, PolicyRule } from './rule.ts';

export interface SettingsRuleFields {
  /** `tools.allowed` or `--allowed-tools`. */
  allowed?: readonly string[] | undefined;
  /** Whether that list is of a project's file: then it lifts no question about servers of the user. */
  isAllowedByProject?: boolean | undefined;
  /** `tools.exclude`. */
  exclude?: readonly string[] | undefined;
  /** `excludeTools` of the enabled extensions. */
  excludedByExtensions?: readonly { readonly name: string; readonly excludeTools: readonly string[] }[] | undefined;
  /** `--airgap`: no tool may use the network. */
  isAirgapped?: boolean | undefined;
  /** `tools.core`. */
  core?: readonly string[] | undefined;
  isCoreOfProject?: boolean | undefined;
  confirmationRequired?: readonly string[] | undefined;
  mcpAllowed?: readonly string[] | undefined;
  mcpExcluded?: readonly string[] | undefined;
  /** Servers with `trust: true`, in a trusted folder. */
  mcpTrusted?: readonly string[];
  /** Servers that a project's file trusts: only its own. */
  mcpTrustedByProject?: readonly string[];
  /** `mcp.autoAllowInHeadless`. */
  mcpAutoAllow?: boolean | undefined;
}

/** Ends the name of the rule for commands that the list of the user does not contain. */
export const UNLISTED_COMMAND = 'tools.allowed (this command is not in the list)';

const NON_PLAN: readonly ApprovalMode[] = ['default', 'autoEdit', 'yolo'];
/** Every agent needs these to report what it does and to end. */
const UNAVOIDABLE = ['update_topic', 'complete_task'];

const NETWORK_TOOLS = ['web_fetch', 'google_web_search'];

const CLASS_NAMES: Readonly<Record<string, string>> = {
  ShellTool: SHELL_TOOL,
  ReadFileTool: 'read_file',
  WriteFileTool: 'write_file',
  EditTool: 'replace',
  LSTool: 'list_directory',
  GlobTool: 'glob',
  GrepTool: 'grep_search',
  RipGrepTool: 'grep_search',
  WebFetchTool: 'web_fetch',
  WebSearchTool: 'google_web_search',
  WriteTodosTool: 'write_todos',
  search_file_content: 'grep_search',
};

export function rulesFromSettings(fields: SettingsRuleFields): PolicyRule[] {
  const {
    allowed,
    exclude = [],
    excludedByExtensions = [],
    core,
    confirmationRequired = [],
    mcpAllowed = [],
    mcpExcluded = [],
    mcpTrusted = [],
    mcpTrustedByProject = [],
    mcpAutoAllow = false,
  } = fields;
  return [
    ...(fields.isAirgapped ? NETWORK_TOOLS : []).map((name) => ({
      ...rule(name, 'deny', 4.95, ''),
      source: { name: 'airgap' },
    })),
    ...mcpExcluded.map((name) => serverRule(name, 'deny', 4.9, 'mcp.excluded')),
    ...exclude.flatMap((entry) => entryRules(entry, 'deny', 4.4, 'tools.exclude')),
    ...excludedByExtensions.flatMap(({ name, excludeTools }) =>
      excludeTools
        .flatMap((entry) => entryRules(entry, 'deny', 4.4, 'excludeTools'))
        .map((found) => ({ ...found, source: { name: `extension ${name}: excludeTools` } })),
    ),
    ...confirmationRequired.flatMap((entry) => entryRules(entry, 'ask_user', 4.35, 'tools.confirmationRequired')),
    ...(allowed === undefined ? [] : asProject(allowedRules(allowed), fields.isAllowedByProject)),
    ...(core === undefined ? [] : asProject(coreRules(core), fields.isCoreOfProject)),
    ...mcpTrusted.map((name) => serverRule(name, 'allow', 4.2, 'mcpServers.trust')),
    ...asProject(
      mcpTrustedByProject.map((name) => serverRule(name, 'allow', 4.2, 'mcpServers.trust')),
      true,
    ),
    ...mcpAllowed.map((name) => serverRule(name, 'allow', 4.1, 'mcp.allowed')),
    ...(mcpAutoAllow
      ? [{ ...serverRule('*', 'allow', 4.1, 'mcp.autoAllowInHeadless'), modes: NON_PLAN, interactive: false }]
      : []),
  ];
}

/**
 * Rules of a project's file. What it lists of the user's servers stays available below its own denial of the rest: with a
 * question, or in yolo mode without one, as the user chose.
 */
function asProject(rules: readonly PolicyRule[], isProject: boolean | undefined): PolicyRule[] {
  if (isProject !== true) return [...rules];
  return rules.flatMap((found): PolicyRule[] => {
    if (found.decision !== 'allow') return [found];
    const own = { ...found, isOfProject: true };
    if (!found.toolName.startsWith('mcp_')) return [own];
    const isCore = found.modes === NON_PLAN;
    const listed: PolicyRule = isCore ? { ...found, decision: 'ask_user' } : { ...found, modes: ['yolo'] };
    return [own, { ...listed, priority: found.priority - 0.001 }];
  });
}

function allowedRules(allowed: readonly string[]): PolicyRule[] {
  const rules = allowed.flatMap((entry) => entryRules(entry, 'allow', 4.3, 'tools.allowed'));
  const narrowsShell = allowed.some((entry) => entry.includes('(') && toolOf(entry) === SHELL_TOOL);
  const wholeShell = allowed.some((entry) => !entry.includes('(') && toolOf(entry) === SHELL_TOOL);
  if (narrowsShell && !wholeShell) rules.push(rule(SHELL_TOOL, 'deny', 4.29, UNLISTED_COMMAND));
  // Even the most permissive mode stays within a given list.
  for (const tool of UNAVOIDABLE) rules.push({ ...rule(tool, 'allow', 4.3, 'tools.allowed'), modes: ['yolo'] });
  rules.push({ ...rule('*', 'deny', 4.28, 'tools.allowed (this tool is not in the list)'), modes: ['yolo'] });
  return rules;
}

function coreRules(core: readonly string[]): PolicyRule[] {
  return [
    ...core
      .flatMap((entry) => entryRules(entry, 'allow', 4.25, 'tools.core'))
      .map((found) => ({ ...found, modes: NON_PLAN })),
    ...UNAVOIDABLE.map((tool) => rule(tool, 'allow', 4.25, 'tools.core')),
    { ...rule('*', 'deny', 4.24, 'tools.core (this tool is not in the list)'), modes: NON_PLAN },
  ];
}

function toolOf(entry: string): string {
  const name = entry.split('(', 1)[0]?.trim() ?? '';
  return Object.hasOwn(CLASS_NAMES, name) ? (CLASS_NAMES[name] ?? name) : name;
}

/** `name` or `run_shell_command(prefix)`; an empty entry or prefix gives no rule. */
function entryRules(entry: string, decision: PolicyDecision, priority: number, setting: string): PolicyRule[] {
  const toolName = toolOf(entry);
  const inner = /^[^(]*\((.*)\)\s*$/s.exec(entry)?.[1]?.trim();
  if (toolName === '' || (entry.includes('(') && (inner === undefined || inner === ''))) return [];
  if (inner === undefined) return [rule(toolName, decision, priority, setting)];
  if (toolName === SHELL_TOOL)
    return [{ ...rule(toolName, decision, priority, setting), commandPrefix: inner.replace(/:\*$/, '') }];
  // Other tools cannot be narrowed by a prefix: deny applies to the whole tool, allow gives no rule.
  return decision === 'allow' ? [] : [rule(toolName, decision, priority, setting)];
}

function serverRule(name: string, decision: PolicyDecision, priority: number, setting: string): PolicyRule {
  return { ...rule('*', decision, priority, setting), mcpName: name };
}

function rule(toolName: string, decision: PolicyDecision, priority: number, setting: string): PolicyRule {
  return { toolName, decision, priority, kind: 'user', source: { name: `settings: ${setting}` } };
}
