/** Tells the user what the loading of agents found: invalid files, ignored keys, agents that wait for an acknowledgement. */

import { describeServers, words } from '../util/consent-words.ts';
import { describeSecrets } from './agent-auth.ts';
import type { AgentDefinition } from './agent-definition.ts';

export interface AgentsReport {
  /** Invalid files and settings; each is a sentence or more. */
  errors: string[];
  warnings: string[];
  /** Agents of the project that the user has not accepted. */
  pending: readonly AgentDefinition[];
  /** Those that this load accepted, because the user asked for it. */
  acknowledged: readonly AgentDefinition[];
}

const MAX_NAMED = 5;

export function tellReport(
  { errors, warnings, pending, acknowledged }: AgentsReport,
  hint: string | undefined,
  tell: (level: 'info' | 'warning', message: string) => void,
): void {
  for (const message of [...errors, ...warnings]) tell('warning', message);
  if (acknowledged.length > 0) tell('info', `Agents of this project, acknowledged: ${listOf(acknowledged)}.`);
  if (pending.length === 0) return;
  const list = listOf(pending);
  tell('info', `New Agents Discovered in this project, not enabled: ${list}.${hint === undefined ? '' : ` ${hint}`}`);
}

function listOf(agents: readonly AgentDefinition[]): string {
  const names = agents.slice(0, MAX_NAMED).map(describePending);
  const rest = agents.length - names.length;
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** An agent with what it brings: the programs it would run, the address it would send to, and the variables it would send. */
export function describePending(agent: AgentDefinition): string {
  const facts = factsOf(agent);
  return facts.length === 0 ? agent.name : `${agent.name} (${facts.join('; ')})`;
}

/** What the user accepts with an agent, one fact on a line. */
export function describeFully(agent: AgentDefinition): string[] {
  const tools = agent.kind === 'local' ? [`tools: ${agent.tools?.join(', ') ?? 'all of the main agent'}`] : [];
  const facts = [...tools, ...factsOf(agent), ...(agent.file === undefined ? [] : [`file: ${agent.file}`])];
  return [`* ${agent.name}: ${words(agent.description)}`, ...facts.map((fact) => `    ${fact}`)];
}

function factsOf(agent: AgentDefinition): string[] {
  if (agent.kind === 'remote') return describeRemote(agent);
  return describeServers(agent.servers).map((server) => `MCP server ${server}`);
}

function describeRemote({ cardUrl, auth }: Extract<AgentDefinition, { kind: 'remote' }>): string[] {
  const { commands, variables } = describeSecrets(auth);
  return [
    cardUrl ?? 'remote',
    ...variables.map((name) => `sends $${name}`),
    ...commands.map((command) => `runs ${command}`),
  ];
}
