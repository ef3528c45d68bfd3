/**
 * Where in a file a text might be, when it is nowhere to the letter: lines the text
 * and the file share, and rare words where no line is shared, vote for the line the
 * text would begin at. Proposals only; whoever uses them measures.
 */

import { isWord, tokenize } from './tokens.ts';

export interface LineIndex {
  content: string;
  /** Offsets of the first character of each line. */
  starts: number[];
}

/** A place that occurs more often says little about where we are. */
const MAX_OCCURRENCES = 400;
const WORDS_PER_LINE = 4;
/** Proposals with fewer votes than this part of the best are not near-duplicates of it. */
const CLOSE_TO_BEST = 0.5;
/** Line breaks may be set differently, so that votes for neighbours count as one. */
const MAX_SPREAD = 3;

/** How far apart votes for one place may lie; never so far that a short text's neighbour is taken for itself. */
export function spreadOf(old: string): number {
  return Math.min(MAX_SPREAD, Math.floor(old.split('\n').length / 2));
}

export function indexLines(content: string): LineIndex {
  const starts = [0];
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) starts.push(at + 1);
  return { content, starts };
}

export function lineOf({ starts }: LineIndex, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/** Line numbers (from 0) where the text might begin, best first; at most `limit`, undefined when more are as good. */
export function findWindows(index: LineIndex, old: string, limit: number): number[] | undefined {
  const votes = new Map<number, number>();
  const vote = (line: number, weight: number) => votes.set(line, (votes.get(line) ?? 0) + weight);
  old.split('\n').forEach((line, number) => {
    const trimmed = line.trim();
    if (trimmed.length < 2) return;
    const places = occurrences(index, trimmed);
    if (places !== undefined && places.length > 0) {
      for (const place of places) vote(place - number, trimmed.length);
    } else voteByWords(index, trimmed, (place, weight) => vote(place - number, weight));
  });
  const merged = mergeNeighbours(votes, spreadOf(old));
  const best = merged[0]?.votes ?? 0;
  const close = merged.filter((each) => each.votes >= best * CLOSE_TO_BEST);
  if (close.length > limit * 8) return undefined;
  return merged.slice(0, Math.max(limit, close.length)).map(({ line }) => line);
}

function voteByWords(index: LineIndex, line: string, vote: (line: number, weight: number) => void): void {
  const { keys } = tokenize(line);
  const words = [...new Set(keys.filter((key) => key.length >= 3 && isWord(key)))];
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, WORDS_PER_LINE);
  for (const word of longest) {
    for (const place of occurrences(index, word) ?? []) vote(place, word.length * 0.5);
  }
}

function occurrences(index: LineIndex, text: string): number[] | undefined {
  const lines: number[] = [];
  for (let at = index.content.indexOf(text); at !== -1; at = index.content.indexOf(text, at + text.length)) {
    if (lines.length >= MAX_OCCURRENCES) return undefined;
    const line = lineOf(index, at);
    if (lines.at(-1) !== line) lines.push(line);
  }
  return lines;
}

function mergeNeighbours(votes: ReadonlyMap<number, number>, spread: number): { line: number; votes: number }[] {
  const sorted = [...votes].toSorted(([a], [b]) => a - b);
  const merged: { line: number; votes: number; top: number }[] = [];
  for (const [line, weight] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && line - last.line <= spread) {
      last.votes += weight;
      if (weight > last.top) [last.line, last.top] = [line, weight];
    } else merged.push({ line, votes: weight, top: weight });
  }
  return merged.toSorted((a, b) => b.votes - a.votes);
}
