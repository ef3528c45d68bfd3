/** `/policies`: lists the rules in force, each with its subject and its origin. */

import type { PolicyRule } from '@castor/core';
import { toCliName } from '@castor/core/program';
import { info } from './command.ts';
import type { CommandContext, SlashCommand } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  description: 'Lists the active policy rules, highest priority first.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: (context) => info(describe(context)),
};

export const policies: SlashCommand = {
  name: 'policies',
  description: 'Shows the policy rules.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [list],
  run: (context) => info(describe(context)),
};

function describe({ agent }: CommandContext): string {
  const { rules, mode, canAsk } = agent.policy;
  const inForce = rules.filter(
    ({ modes, interactive = canAsk }) => (!modes || modes.includes(mode)) && interactive === canAsk,
  );
  const width = Math.min(MOST_SUBJECT, Math.max(0, ...inForce.map((rule) => subjectOf(rule).length)));
  const rows = inForce.map((rule, index) => `${String(index + 1).padStart(3)}. ${describeRule(rule, width)}`);
  return [`Approval mode ${toCliName(mode)}; active rules:`, ...rows].join('\n');
}

/** A longer subject moves its own origin only. */
const MOST_SUBJECT = 32;

function describeRule(rule: PolicyRule, width: number): string {
  const { name, line } = rule.source;
  const origin = line === undefined ? name : `${name}:${line}`;
  return `${rule.decision.padEnd(8)}  ${subjectOf(rule).padEnd(width)}  ${origin}`;
}

function subjectOf(rule: PolicyRule): string {
  const pattern = rule.commandPrefix ?? (rule.commandRegex ?? rule.argsPattern)?.source;
  return [
    ...(rule.subagent === undefined ? [] : [`agent ${rule.subagent}`]),
    ...(rule.mcpName === undefined ? [] : [`mcp ${rule.mcpName}`]),
    rule.toolName,
    // A rule that names a tool holds for that tool only; its kinds are a detail.
    ...(rule.toolKinds && rule.toolName === '*' ? [`of kind ${rule.toolKinds.join(', ')}`] : []),
    ...(pattern === undefined ? [] : [`"${pattern}"`]),
  ].join(' ');
}
