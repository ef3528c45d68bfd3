/**
 * Answers requests beside the conversation by rule: lists of models, counting, embedding and whatever paths the test
 * names. They consume no step.
 */

import type { ModelRequest, Step } from '../answer.ts';
import { defaultVectors, isVectors } from '../answer-aside.ts';
import { jsonAnswer } from '../status-faults.ts';
import { field } from './protocol.ts';
import type { ProtocolOptions } from './protocol.ts';

const BYTES_PER_TOKEN = 4;

type Row = Readonly<Record<string, unknown>>;

/** The answer the test gives for this path, if it does. */
export function sideAnswer(request: ModelRequest, { sides = {} }: ProtocolOptions): Step | undefined {
  const path = request.path.split('?')[0]!;
  const found = Object.entries(sides).find(([suffix]) => path.endsWith(suffix))?.[1];
  return typeof found === 'function' ? found(request) : found && jsonAnswer(200, found);
}

/** `GET …/models`. */
export function listModels(
  request: ModelRequest,
  options: ProtocolOptions,
  wrap: (rows: readonly Row[]) => object,
): Step | undefined {
  const side = sideAnswer(request, options);
  if (side !== undefined) return side;
  if (request.method !== 'GET' || !/\/models(\?|$)/.test(request.path)) return undefined;
  return jsonAnswer(200, wrap(options.models ?? []));
}

export function countOf(request: ModelRequest, options: ProtocolOptions): number | Step {
  return options.countTokens?.(request) ?? Math.ceil(request.byteLength / BYTES_PER_TOKEN);
}

/** What Chat Completions and Responses have in common, with llama.cpp's endpoints. */
export function openaiAside(request: ModelRequest, options: ProtocolOptions): Step | undefined {
  const { method, path, action } = request;
  if (action === 'countTokens') {
    const count = countOf(request, options);
    return typeof count === 'number'
      ? jsonAnswer(200, { object: 'response.input_tokens', input_tokens: count })
      : count;
  }
  const listed = listModels(request, options, (data) => ({ object: 'list', data }));
  if (listed !== undefined) return listed;
  if (method === 'GET' && path.endsWith('/health')) return jsonAnswer(200, { status: 'ok' });
  if (method === 'POST' && path.endsWith('/embeddings')) return embed(request, options);
  return undefined;
}

function embed(request: ModelRequest, options: ProtocolOptions): Step {
  const input = field(request.body, 'input');
  const vectors = options.embed?.(request) ?? defaultVectors({ requests: Array.isArray(input) ? input : [input] });
  if (!isVectors(vectors)) return vectors;
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  return jsonAnswer(200, { object: 'list', data, model: request.model });
}
