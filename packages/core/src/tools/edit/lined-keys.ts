/**
 * Adds a marker for every line break, and one at each end, to the keys of tokens, so that
 * an alignment that keeps lines together costs less than one that splits them.
 */

import { LINE_BREAK, missingCost } from './token-costs.ts';
import type { Tokens } from './tokens.ts';

export interface LinedKeys {
  keys: string[];
  /** For each key the index of its token; for a break the index of the token after it. */
  tokens: number[];
}

export function toLinedKeys(tokens: Tokens): LinedKeys {
  const lined: LinedKeys = { keys: [], tokens: [] };
  const push = (key: string, token: number) => {
    lined.keys.push(key);
    lined.tokens.push(token);
  };
  for (let index = 0; index < tokens.keys.length; index++) {
    if (beginsLine(tokens, index)) push(LINE_BREAK, index);
    push(tokens.keys[index]!, index);
  }
  push(LINE_BREAK, tokens.keys.length);
  return lined;
}

/** Whether a token is the first of the list or of its line; true for the end of the list too. */
export function beginsLine({ text, starts, ends }: Tokens, index: number): boolean {
  if (index === 0 || index >= starts.length) return true;
  const at = text.indexOf('\n', ends[index - 1]);
  return at !== -1 && at < starts[index]!;
}

/** The first and the last line mark where a text begins and ends, so that leaving them out costs more. */
const EDGE_WEIGHT = 3;

/** For each key of a text its cost when the file lacks it. */
export function missingCosts(keys: readonly string[]): number[] {
  const [first, last] = [keys.indexOf(LINE_BREAK, 1), keys.lastIndexOf(LINE_BREAK, -2)];
  const isEdge = (key: string, index: number) => key !== LINE_BREAK && first < last && (index < first || index > last);
  return keys.map((key, index) => missingCost(key) * (isEdge(key, index) ? EDGE_WEIGHT : 1));
}
