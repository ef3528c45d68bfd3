/**
 * Computes the cost of reading each token of a text as each token of a file, once per pair
 * of distinct words.
 */

import { extraCost, substitutionCost } from './token-costs.ts';

export interface CostTable {
  /** For each token of the file the id of its word. */
  ids: Int32Array;
  extras: Float32Array;
  /** For each token of the text the cost of reading it as each word of the file. */
  rows: Float32Array[];
}

export function createCostTable(old: readonly string[], file: readonly string[]): CostTable {
  const words = new Map<string, number>();
  const ids = Int32Array.from(file, (key) => words.get(key) ?? (words.set(key, words.size), words.size - 1));
  const distinct = [...words.keys()];
  const tables = new Map<string, Float32Array>();
  const rows = old.map((key) => {
    const known = tables.get(key);
    if (known !== undefined) return known;
    const table = Float32Array.from(distinct, (other) => substitutionCost(key, other));
    tables.set(key, table);
    return table;
  });
  return { ids, extras: Float32Array.from(file, extraCost), rows };
}
