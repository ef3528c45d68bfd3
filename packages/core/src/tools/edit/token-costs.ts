/**
 * Defines the cost of reading one token as another, in characters. Marks that formatters
 * add or remove freely cost almost nothing; a line break missing from the other text costs
 * little, but enough to separate two readings.
 */

import { isWord } from './tokens.ts';
import { editDistance } from '../../util/edit-distance.ts';

/** Stands for the end of a line among keys. */
export const LINE_BREAK = '\n';

/** The maximum cost of a whole line that only the file has: a model leaves out a long line as easily as a short one. */
export const SKIPPED_LINE_COST = 2.5;

const FORMATTING_MARKS = new Set([',', ';']);
const QUOTES = new Set(["'", '"', '`']);
const BRACKETS = new Set(['(', ')', '[', ']', '{', '}']);
const FORMATTING_COST = 0.2;
const BRACKET_COST = 2;
const LINE_BREAK_COST = 1.6;
/** Text that only the file has stays in it, so that it weighs less than text that only the model has. */
const EXTRA_WEIGHT = 0.5;

export function isQuote(key: string): boolean {
  return QUOTES.has(key);
}

/** The cost of a token the file lacks; a slip does not add a bracket. */
export function missingCost(key: string): number {
  if (key === LINE_BREAK) return LINE_BREAK_COST;
  if (FORMATTING_MARKS.has(key)) return FORMATTING_COST;
  return BRACKETS.has(key) ? BRACKET_COST : key.length;
}

/** The cost of a token only the file has. */
export function extraCost(key: string): number {
  if (key === LINE_BREAK) return LINE_BREAK_COST;
  return (FORMATTING_MARKS.has(key) ? FORMATTING_COST : key.length) * EXTRA_WEIGHT;
}

export function substitutionCost(a: string, b: string): number {
  if (a === b) return 0;
  if (QUOTES.has(a) && QUOTES.has(b)) return FORMATTING_COST;
  // A mark or another word is not a misspelling: one token is missing and the other is extra.
  if (!isWord(a) || !isWord(b)) return Infinity;
  const longer = Math.max(a.length, b.length);
  if (Math.abs(a.length - b.length) > Math.max(1, longer / 3)) return Infinity;
  // Most pairs are unrelated words, and a slip leaves at least one end of a word intact.
  if (a[0] !== b[0] && a.at(-1) !== b.at(-1)) return Infinity;
  const distance = editDistance(a, b);
  return distance > Math.max(1, longer / 3) ? Infinity : distance;
}
