/**
 * Applies `agents.overrides` to a definition: `{enabled, modelConfig, runConfig, tools, mcpServers}` by name; the entry
 * `*` holds for every agent that has none of its own for a key. Pure.
 */

import { isRecord } from '../util/is-record.ts';
import type { AgentDefinition, LocalAgent } from './agent-definition.ts';

export type AgentOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const EVERY = '*';

/** A project cannot start a server by an override: its servers are settings the user consents to. */
export function withoutServersOf(project: unknown, overrides: AgentOverrides): AgentOverrides {
  const given = isRecord(project) && isRecord(project['overrides']) ? project['overrides'] : {};
  const isOfProject = (name: string) => isRecord(given[name]) && 'mcpServers' in given[name];
  return Object.fromEntries(
    Object.entries(overrides).map(([name, { mcpServers, ...entry }]) => [
      name,
      mcpServers === undefined || isOfProject(name) ? entry : { ...entry, mcpServers },
    ]),
  );
}

/** An invalid value is reported and has no effect. */
export function applyOverride(agent: AgentDefinition, overrides: AgentOverrides, errors: string[]): AgentDefinition {
  const own = Object.hasOwn(overrides, agent.name) ? overrides[agent.name] : undefined;
  const entry = { ...overrides[EVERY], ...own };
  if (Object.keys(entry).length === 0) return agent;
  const fail = (key: string, expected: string) => {
    errors.push(`settings: agents.overrides.${agent.name}.${key}: expected ${expected}.`);
  };
  const isDisabled = entry['enabled'] === false;
  if (agent.kind === 'remote') return { ...agent, ...(isDisabled && { isDisabled }) };
  return { ...agent, ...(isDisabled && { isDisabled }), ...toLocal(agent, entry, fail) };
}

function toLocal(
  agent: LocalAgent,
  entry: Readonly<Record<string, unknown>>,
  fail: (key: string, expected: string) => void,
): Partial<LocalAgent> {
  const recordOf = (key: string): Readonly<Record<string, unknown>> => {
    const value = entry[key];
    if (value === undefined || isRecord(value)) return value ?? {};
    fail(key, 'an object');
    return {};
  };
  const run = recordOf('runConfig');
  const { model, generateContentConfig } = recordOf('modelConfig');
  const count = (key: string) => {
    const value = run[key];
    if (value === undefined || (typeof value === 'number' && value > 0)) return value as number | undefined;
    return fail(`runConfig.${key}`, 'a number above 0');
  };
  const maxTurns = count('maxTurns');
  const maxMinutes = count('maxTimeMinutes');
  const { tools } = entry;
  const isList = Array.isArray(tools) && tools.every((each) => typeof each === 'string');
  if (tools !== undefined && !isList) fail('tools', 'a list of tool names');
  return {
    ...(typeof model === 'string' && { model }),
    ...(isRecord(generateContentConfig) && { generation: { ...agent.generation, ...generateContentConfig } }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxMinutes !== undefined && { maxMinutes }),
    ...(isList && { tools: tools as string[] }),
    // The servers of the file stay: an override of the turns must not remove them.
    servers: { ...agent.servers, ...recordOf('mcpServers') },
  };
}
