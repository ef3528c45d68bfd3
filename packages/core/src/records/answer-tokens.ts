/** Reads the tokens of an answer from its record. Pure. */

import type { AnswerTokens } from '../protocol/answer-tokens.ts';
import { isRecord } from '../util/is-record.ts';

const NOTHING = { input: 0, output: 0, cached: 0, thoughts: 0, tool: 0, total: 0, cacheWrite: 0 };

/** Undefined for a message without tokens. */
export function toAnswerTokens(message: {
  readonly model?: unknown;
  readonly tokens?: unknown;
}): AnswerTokens | undefined {
  const { model, tokens } = message;
  if (!isRecord(tokens)) return undefined;
  const counts = Object.entries(tokens).filter(([name, count]) => Object.hasOwn(NOTHING, name) && isCount(count));
  return { ...NOTHING, ...Object.fromEntries(counts), model: typeof model === 'string' ? model : '' };
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
