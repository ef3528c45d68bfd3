/** The tools Castor offers as an MCP server: their declarations, and the reader of their arguments. Pure. */

import { isRecord } from '@castor/core/program';
import type { RpcMessage } from './json-rpc.ts';

/** A call as the client sent it, with valid arguments. */
export interface PromptCall {
  readonly prompt: string;
  /** The session to continue; undefined starts one. */
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
}

const MAX_PROMPT = 1_000_000;

const PROMPT = { type: 'string', description: 'What to do, in words. "/", "!" and "@" have no special meaning.' };
const MODEL = { type: 'string', description: 'A model or alias instead of the configured one, e.g. "pro".' };
const SESSION = { type: 'string', description: 'The session_id of an earlier result.' };

const RESULT = {
  type: 'object',
  properties: {
    session_id: { type: 'string', description: 'For continue_session, and for `castor --resume`.' },
    status: { type: 'string', enum: ['success', 'error'] },
    response: { type: 'string', description: 'The final answer.' },
    error: {
      type: 'object',
      properties: { type: { type: 'string' }, message: { type: 'string' }, code: { type: 'number' } },
      required: ['type', 'message'],
    },
    warnings: { type: 'array', items: { type: 'string' } },
    stats: { type: 'object', description: 'Requests, tokens, cost and calls, as in `castor -o json`.' },
  },
  required: ['session_id', 'status', 'response'],
};

const ANNOTATIONS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

function declare(name: string, title: string, description: string, properties: object, required: readonly string[]) {
  const inputSchema = { type: 'object', properties, required, additionalProperties: false };
  return { name, title, description, inputSchema, outputSchema: RESULT, annotations: { title, ...ANNOTATIONS } };
}

export const TOOLS = [
  declare(
    'run_prompt',
    'Run a prompt',
    'Gives Castor, a coding agent, a task in its folder: it reads, searches and edits files and runs commands, within ' +
      'the permissions it was started with. Returns its answer and a session_id.',
    { prompt: PROMPT, model: MODEL },
    ['prompt'],
  ),
  declare(
    'continue_session',
    'Continue a session',
    'Sends a further prompt to an earlier session, which knows all that was said and done in it.',
    { session_id: SESSION, prompt: PROMPT, model: MODEL },
    ['session_id', 'prompt'],
  ),
] as const;

/** The call of `tools/call`; a sentence when the name or the arguments are invalid. */
export function readPromptCall({ name, arguments: given = {} }: RpcMessage): PromptCall | string {
  const tool = TOOLS.find((each) => each.name === name);
  if (!tool) {
    return `Unknown tool: ${JSON.stringify(name)}. The tools are ${TOOLS.map((each) => each.name).join(' and ')}.`;
  }
  if (!isRecord(given)) return '"arguments" must be an object.';
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(tool.inputSchema.properties, key));
  if (unknown !== undefined) return `${tool.name} has no argument ${JSON.stringify(unknown)}.`;
  const { prompt, session_id: sessionId, model } = given;
  if (typeof prompt !== 'string' || prompt.trim() === '') return '"prompt" must be a text that is not empty.';
  if (prompt.length > MAX_PROMPT) return `"prompt" has more than ${MAX_PROMPT} characters.`;
  if (model !== undefined && (typeof model !== 'string' || model.trim() === '')) return '"model" must be a name.';
  if (tool.name === 'run_prompt') return { prompt, model, sessionId: undefined };
  // `latest` and numbers, which `--resume` takes, name another session tomorrow.
  if (typeof sessionId !== 'string' || /^(\s*|latest|\d+)$/.test(sessionId)) {
    return '"session_id" must be the session_id of an earlier result.';
  }
  return { prompt, model, sessionId };
}
