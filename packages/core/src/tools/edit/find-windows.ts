/**
 * Finds the parts of a file that can contain a text that does not occur exactly. A place
 * with at most n differing words contains at least one of any n + 1 words; looking up the
 * rarest ones keeps the search complete and touches little of a large file.
 */

import { beginsLine } from './lined-keys.ts';
import { lineOf } from './line-index.ts';
import type { LineIndex } from './line-index.ts';
import type { Tokens } from './tokens.ts';

/** Lines from `from` to `to`, end exclusive. */
export interface Window {
  from: number;
  to: number;
}

/** A word of the text and its places in the file. */
interface Anchor {
  /** Lines of the text that contain it, from 0. */
  lines: number[];
  places: number[];
}

/** Below this the whole file is searched, in characters of the file times tokens of the text. */
const MAX_WHOLE = 4_000_000;
/** Words that occur more often than this are not looked up. */
const MAX_OCCURRENCES = 500;
/** Of a long text only the longest words are looked up, at most this many. */
const MAX_WORDS = 60;
const CHARACTERS_PER_LINE = 80;

/** Windows around every place where at most `differing` words differ; undefined when too few words are rare. */
export function findWindows(index: LineIndex, old: Tokens, differing: number): Window[] | undefined {
  const lines = index.starts.length;
  if (index.content.length * old.keys.length <= MAX_WHOLE) return [{ from: 0, to: lines }];
  const anchors = chooseAnchors(index.content, old, differing);
  if (anchors === undefined) return undefined;
  const count = old.text.split('\n').length;
  // Lines may be broken differently, and some may be missing on either side.
  const slack = 6 + Math.ceil(count / 8) + (count > 2 ? 0 : Math.ceil(old.text.length / CHARACTERS_PER_LINE));
  const windows = anchors.flatMap(({ lines: offsets, places }) =>
    places.flatMap((place) => {
      const line = lineOf(index, place);
      return offsets.map((offset) => ({
        from: Math.max(0, line - offset - slack),
        to: Math.min(lines, line - offset + count + slack),
      }));
    }),
  );
  return merge(windows.filter(({ from, to }) => from < to));
}

/** The rarest words, more of them than may differ. A word missing from the file cannot serve as an anchor: it may be a slip. */
function chooseAnchors(content: string, old: Tokens, differing: number): Anchor[] | undefined {
  const words = new Map<string, number[]>();
  let line = -1;
  for (const [index, key] of old.keys.entries()) {
    if (beginsLine(old, index)) line++;
    if (/^\w{3,}$/.test(key)) words.set(key, [...(words.get(key) ?? []), line]);
  }
  const longest = [...words].toSorted(([a], [b]) => b.length - a.length).slice(0, MAX_WORDS);
  const found = longest.map(([word, lines]) => ({ lines, places: placesOf(content, word) }));
  const rarest = found
    .filter(({ places }) => places.length > 0 && places.length <= MAX_OCCURRENCES)
    .toSorted((a, b) => a.places.length - b.places.length);
  let covered = 0;
  const end = rarest.findIndex(({ lines }) => (covered += lines.length) > differing);
  return end === -1 ? undefined : rarest.slice(0, end + 1);
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
