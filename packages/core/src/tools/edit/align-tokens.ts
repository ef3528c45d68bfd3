/**
 * Aligns a text with a given part of a file at the lowest cost: tokens equal, misspelt,
 * missing or extra. When several alignments cost the same, it returns the two that differ
 * most, so that a caller can see whether the choice matters.
 */

import { createCostTable } from './cost-table.ts';
import { missingCosts, toLinedKeys } from './lined-keys.ts';
import { previousBreaks, repeatedLines } from './scan-tokens.ts';
import { extraCost, LINE_BREAK, SKIPPED_LINE_COST, substitutionCost } from './token-costs.ts';
import type { Tokens } from './tokens.ts';

export interface Alignment {
  /** For each token of the text the index of its token in the file, or -1 when the file lacks it. */
  partners: number[];
}

const MAX_CELLS = 4_000_000;
const MARGIN = 60;

/** Aligns `old` with `file`, which holds only the candidate part; undefined when the part is too large. */
export function alignTokens(old: Tokens, file: Tokens): Alignment[] | undefined {
  const [a, b] = [toLinedKeys(old), toLinedKeys(file)];
  const { head, tail } = findSame(a.keys, b.keys);
  const keys = [a.keys.slice(head, a.keys.length - tail), b.keys.slice(head, b.keys.length - tail)] as const;
  if (keys[0].length * keys[1].length > MAX_CELLS || file.keys.length === 0) return undefined;
  const costs = fill(...keys);
  return [true, false].map((prefersPairs) => {
    const partners = Array.from<number>({ length: old.keys.length }).fill(-1);
    const pair = (row: number, column: number) => {
      if (a.keys[row] !== LINE_BREAK) partners[a.tokens[row]!] = b.tokens[column]!;
    };
    for (let index = 0; index < head; index++) pair(index, index);
    for (let index = 1; index <= tail; index++) pair(a.keys.length - index, b.keys.length - index);
    for (const [row, column] of traceBack(...keys, costs, prefersPairs)) pair(head + row, head + column);
    return { partners };
  });
}

/** Counts the equal keys at both ends, minus a few lines within which a gap could move. */
function findSame(a: readonly string[], b: readonly string[]): { head: number; tail: number } {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head: Math.max(0, head - MARGIN), tail: Math.max(0, tail - MARGIN) };
}

/** The cost of aligning both token lists completely. */
export function distanceOf(a: Tokens, b: Tokens): number | undefined {
  const [old, file] = [toLinedKeys(a).keys, toLinedKeys(b).keys];
  return old.length * file.length > MAX_CELLS ? undefined : fill(old, file).at(-1)!;
}

function fill(old: readonly string[], file: readonly string[]): Float32Array {
  const width = file.length + 1;
  const costs = new Float32Array((old.length + 1) * width);
  const { ids, extras, rows } = createCostTable(old, file);
  const breaks = previousBreaks(file);
  const skipLine = (base: number, column: number) =>
    breaks[column - 1]! > 0 ? costs[base + breaks[column - 1]!]! + SKIPPED_LINE_COST : Infinity;
  for (let column = 1; column < width; column++) {
    costs[column] = Math.min(costs[column - 1]! + extras[column - 1]!, skipLine(0, column));
  }
  const missings = missingCosts(old);
  const repeats = repeatedLines(old);
  for (let row = 1; row <= old.length; row++) {
    const table = rows[row - 1]!;
    const missing = missings[row - 1]!;
    const base = row * width;
    const above = base - width;
    costs[base] = costs[above]! + missing;
    for (let column = 1; column < width; column++) {
      const pair = costs[above + column - 1]! + table[ids[column - 1]!]!;
      const skipOld = costs[above + column]! + missing;
      const skipFile = costs[base + column - 1]! + extras[column - 1]!;
      const lineAbove =
        repeats[row - 1]! > 0 ? costs[repeats[row - 1]! * width + column]! + SKIPPED_LINE_COST : Infinity;
      costs[base + column] = Math.min(pair, skipOld, skipFile, skipLine(base, column), lineAbove);
    }
  }
  return costs;
}

/** Yields the pairs of one alignment, last first: the alignment that pairs as late, or as early, as possible. */
function* traceBack(
  old: readonly string[],
  file: readonly string[],
  costs: Float32Array,
  prefersPairs: boolean,
): Generator<[number, number]> {
  const width = file.length + 1;
  const breaks = previousBreaks(file);
  const repeats = repeatedLines(old);
  const isRepeated = (from: number, at: number) =>
    repeats[from - 1]! > 0 &&
    isNear(costs[from * width + at]!, costs[repeats[from - 1]! * width + at]! + SKIPPED_LINE_COST);
  let row = old.length;
  let column = file.length;
  while (row > 0 || column > 0) {
    const here = costs[row * width + column]!;
    const isPair =
      row > 0 &&
      column > 0 &&
      isNear(here, costs[(row - 1) * width + column - 1]! + substitutionCost(old[row - 1]!, file[column - 1]!));
    const isExtra = column > 0 && isNear(here, costs[row * width + column - 1]! + extraCost(file[column - 1]!));
    const lineStart = breaks[column - 1] ?? 0;
    const isSkipped = lineStart > 0 && isNear(here, costs[row * width + lineStart]! + SKIPPED_LINE_COST);
    if (isPair && (prefersPairs || !(isExtra || isSkipped))) yield [--row, --column];
    else if (isSkipped) column = lineStart;
    else if (isExtra) column--;
    else row = isRepeated(row, column) ? repeats[row - 1]! : row - 1;
  }
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.01;
}
