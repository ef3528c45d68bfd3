/**
 * The built-in agents by name and description, and the declaration that offers agents to the model. All that a session
 * needs of the room until it runs an agent or a source brings one. Every request pays for the texts.
 */

import type { JsonSchema } from '../tools/from-schema.ts';

export interface OfferedAgent {
  readonly name: string;
  readonly description: string;
}

export const BUILTIN_AGENTS = {
  codebase_investigator: 'Reads the code base, changes nothing. For architecture, dependencies and causes of bugs.',
  generalist: 'Has all tools. For work on many files, or with much output.',
  cli_help: 'Answers questions about this program from its documentation.',
} as const;

export const AGENT_TOOL = 'invoke_agent';

const DESCRIPTION =
  'Delegates a task to a sub-agent with a context of its own, which returns a report. Use it for repetitive, voluminous or speculative work, not for a small step. Calls in one turn run side by side: never let two of them change files.\nAgents:';

export const AGENT_SCHEMA = {
  type: 'object',
  properties: {
    agent_name: { type: 'string' },
    prompt: { type: 'string', minLength: 1, description: 'The whole task: the agent knows nothing else.' },
    isolation: { type: 'string', enum: ['worktree'], description: 'Works in a git worktree; you get its diff.' },
    resume: { type: 'string', description: 'The id of a run that was cut off.' },
  },
  required: ['agent_name', 'prompt'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const MAX_DESCRIPTION = 200;
/** Longer lists name the rest of the agents only. */
const MAX_LIST = 3_000;

export function describeAgents(agents: readonly OfferedAgent[]): string {
  let length = 0;
  const lines = agents.map(({ name, description }) => {
    const line = `- ${name}: ${shorten(description)}`;
    length += line.length;
    return length <= MAX_LIST ? line : `- ${name}`;
  });
  return [DESCRIPTION, ...lines].join('\n');
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…` : line;
}
