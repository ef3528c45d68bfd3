/**
 * Answers calls beside the conversation: counting tokens and embedding. They are answered by rule and consume no step,
 * so that a script contains the model's turns only.
 */

import type { ModelRequest, Step } from './answer.ts';
import { jsonAnswer } from './status-faults.ts';

export interface AsideOptions {
  /** The number of tokens, or a step such as a fault. Default a quarter of the body's bytes. */
  readonly countTokens?: (request: ModelRequest) => number | Step;
  /** One vector per requested content, or a step. Default a vector of the content's index. */
  readonly embed?: (request: ModelRequest) => readonly (readonly number[])[] | Step;
  /** The rows of the list of models, verbatim. Default none. */
  readonly models?: readonly Readonly<Record<string, unknown>>[];
  /** JSON, or a step, for paths that end so: `{ '/props': { … } }`. Only for protocols other than Gemini. */
  readonly sides?: Readonly<Record<string, object | ((request: ModelRequest) => Step)>>;
}

const BYTES_PER_TOKEN = 4;

/** Undefined when the script answers the request. */
export function answerAside(request: ModelRequest, options: AsideOptions): Step | undefined {
  if (request.action === 'countTokens') {
    const count = options.countTokens?.(request) ?? Math.ceil(request.byteLength / BYTES_PER_TOKEN);
    return typeof count === 'number' ? jsonAnswer(200, { totalTokens: count }) : count;
  }
  if (request.method === 'GET' && options.models) return jsonAnswer(200, { models: options.models });
  if (request.action === 'predict') {
    const vectors = options.embed?.(request) ?? defaultVectors({ requests: [request.body] });
    if (!isVectors(vectors)) return vectors;
    return jsonAnswer(200, { predictions: vectors.map((values) => ({ embeddings: { values } })) });
  }
  if (request.action === 'batchEmbedContents') {
    const vectors = options.embed?.(request) ?? defaultVectors(request.body);
    if (!isVectors(vectors)) return vectors;
    return jsonAnswer(200, { embeddings: vectors.map((values) => ({ values })) });
  }
  return undefined;
}

export function isVectors(value: readonly (readonly number[])[] | Step): value is readonly (readonly number[])[] {
  return Array.isArray(value);
}

export function defaultVectors(body: unknown): number[][] {
  const { requests } = body as { requests?: unknown };
  return Array.isArray(requests) ? requests.map((_, index) => [index, 0, 1]) : [];
}
