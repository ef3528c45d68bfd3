/**
 * Converts a user's "always" to rules no wider than what they saw. A command is
 * generalised to its tool and subcommand only when no sibling can be worse; otherwise the
 * rule is the command itself.
 */

import { resolve } from 'node:path';
import type { ToolConfirmationOutcome } from '../protocol/tools.ts';
import type { ApprovalMode } from './approval-mode.ts';
import { modesFrom } from './approval-mode.ts';
import { quote } from './shell/command-matching.ts';
import { isKnownSafe } from './shell/known-commands.ts';
import { prefixOf } from './shell/remembered-prefix.ts';
import { AGENT_TOOL, SHELL_TOOL } from './rule-matching.ts';
import { SESSION_RULE_SOURCE } from './rule.ts';
import type { PolicyCall, PolicyRule } from './rule.ts';
import { loadShellParser } from './shell/shell-command.ts';
import type { Leaf } from './shell/shell-leaves.ts';
import { readShellLine } from './shell/shell-leaves.ts';

/** The part of a rule that identifies its calls, as a rule file writes it. */
export type RuleTarget = { toolName: string; mcpName?: string } & (
  | { commandPrefix?: string }
  | { commandRegex?: string }
  | { argsPattern?: string }
);

const SESSION_PRIORITY = 3.95;
const MAX_TARGET = 1900;
/** An "always" covers the skill that was shown, not all skills. */
const SKILL_TOOL = 'activate_skill';

/**
 * Empty when the call cannot be remembered: an unreadable command cannot be repeated
 * safely. A file is remembered with its folder, `root` for a relative path: another
 * project has files of the same name.
 */
export async function targetsOfAlways(
  call: PolicyCall,
  outcome: ToolConfirmationOutcome,
  root: string,
): Promise<RuleTarget[]> {
  if (call.mcpServer !== undefined) {
    return outcome === 'proceed_always_server'
      ? [{ toolName: '*', mcpName: call.mcpServer }]
      : [{ toolName: call.toolName, mcpName: call.mcpServer }];
  }
  const { command, file_path: path, name, agent_name: agent } = call.args;
  if (call.toolName === SHELL_TOOL) return typeof command === 'string' ? commandTargets(command) : [];
  if (typeof path === 'string') {
    const pair = `"file_path":${JSON.stringify(resolve(root, path))}`;
    return [{ toolName: call.toolName, argsPattern: `\\0${escapeRegExp(pair)}\\0` }];
  }
  if (call.toolName === SKILL_TOOL && typeof name === 'string') {
    return [{ toolName: SKILL_TOOL, argsPattern: `\\0${escapeRegExp(`"name":${JSON.stringify(name)}`)}\\0` }];
  }
  // The name of an agent stands for its invocations.
  if (call.toolName === AGENT_TOOL && typeof agent === 'string') return [{ toolName: agent }];
  return [{ toolName: call.toolName }];
}

async function commandTargets(command: string): Promise<RuleTarget[]> {
  await loadShellParser();
  const { leaves, problems } = readShellLine(command);
  if (problems.length > 0 || leaves.some(isUnread)) return [];
  const targets = leaves
    .filter((leaf) => leaf.command.words.length > 0 && !(leaf.transparent && leaf.risks.length === 0))
    .filter((leaf) => leaf.risks.length > 0 || !isKnownSafe(leaf.command, { trustedFolder: true }))
    .map(commandTarget);
  // A rule file rejects longer expressions, and a user could not review one.
  if (targets.some((target) => JSON.stringify(target).length > MAX_TARGET)) return [];
  return [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()];
}

/** Whether the same words may be a different command next time: a substitution prints a name or code in it. */
function isUnread({ command: { words }, risks }: Leaf): boolean {
  if (words[0]?.kind === 'dynamic') return true;
  return risks.some(({ unreadable }) => unreadable) && words.some(({ output }) => output !== undefined);
}

function commandTarget(leaf: Leaf): RuleTarget {
  const { words } = leaf.command;
  const commandPrefix = leaf.risks.length > 0 ? undefined : prefixOf(leaf.command);
  if (commandPrefix !== undefined) return { toolName: SHELL_TOOL, commandPrefix };
  const exact = escapeRegExp(words.map(({ value }) => quote(value)).join(' '));
  return { toolName: SHELL_TOOL, commandRegex: `${exact}$` };
}

/** Describes the target for the user who is asked. */
export function describeTarget(target: RuleTarget): string {
  if ('commandPrefix' in target && target.commandPrefix !== undefined) return `${target.commandPrefix} *`;
  if ('commandRegex' in target && target.commandRegex !== undefined) {
    return target.commandRegex.slice(0, -1).replaceAll(/\\(.)/gs, '$1');
  }
  return target.toolName;
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** A rule for this session: in the mode of the answer and every more permissive one. */
export function sessionRule(target: RuleTarget, mode: ApprovalMode): PolicyRule {
  const { commandRegex, argsPattern, ...rest } = target as RuleTarget & {
    commandRegex?: string;
    argsPattern?: string;
    commandPrefix?: string;
  };
  return {
    ...rest,
    decision: 'allow',
    priority: SESSION_PRIORITY,
    kind: 'user',
    source: { name: SESSION_RULE_SOURCE },
    modes: modesFrom(mode),
    ...(commandRegex !== undefined && { commandRegex: new RegExp(`^(?:${commandRegex})`) }),
    ...(argsPattern !== undefined && { argsPattern: new RegExp(argsPattern) }),
  };
}
