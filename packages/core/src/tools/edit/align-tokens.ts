/**
 * The cheapest way to read a part of a file as a given text: tokens equal, misspelt,
 * missing or extra. The text must be read whole; the file may begin and end anywhere.
 */

import { isWord } from './tokens.ts';

export interface Alignment {
  /** In characters; formatting marks cost next to nothing. */
  cost: number;
  /** For each token of the text the index of the file's token, or -1 where it has none. */
  partners: number[];
  /** The first and last token of the file that are part of it. */
  first: number;
  last: number;
}

/** A formatter adds and removes these at will. */
const FORMATTING_MARKS = new Set([',', ';']);
const QUOTES = new Set(["'", '"', '`']);
const FORMATTING_COST = 0.2;
/** Text only the file has is kept, so that it weighs less than text only the model has. */
const EXTRA_WEIGHT = 0.5;
const MAX_CELLS = 3_000_000;

export function alignTokens(old: readonly string[], file: readonly string[]): Alignment | undefined {
  const rows = old.length;
  const columns = file.length;
  if (rows === 0 || columns === 0 || rows * columns > MAX_CELLS) return undefined;
  const width = columns + 1;
  const costs = new Float32Array((rows + 1) * width);
  const extras = file.map((key) => costOf(key) * EXTRA_WEIGHT);
  for (let row = 1; row <= rows; row++) {
    const key = old[row - 1]!;
    const missing = costOf(key);
    const base = row * width;
    const above = base - width;
    costs[base] = costs[above]! + missing;
    for (let column = 1; column <= columns; column++) {
      const other = file[column - 1]!;
      let cost = costs[above + column - 1]!;
      if (key !== other) cost += substitutionCost(key, other);
      const skipOld = costs[above + column]! + missing;
      const skipFile = costs[base + column - 1]! + extras[column - 1]!;
      costs[base + column] = Math.min(cost, skipOld, skipFile);
    }
  }
  let end = 0;
  for (let column = 1; column <= columns; column++) {
    if (costs[rows * width + column]! < costs[rows * width + end]!) end = column;
  }
  return traceBack(old, file, costs, extras, end);
}

function traceBack(
  old: readonly string[],
  file: readonly string[],
  costs: Float32Array,
  extras: readonly number[],
  end: number,
): Alignment {
  const width = file.length + 1;
  const partners = Array.from<number>({ length: old.length }).fill(-1);
  let row = old.length;
  let column = end;
  while (row > 0) {
    const here = costs[row * width + column]!;
    const key = old[row - 1]!;
    const other = file[column - 1];
    if (other !== undefined && isNear(here, costs[(row - 1) * width + column - 1]! + substitutionCost(key, other))) {
      partners[--row] = --column;
    } else if (isNear(here, costs[(row - 1) * width + column]! + costOf(key))) row--;
    else if (column > 0 && isNear(here, costs[row * width + column - 1]! + extras[column - 1]!)) column--;
    else row--;
  }
  const found = partners.filter((partner) => partner !== -1);
  return { cost: costs[old.length * width + end]!, partners, first: found[0] ?? 0, last: found.at(-1) ?? 0 };
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.01;
}

function costOf(key: string): number {
  return FORMATTING_MARKS.has(key) ? FORMATTING_COST : key.length;
}

function substitutionCost(a: string, b: string): number {
  if (a === b) return 0;
  if (QUOTES.has(a) && QUOTES.has(b)) return FORMATTING_COST;
  if (!isWord(a) || !isWord(b)) return costOf(a) + costOf(b);
  const longer = Math.max(a.length, b.length);
  // A word that shares little is another word; two steps are dearer than one.
  if (Math.abs(a.length - b.length) > longer / 2) return a.length + b.length;
  // Most pairs are unrelated words, and a slip leaves at least one end as it was.
  if (a[0] !== b[0] && a.at(-1) !== b.at(-1)) return a.length + b.length;
  const distance = editDistance(a, b);
  return distance > longer / 2 ? longer + distance / 2 : distance;
}

/** Insertions, deletions, substitutions and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
