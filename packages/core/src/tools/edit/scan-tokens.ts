/**
 * Finds every part of a file that a text could be read as, with the cost of each reading,
 * in one pass over all tokens of the file, so that no place is missed. The match may begin
 * and end anywhere in the file; the text must be read completely.
 */

import { createCostTable } from './cost-table.ts';
import { missingCosts } from './lined-keys.ts';
import { extraCost, LINE_BREAK, SKIPPED_LINE_COST } from './token-costs.ts';

/** Keys of the file from `from` to `to`, end exclusive. */
export interface Span {
  from: number;
  to: number;
  cost: number;
}

/** A place and its other, nearly as cheap readings. */
export interface Place extends Span {
  others: Span[];
}

/** For each end in the file (its last key is the one before it) the cheapest reading. */
interface Readings {
  costs: Float32Array;
  starts: Int32Array;
}

/** A place that costs this many times more than another is not its rival. */
export const RIVAL_FACTOR = 3;

/** Places that cost at most `limit`, cheapest first, without those too expensive to be rivals. */
export function scanTokens(old: readonly string[], file: readonly string[], limit: number): Place[] {
  const { costs, starts } = readAll(old, file);
  const best = costs.reduce((least, cost) => Math.min(least, cost), Infinity);
  const highest = Math.min(limit, best * RIVAL_FACTOR + 1);
  const ends = [...costs.keys()].filter((end) => costs[end]! <= highest && starts[end]! < end);
  ends.sort((a, b) => costs[a]! - costs[b]! || a - b);
  const places: Place[] = [];
  for (const to of ends) {
    const span = { from: starts[to]!, to, cost: costs[to]! };
    const place = places.find((other) => overlaps(span, other));
    if (place === undefined) places.push({ ...span, others: [] });
    else if (isNearlyAsCheap(span, place, file) && place.others.length < MAX_READINGS) place.others.push(span);
    if (places.length >= MAX_PLACES) break;
  }
  return places;
}

/** Whether the span is a separate reading, not the place with extra tokens at its ends. */
function isNearlyAsCheap(span: Span, place: Span, file: readonly string[]): boolean {
  if (span.cost > place.cost + NEARLY) return false;
  const added = [...file.slice(span.from, place.from), ...file.slice(place.to, span.to)];
  return added.length === 0 || span.cost < place.cost + added.reduce((sum, key) => sum + extraCost(key), 0) - 0.01;
}

/** The largest cost difference between two readings: less than a line. */
const NEARLY = 1;
const MAX_READINGS = 4;

/** A line break may both end one place and begin the next. */
function overlaps(a: Span, b: Span): boolean {
  return a.from < b.to - 1 && b.from < a.to - 1;
}

/** A few characters cannot distinguish more places than this. */
const MAX_PLACES = 40;

function readAll(old: readonly string[], file: readonly string[]): Readings {
  const { ids, extras, rows } = createCostTable(old, file);
  const breaks = previousBreaks(file);
  const missing = missingCosts(old);
  const repeats = repeatedLines(old);
  let current = createRow(file.length);
  let next = createRow(file.length);
  const hasRepeats = repeats.some((start) => start > 0);
  let line = copyRow(current);
  for (const [row, key] of old.entries()) {
    fillRow(current, next, { ids, extras, breaks, table: rows[row]!, missing: missing[row]! });
    [current, next] = [next, current];
    if (repeats[row]! > 0) skipRepeated(line, current);
    if (hasRepeats && key === LINE_BREAK) line = copyRow(current);
  }
  return current;
}

function copyRow({ costs, starts }: Readings): Readings {
  return { costs: costs.slice(), starts: starts.slice() };
}

function skipRepeated(line: Readings, row: Readings): void {
  for (let column = 0; column < row.costs.length; column++) {
    const cost = line.costs[column]! + SKIPPED_LINE_COST;
    if (cost < row.costs[column]!) [row.costs[column], row.starts[column]] = [cost, line.starts[column]!];
  }
}

function createRow(length: number): Readings {
  return { costs: new Float32Array(length + 1), starts: Int32Array.from({ length: length + 1 }, (_, at) => at) };
}

interface RowCosts {
  ids: Int32Array;
  extras: Float32Array;
  breaks: Int32Array;
  table: Float32Array;
  missing: number;
}

function fillRow(above: Readings, row: Readings, { ids, extras, breaks, table, missing }: RowCosts): void {
  const { costs: before, starts: startsBefore } = above;
  const { costs, starts } = row;
  costs[0] = before[0]! + missing;
  starts[0] = 0;
  for (let column = 1; column < costs.length; column++) {
    let cost = before[column - 1]! + table[ids[column - 1]!]!;
    let start = startsBefore[column - 1]!;
    const skipOld = before[column]! + missing;
    if (skipOld < cost) {
      cost = skipOld;
      start = startsBefore[column]!;
    }
    const skipFile = costs[column - 1]! + extras[column - 1]!;
    if (skipFile < cost) {
      cost = skipFile;
      start = starts[column - 1]!;
    }
    const lineStart = breaks[column - 1]!;
    if (lineStart > 0 && costs[lineStart]! + SKIPPED_LINE_COST < cost) {
      cost = costs[lineStart]! + SKIPPED_LINE_COST;
      start = starts[lineStart]!;
    }
    costs[column] = cost;
    starts[column] = start;
  }
}

/** For each key that is a line break the end of the previous break, where a skipped line would begin; otherwise 0. */
export function previousBreaks(keys: readonly string[]): Int32Array {
  let last = 0;
  return Int32Array.from(keys, (key, index) => {
    if (key !== LINE_BREAK) return 0;
    const before = last;
    last = index + 1;
    return before;
  });
}

/** The same for a line that repeats the line before it: models repeat themselves. */
export function repeatedLines(keys: readonly string[]): Int32Array {
  const breaks = previousBreaks(keys);
  return breaks.map((start, index) => {
    const before = start > 1 ? breaks[start - 1]! : 0;
    if (before === 0) return 0;
    const [line, other] = [keys.slice(start, index).join(' '), keys.slice(before, start - 1).join(' ')];
    return line === other ? start : 0;
  });
}
