/** Composes what a child reads first: its system instruction and the request with its task. Pure. */

import { ToolError } from '../protocol/errors.ts';
import type { LocalAgent } from './agent-definition.ts';
import { DEFAULT_INPUT } from './agent-definition.ts';

export interface PromptVariables {
  task: string;
  cliVersion: string;
  activeModel: string;
  today: string;
}

export interface InstructionOptions {
  agent: LocalAgent;
  variables: PromptVariables;
  /** The instruction of the main agent, for an agent that begins with it. */
  mainPrompt: string;
  /** The list of skills, for an agent that may activate one. */
  skills: string;
  /** The user's own instructions for every session. */
  memory: string;
  isPlanMode: boolean;
  /** The folder it works in. */
  root: string;
  isIsolated: boolean;
}

const RULES = `Important Rules:
- You work alone: the user cannot answer questions while you work. Decide yourself, and report what you could not decide.
- Use absolute paths.
- An operation that was rejected stays rejected: do not repeat it, find another way or report it.
- When the task is done, or cannot be done, call complete_task with the whole result, and nothing else in that turn. Without that call your work is lost.`;
const PLAN = `# Execution Constraints
Plan mode is on: you can only read. Describe changes instead of making them.`;
const ISOLATED =
  'You work in a copy of the project of your own. When you are done, your changes go to the user as a diff; do not commit.';

export function createInstruction(options: InstructionOptions): string {
  const { agent, variables, mainPrompt, skills, memory, isPlanMode, root, isIsolated } = options;
  const parts = [
    agent.usesMainPrompt ? mainPrompt : '',
    fillIn(agent.prompt, agent, variables),
    skills,
    memory,
    `You are the sub-agent ${agent.name}. Your folder is ${root}.${isIsolated ? ` ${ISOLATED}` : ''}`,
    isPlanMode ? PLAN : '',
    RULES,
  ];
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

/** Throws ToolError for a variable that does not exist. */
function fillIn(text: string, agent: LocalAgent, variables: PromptVariables): string {
  const { task, ...others } = variables;
  const known: Record<string, string> = { ...others, [agent.inputName ?? DEFAULT_INPUT]: task };
  const missing = new Set<string>();
  const filled = text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => {
    if (Object.hasOwn(known, name)) return known[name] ?? '';
    missing.add(name);
    return whole;
  });
  if (missing.size === 0) return filled;
  const names = [...missing].join(', ');
  throw new ToolError(
    `Template validation failed: Missing required input parameters: ${names}. The prompt of the agent ${agent.name} may use ${Object.keys(known).join(', ')}${agent.file === undefined ? '' : ` (${agent.file})`}.`,
    'execution_failed',
  );
}

export const GRACE =
  'You have one last turn. Call complete_task now with everything you have found and done so far, and say what is missing. No other tool is available.';
