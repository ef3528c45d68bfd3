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
  const rows = inForce.map((rule, index) => `${String(index + 1).padStart(3)}. ${describeRule(rule)}`);
  return [`Approval mode ${toCliName(mode)}; active rules:`, ...rows].join('\n');
}

function describeRule(rule: PolicyRule): string {
  const pattern = rule.commandPrefix ?? (rule.commandRegex ?? rule.argsPattern)?.source;
  const about = [
    ...(rule.subagent === undefined ? [] : [`agent ${rule.subagent}`]),
    ...(rule.mcpName === undefined ? [] : [`mcp ${rule.mcpName}`]),
    rule.toolName,
    // A rule that names a tool holds for that tool only; its kinds are a detail.
    ...(rule.toolKinds && rule.toolName === '*' ? [`of kind ${rule.toolKinds.join(', ')}`] : []),
    ...(pattern === undefined ? [] : [`"${pattern}"`]),
  ].join(' ');
  const { name, line } = rule.source;
  return `${rule.decision.padEnd(8)} ${about} (${line === undefined ? name : `${name}:${line}`})`;
}
