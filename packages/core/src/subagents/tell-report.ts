/** Tells the user what the loading of agents found: invalid files, ignored keys, agents that wait for an acknowledgement. */

import { describeSecrets } from './agent-auth.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { AgentsReport } from './agent-registry.ts';

const MAX_NAMED = 5;

export function tellReport(
  { errors, warnings, pending }: AgentsReport,
  hint: string | undefined,
  tell: (level: 'info' | 'warning', message: string) => void,
): void {
  for (const message of [...errors, ...warnings]) tell('warning', message);
  if (pending.length === 0) return;
  const names = pending.slice(0, MAX_NAMED).map(describePending);
  const rest = pending.length - names.length;
  const list = [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  tell('info', `New Agents Discovered in this project, not enabled: ${list}.${hint === undefined ? '' : ` ${hint}`}`);
}

/** An agent with what it brings: the programs it would run, the address it would send to, and the variables it would send. */
export function describePending(agent: AgentDefinition): string {
  const facts = agent.kind === 'local' ? describeServers(agent.servers) : describeRemote(agent);
  return facts.length === 0 ? agent.name : `${agent.name} (${facts.join('; ')})`;
}

function describeServers(servers: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(servers).map(([name, entry]) => {
    const { command, args, url, httpUrl } = (entry ?? {}) as Record<string, unknown>;
    const list: unknown[] = Array.isArray(args) ? args : [];
    const words = [command ?? httpUrl ?? url, ...list].filter((word) => typeof word === 'string');
    return `MCP server ${name}: ${words.join(' ')}`;
  });
}

function describeRemote({ cardUrl, auth }: Extract<AgentDefinition, { kind: 'remote' }>): string[] {
  const { commands, variables } = describeSecrets(auth);
  return [
    cardUrl ?? 'remote',
    ...variables.map((name) => `sends $${name}`),
    ...commands.map((command) => `runs ${command}`),
  ];
}
