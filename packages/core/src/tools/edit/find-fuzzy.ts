/**
 * Finds the one place of a file most similar to a text that does not occur exactly. It
 * compares all places; when another place, or another reading of the same place, is nearly
 * as close, it returns none. judge-differences.ts decides whether the differences are
 * slips.
 */

import { distanceOf } from './align-tokens.ts';
import { findWindows } from './find-windows.ts';
import { beginsLine, toLinedKeys } from './lined-keys.ts';
import type { LinedKeys } from './lined-keys.ts';
import type { LineIndex } from './line-index.ts';
import { RIVAL_FACTOR, scanTokens } from './scan-tokens.ts';
import { LINE_BREAK } from './token-costs.ts';
import { tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** The tokens of the file from `from` to `to`, end exclusive. */
export interface FuzzyPlace {
  file: Tokens;
  from: number;
  to: number;
  cost: number;
  /** Nearly as likely readings of the place with other ends. */
  others: { from: number; to: number }[];
}

export interface FuzzyResult {
  /** The matching place, when exactly one qualifies. */
  place?: FuzzyPlace;
  /** The closest place, for the error message. */
  nearest?: FuzzyPlace;
}

const MIN_CHARACTERS = 10;
const MAX_TOKENS = 2500;
/** The largest share of characters that may differ; above it the text counts as a different one. */
const MAX_DIFFERENCE = 0.4;
/** The share of the difference between two places that must favour the better one; RIVAL_FACTOR follows from it. */
const CLEAR_MARGIN = 0.5;
/** The largest difference allowed in the first search, in words. */
const FIRST_REACH = 6;
/** The limit in characters of the file times tokens of the text: about a tenth of a second. */
const MAX_WORK = 24_000_000;

/** Also compares the new text: except for the edit it equals the place, so it must not be closer to another place. */
export function findFuzzy(index: LineIndex, old: Tokens, next: Tokens): FuzzyResult {
  const characters = old.keys.reduce((sum, key) => sum + key.length, 0);
  if (characters < MIN_CHARACTERS || old.keys.length > MAX_TOKENS) return {};
  const { places, isComplete } = findPlaces(index, old, characters * MAX_DIFFERENCE);
  const [best, ...others] = places;
  if (best === undefined) return {};
  const rivals = others.filter((other) => !isClearlyWorse(other, best));
  const isNearest = others.every((other) => !isCloser(next, other, best));
  const place = rivals.length === 0 ? isNearest && best : tellByLayout([best, ...rivals], old);
  return { nearest: best, ...(place && isComplete && { place }) };
}

/** Of places with equal tokens, the only one with the layout of the old text; undefined when there is not exactly one. */
function tellByLayout(places: readonly FuzzyPlace[], old: Tokens): FuzzyPlace | undefined {
  const alike = places.filter((place) => isLaidOutAs(place, old));
  const isSame = places.every((place) => keysOf(place) === keysOf(places[0]!));
  return isSame && alike.length === 1 ? alike[0] : undefined;
}

interface Search {
  /** Cheapest first. */
  places: FuzzyPlace[];
  /** Whether the search excludes any other place as good as these; false when it would take too long. */
  isComplete: boolean;
}

/** Searches for close places first and widens the search only while the best place leaves room for a rival. */
function findPlaces(index: LineIndex, old: Tokens, limit: number): Search {
  let search: Search = { places: [], isComplete: false };
  for (let reach = Math.min(FIRST_REACH, limit); ;) {
    const places = findWithin(index, old, reach, limit);
    if (places === undefined) return search;
    const [best] = places;
    const needed = best === undefined ? limit : Math.min(limit, best.cost * RIVAL_FACTOR + 1);
    search = { places, isComplete: needed <= reach };
    if (search.isComplete) return search;
    reach = needed;
  }
}

function findWithin(index: LineIndex, old: Tokens, reach: number, limit: number): FuzzyPlace[] | undefined {
  const windows = findWindows(index, old, reach);
  if (windows === undefined) return undefined;
  const offsets = windows.map(
    ({ from, to }) => [index.starts[from]!, index.starts[to] ?? index.content.length] as const,
  );
  const { keys } = toLinedKeys(old);
  const characters = offsets.reduce((sum, [from, to]) => sum + to - from, 0);
  if (characters * keys.length > MAX_WORK) return undefined;
  const places: FuzzyPlace[] = [];
  for (const [from, to] of offsets) {
    const file = tokenize(index.content, from, to);
    const lined = toLinedKeys(file);
    for (const { cost, others, ...span } of scanTokens(keys, lined.keys, limit)) {
      places.push({ file, cost, ...toTokens(lined, span), others: others.map((other) => toTokens(lined, other)) });
    }
  }
  return places.filter(({ from: first, to: end }) => first < end).toSorted((a, b) => a.cost - b.cost);
}

/** Whether lines are broken and indented as in the old text. */
function isLaidOutAs({ file, from, to }: FuzzyPlace, old: Tokens): boolean {
  const layoutOf = (tokens: Tokens, begin: number, end: number) =>
    tokens.starts.slice(begin, end).map((start, index) => indentationAt(tokens, begin + index, start));
  const layout = layoutOf(old, 0, old.keys.length).filter((indentation) => indentation !== undefined);
  const found = layoutOf(file, from, to).filter((indentation) => indentation !== undefined);
  return layout.length > 1 && layout.join('\n') === found.join('\n');
}

function indentationAt(tokens: Tokens, index: number, start: number): string | undefined {
  if (!beginsLine(tokens, index)) return undefined;
  return tokens.text.slice(tokens.text.lastIndexOf('\n', start - 1) + 1, start);
}

function toTokens(
  { keys, tokens }: LinedKeys,
  { from, to }: { from: number; to: number },
): { from: number; to: number } {
  const last = tokens[to - 1]!;
  return { from: tokens[from]!, to: keys[to - 1] === LINE_BREAK ? last : last + 1 };
}

function isCloser(next: Tokens, other: FuzzyPlace, best: FuzzyPlace): boolean {
  const [a, b] = [distanceOf(next, tokensOf(other)), distanceOf(next, tokensOf(best))];
  return a === undefined || b === undefined || a < b - 0.5;
}

/** Whether the difference between the two places clearly favours the better one. */
function isClearlyWorse(other: FuzzyPlace, best: FuzzyPlace): boolean {
  if (other.cost >= best.cost * RIVAL_FACTOR + 1) return true;
  const apart = distanceOf(tokensOf(best), tokensOf(other));
  if (apart === undefined || apart < 1) return false;
  // Triangle inequality: two texts close to a third are no further apart than the sum of their distances.
  const between = Math.min(apart, best.cost + other.cost);
  return other.cost - best.cost >= Math.max(1, between * CLEAR_MARGIN);
}

function keysOf({ file, from, to }: FuzzyPlace): string {
  return file.keys.slice(from, to).join(' ');
}

export function tokensOf({
  file: { text, starts, ends, keys },
  from,
  to,
}: Pick<FuzzyPlace, 'file' | 'from' | 'to'>): Tokens {
  return { text, starts: starts.slice(from, to), ends: ends.slice(from, to), keys: keys.slice(from, to) };
}
