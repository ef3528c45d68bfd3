/**
 * Decides whether the differences between an old text and a place are slips, so that the
 * place is the intended one. Differences where the new text agrees with the file are
 * slips. Elsewhere a difference with a meaning of its own (a number, an operator, another
 * existing name) counts against the place: a refusal costs a turn, an edit in the wrong
 * place costs the user's work.
 */

import type { Compared } from './compared.ts';
import type { Difference } from './differences.ts';
import { beginsLine } from './lined-keys.ts';
import type { Reconciled } from './reconcile.ts';
import { isSingleSlip } from './single-slip.ts';
import { extraCost, isQuote, missingCost, substitutionCost } from './token-costs.ts';
import { isWord } from './tokens.ts';
import type { Tokens } from './tokens.ts';
import { hasSameDigits, isMisspelling } from './word-slips.ts';
import { editDistance } from '../../util/edit-distance.ts';

const THRESHOLD = 0.1;
/** With fewer equal tokens, or a larger wrong share, the text does not identify the place. */
const MIN_EQUAL_TOKENS = 3;
const MAX_WRONG = 0.4;
/** A text of at least this many tokens still identifies its place with one error in it. */
const MIN_TOKENS_FOR_SLIP = 10;
/** In fewer lines, a missing one may be the very difference between two copies. */
const MIN_LINES_WITH_HOLE = 4;
/** Marks whose absence does not change the meaning. */
const FREE_MARKS = new Set([',', ';', '"', "'", '`', '.', '\\']);

export function areSlips(
  compared: Compared,
  differences: readonly Difference[],
  { witnesses }: Pick<Reconciled, 'witnesses'>,
): boolean {
  const { old } = compared;
  const characters = old.keys.reduce((sum, key) => sum + key.length, 0);
  const wrong = differences.reduce((sum, { from, to }) => sum + to - from, 0);
  if (old.keys.length - wrong < MIN_EQUAL_TOKENS) return false;
  const unlike = differences.filter(({ from, to }) => from < to);
  if (totalCost(compared, unlike) > characters * MAX_WRONG) return false;
  const repeated = differences.filter(({ from, to }, index) => from < to && witnesses[index] === 'slip');
  if (!repeated.every((difference) => isTypo(compared, difference))) return false;
  const doubtful = differences.filter((_, index) => witnesses[index] !== 'file');
  if (doubtful.length === 0) return true;
  const [first] = doubtful;
  const isLong = old.keys.length >= MIN_TOKENS_FOR_SLIP;
  if (doubtful.length === 1 && isLong && isSingleSlip(compared, first!)) return true;
  const inLines = differences.filter(
    (difference, index) => isLinesLeftOut(compared, difference) && witnesses[index] === 'slip',
  );
  if (inLines.length > 0 && !isLittleLeftOut(compared, inLines)) return false;
  const others = doubtful.filter((difference) => !inLines.includes(difference));
  // Two distinct errors the new text does not confirm indicate a different place.
  if (new Set(others.map((difference) => describe(compared, difference)).filter((text) => /\w/.test(text))).size > 1)
    return false;
  return (
    totalCost(compared, others) <= characters * THRESHOLD &&
    others.every((difference) => isHarmless(compared, difference))
  );
}

/** Whether the model left out whole lines of the file. */
function isLinesLeftOut({ old, file }: Compared, { from, to, first, last }: Difference): boolean {
  return from === to && beginsLine(file, first) && beginsLine(file, last) && beginsLine(old, from);
}

/** Whether at most every third line is missing and the others are indented exactly: an incomplete copy, not a similar text. */
function isLittleLeftOut({ old, file }: Compared, differences: readonly Difference[]): boolean {
  const isLeftOut = (index: number) => differences.some(({ first, last }) => index >= first && index < last);
  const [wanted, found] = [indentationsOf(old, () => false), indentationsOf(file, isLeftOut)];
  const left = indentationsOf(file, () => false).length - found.length;
  return (
    wanted.length >= MIN_LINES_WITH_HOLE &&
    left * 3 <= wanted.length &&
    wanted.slice(1).join('\n') === found.slice(1).join('\n')
  );
}

/** The whitespace before each line, except the left-out lines. */
function indentationsOf(tokens: Tokens, isLeftOut: (index: number) => boolean): string[] {
  const { text, starts } = tokens;
  return starts
    .filter((_, index) => beginsLine(tokens, index) && !isLeftOut(index))
    .map((start) => text.slice(text.lastIndexOf('\n', start - 1) + 1, start));
}

function totalCost(compared: Compared, differences: readonly Difference[]): number {
  return differences.reduce((sum, difference) => sum + costOf(compared, difference), 0);
}

function describe({ old, file }: Compared, { from, to, first, last }: Difference): string {
  return `${old.keys.slice(from, to).join(' ')} ${file.keys.slice(first, last).join(' ')}`;
}

function costOf({ old, file }: Compared, { from, to, first, last }: Difference): number {
  const [wanted, found] = [old.keys.slice(from, to), file.keys.slice(first, last)];
  const pairs = wanted.map((key, index) => substitutionCost(key, found[index] ?? ''));
  if (wanted.length === found.length && !pairs.includes(Infinity)) return pairs.reduce((sum, cost) => sum + cost, 0);
  const sumOf = (keys: readonly string[], cost: (key: string) => number) =>
    keys.reduce((sum, key) => sum + cost(key), 0);
  return sumOf(wanted, missingCost) + sumOf(found, extraCost);
}

function isHarmless(compared: Compared, difference: Difference): boolean {
  const { old, file } = compared;
  const { from, to, first, last } = difference;
  const [wanted, found] = [old.keys.slice(from, to), file.keys.slice(first, last)];
  if (wanted.length === 0) return found.length === 1 && !/[-\w+*/%<>=!&|^~?]/.test(found[0]!);
  if (found.length === 0) return wanted.every((key) => !/\d/.test(key) && (isWord(key) || FREE_MARKS.has(key)));
  if (wanted.length !== found.length) return false;
  return wanted.every((key, index) => isSameThing(compared.content, key, found[index]!));
}

/** Whether a slip in both texts is a typing error: a model that intends another name also writes it twice. */
function isTypo({ old, file }: Compared, { from, to, first, last }: Difference): boolean {
  const [wanted, found] = [old.keys.slice(from, to), file.keys.slice(first, last)];
  if (found.length === 0) return wanted.every((key) => FREE_MARKS.has(key));
  // Words joined because a bracket was left out.
  if (found.length === wanted.length + 2)
    return found.toSpliced(1, 1).join('') === wanted.join('') && isBracket(found[1]!);
  return wanted.length === found.length && wanted.every((key, index) => isMistyped(key, found[index]!));
}

function isBracket(key: string): boolean {
  return '()[]{}'.includes(key);
}

function isMistyped(wanted: string, found: string): boolean {
  if (wanted === found || (isQuote(wanted) && isQuote(found))) return true;
  if (wanted.toLowerCase() === found.toLowerCase()) return true;
  const keepsEnds = wanted[0] === found[0] && wanted.at(-1) === found.at(-1);
  return isWord(wanted) && isWord(found) && keepsEnds && editDistance(wanted, found) === 1;
}

function isSameThing(content: string, wanted: string, found: string): boolean {
  if (wanted === found) return true;
  if (!isWord(wanted) || !isWord(found)) return isQuote(wanted) && isQuote(found);
  return hasSameDigits(wanted, found) && isMisspelling(content, wanted, found);
}
