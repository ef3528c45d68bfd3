/**
 * The parts of a file outside of which a text cannot be, though it is nowhere to the
 * letter. A place that shares most of its characters with the text has at least one of
 * any words that make up more than the rest; the rarest such words are looked up, so
 * that the search is complete and yet touches little of a large file.
 */

import { lineOf } from './line-index.ts';
import type { LineIndex } from './line-index.ts';
import type { Tokens } from './tokens.ts';

/** Lines from `from` to `to`, end exclusive. */
export interface Window {
  from: number;
  to: number;
}

/** Small enough to be looked through from end to end, in characters of the file times tokens of the text. */
const MAX_WHOLE = 12_000_000;
/** Of a word that is more frequent than this the places are not looked up. */
const MAX_OCCURRENCES = 3000;
const CHARACTERS_PER_LINE = 80;

/**
 * Every place that shares more than `1 - share` of the characters of `old` is inside one
 * of the windows. Undefined where no words of the text are rare enough to tell.
 */
export function findWindows(index: LineIndex, old: Tokens, share: number): Window[] | undefined {
  const lines = index.starts.length;
  if (index.content.length * old.keys.length <= MAX_WHOLE) return [{ from: 0, to: lines }];
  const anchors = chooseAnchors(index.content, old, share);
  if (anchors === undefined) return undefined;
  const count = old.text.split('\n').length;
  // Lines may be broken differently, and some may be missing on either side.
  const slack = 6 + Math.ceil(count / 2) + Math.ceil(old.text.length / CHARACTERS_PER_LINE);
  const windows = anchors.map((offset) => {
    const line = lineOf(index, offset);
    return { from: Math.max(0, line - count - slack), to: Math.min(lines, line + count + slack) };
  });
  return merge(windows);
}

/** The offsets in the file of words that together make up more than `share` of the text. */
function chooseAnchors(content: string, old: Tokens, share: number): number[] | undefined {
  const characters = old.keys.reduce((sum, key) => sum + key.length, 0);
  const weights = new Map<string, number>();
  for (const key of old.keys) if (/^\w{2,}$/.test(key)) weights.set(key, (weights.get(key) ?? 0) + key.length);
  const longest = [...weights].toSorted(([a], [b]) => b.length - a.length);
  const found = longest.map(([word, weight]) => ({ weight, places: placesOf(content, word) }));
  found.sort((a, b) => a.places.length / a.weight - b.places.length / b.weight);
  const anchors: number[] = [];
  let covered = 0;
  for (const { weight, places } of found) {
    if (covered > characters * share || places.length > MAX_OCCURRENCES) break;
    anchors.push(...places);
    covered += weight;
  }
  return covered > characters * share ? anchors : undefined;
}

function placesOf(content: string, word: string): number[] {
  const places: number[] = [];
  for (let at = content.indexOf(word); at !== -1; at = content.indexOf(word, at + word.length)) {
    places.push(at);
    if (places.length > MAX_OCCURRENCES) break;
  }
  return places;
}

function merge(windows: readonly Window[]): Window[] {
  const merged: Window[] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && window.from <= last.to) last.to = Math.max(last.to, window.to);
    else merged.push({ ...window });
  }
  return merged;
}
