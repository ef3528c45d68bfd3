/**
 * What `/agents config` changes of a sub-agent: the field's name, its place below `agents.overrides.<name>`, and how a
 * typed value is read. The words of a command and the dialog of a terminal share it.
 */

import { getErrorMessage } from '@castor/core';
import type { AgentDefinition, SessionAgents } from '@castor/core/program';
import type { CommandServices } from './command.ts';

export interface AgentField {
  readonly name: string;
  readonly title: string;
  readonly path: readonly string[];
  /** What may be typed, for the user. */
  readonly expected: string;
  /** Undefined for an invalid value. */
  parse(text: string): unknown;
  current(agent: AgentDefinition): unknown;
}

type Numbers = { readonly least: number; readonly most?: number; readonly isWhole?: boolean };

function parseNumber(text: string, { least, most = Infinity, isWhole = false }: Numbers): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return value >= least && value <= most && Number.isFinite(value) && (!isWhole || Number.isInteger(value))
    ? value
    : undefined;
}

function generation(name: string, title: string, expected: string, numbers: Numbers): AgentField {
  return {
    ...{ name, title, expected },
    path: ['modelConfig', 'generateContentConfig', name],
    parse: (text) => parseNumber(text, numbers),
    current: (agent) =>
      agent.kind === 'local' ? (agent.generation as Record<string, unknown> | undefined)?.[name] : undefined,
  };
}

function limit(name: string, title: string, isWhole: boolean, current: AgentField['current']): AgentField {
  const expected = isWhole ? 'a whole number above 0' : 'a number above 0';
  const parse = (text: string) => parseNumber(text, { least: isWhole ? 1 : Number.MIN_VALUE, isWhole });
  return { name, title, expected, path: ['runConfig', name], parse, current };
}

const ENABLED: AgentField = {
  name: 'enabled',
  title: 'Enabled',
  path: ['enabled'],
  expected: 'true or false',
  parse: (text) => ({ true: true, false: false })[text.trim()],
  current: ({ isDisabled }) => !isDisabled,
};

const FIELDS: readonly AgentField[] = [
  ENABLED,
  {
    name: 'model',
    title: 'Model',
    path: ['modelConfig', 'model'],
    expected: 'the name of a model, or inherit',
    parse: (text) => (/^\S+$/.test(text.trim()) ? text.trim() : undefined),
    current: (agent) => (agent.kind === 'local' ? agent.model : undefined),
  },
  generation('temperature', 'Temperature', 'a number from 0 to 2', { least: 0, most: 2 }),
  generation('topP', 'Top P', 'a number from 0 to 1', { least: 0, most: 1 }),
  generation('topK', 'Top K', 'a whole number above 0', { least: 1, isWhole: true }),
  generation('maxOutputTokens', 'Max Output Tokens', 'a whole number above 0', { least: 1, isWhole: true }),
  limit('maxTimeMinutes', 'Max Time (minutes)', false, (agent) =>
    agent.kind === 'local' ? agent.maxMinutes : undefined,
  ),
  limit('maxTurns', 'Max Turns', true, (agent) => (agent.kind === 'local' ? agent.maxTurns : undefined)),
];

/** An agent on another machine has its own model and limits. */
export function fieldsOf({ kind }: AgentDefinition): readonly AgentField[] {
  return kind === 'local' ? FIELDS : [ENABLED];
}

export function showField(field: AgentField, agent: AgentDefinition): string {
  const value = field.current(agent);
  return value === undefined ? 'as the model has it' : JSON.stringify(value).replaceAll('"', '');
}

/** Changes the agent from now on, and in the user's file; `undefined` restores its own value. Returns a problem. */
export async function changeField(
  { registry }: SessionAgents,
  services: CommandServices | undefined,
  { agent, field, value }: { agent: string; field: AgentField; value: unknown },
): Promise<string | undefined> {
  await registry.override(agent, field.path, value);
  try {
    await services?.saveSetting?.(['agents', 'overrides', agent, ...field.path].join('.'), value);
    return services?.saveSetting ? undefined : 'It holds in this session only: settings cannot be saved here.';
  } catch (error) {
    return `It holds in this session only: ${getErrorMessage(error)}`;
  }
}
