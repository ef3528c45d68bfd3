/**
 * Finds every occurrence of the tokens of a text in a file, whatever the whitespace
 * between them. The search is complete, so that a caller can recognise a unique
 * occurrence.
 */

import { beginsLine } from './lined-keys.ts';
import { isSpaceAt, isWord, skipSpace, skipSpaceBack, tokenEnd, tokenStart, tokenize, toKey } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** For each token of the pattern its matching range in the file. */
export interface TokenMatch {
  starts: number[];
  ends: number[];
}

/** More than any real edit needs; a search with so many matches is ambiguous anyway. */
const MAX_MATCHES = 2000;
const MAX_ANCHORS_TRIED = 8;

export function findTokenMatches(content: string, pattern: Tokens): TokenMatch[] {
  if (pattern.keys.length === 0) return [];
  const anchor = chooseAnchor(content, pattern);
  const matches: TokenMatch[] = [];
  let after = 0;
  for (const position of anchor === undefined
    ? positionsOfKey(content, pattern.keys[0]!)
    : positionsOfWord(content, pattern.keys[anchor]!)) {
    const match = matchAround(content, pattern, anchor ?? 0, position);
    if (match === undefined || match.starts[0]! < after || isTornOff(content, match, pattern)) continue;
    matches.push(match);
    after = match.ends.at(-1)!;
    if (matches.length > MAX_MATCHES) break;
  }
  return matches;
}

/**
 * Whether a match begins or ends inside text the pattern lacks: after other text although
 * the pattern begins with whitespace, or, for whole lines, within a run of one mark.
 */
function isTornOff(content: string, match: TokenMatch, pattern: Tokens): boolean {
  const [first, last] = [match.starts[0]!, match.ends.at(-1)!];
  const lead = pattern.starts[0]!;
  if (lead > 0 && first > 0 && !isSpaceAt(content, first - 1)) return true;
  // Indentation must begin a line.
  if (lead > 1 && content.slice(content.lastIndexOf('\n', first - 1) + 1, first).trim() !== '') return true;
  if (!pattern.text.includes('\n')) return false;
  if (hasTornLine(content, match, pattern)) return true;
  const isRun = (at: number) => content[at] === content[at + 1] && /[^\w\s]/.test(content[at] ?? ' ');
  return (
    isRun(first - 1) || isRun(last - 1) || pattern.keys.some((_, index) => isBrokenRun(content, match, pattern, index))
  );
}

/** Whether a first or last line of only marks is not a whole line in the file: its marks could then match anywhere. */
function hasTornLine(content: string, { starts }: TokenMatch, pattern: Tokens): boolean {
  const lines = pattern.keys.map((_, index) => index).filter((index) => beginsLine(pattern, index));
  const [second, last] = [lines[1], lines.at(-1)!];
  if (second === undefined) return false;
  const isOwn = (index: number) =>
    /^\s*$/.test(content.slice(content.lastIndexOf('\n', starts[index]! - 1) + 1, starts[index]));
  const isMarks = (from: number, to: number) => !pattern.keys.slice(from, to).some(isWord);
  return (isMarks(0, second) && !(isOwn(0) && isOwn(second))) || (isMarks(last, pattern.keys.length) && !isOwn(last));
}

/** Whether two equal marks are adjacent in one text and on two lines in the other: the model miscounted a run. */
function isBrokenRun(content: string, { starts, ends }: TokenMatch, pattern: Tokens, index: number): boolean {
  if (index === 0 || pattern.keys[index] !== pattern.keys[index - 1]) return false;
  const glues = [
    content.slice(ends[index - 1], starts[index]),
    pattern.text.slice(pattern.ends[index - 1], pattern.starts[index]),
  ];
  return glues.includes('') && glues.some((glue) => glue.includes('\n'));
}

/** The index of the pattern's word that occurs least often in the file. */
function chooseAnchor(content: string, pattern: Tokens): number | undefined {
  const words = new Map<string, number>();
  pattern.keys.forEach((key, index) => {
    if (/^\w{2,}$/.test(key) && !words.has(key)) words.set(key, index);
  });
  const longest = [...words].toSorted(([a], [b]) => b.length - a.length).slice(0, MAX_ANCHORS_TRIED);
  let best: number | undefined;
  let fewest = Infinity;
  for (const [word, index] of longest) {
    const count = countUpTo(content, word, fewest);
    if (count < fewest) [best, fewest] = [index, count];
    if (fewest <= 1) break;
  }
  return best;
}

function countUpTo(content: string, word: string, limit: number): number {
  let count = 0;
  for (let at = content.indexOf(word); at !== -1 && count < limit; at = content.indexOf(word, at + word.length))
    count++;
  return count;
}

function* positionsOfWord(content: string, word: string): Generator<number> {
  for (let at = content.indexOf(word); at !== -1; at = content.indexOf(word, at + 1)) {
    if (tokenEnd(content, at) === at + word.length && tokenStart(content, at + word.length) === at) yield at;
  }
}

function* positionsOfKey(content: string, key: string): Generator<number> {
  const { starts, keys } = tokenize(content);
  for (let index = 0; index < keys.length; index++) if (keys[index] === key) yield starts[index]!;
}

function matchAround(content: string, pattern: Tokens, anchor: number, position: number): TokenMatch | undefined {
  const { keys } = pattern;
  const starts = Array.from<number>({ length: keys.length });
  const ends = Array.from<number>({ length: keys.length });
  starts[anchor] = position;
  ends[anchor] = tokenEnd(content, position);
  for (let index = anchor - 1; index >= 0; index--) {
    const end = skipSpaceBack(content, starts[index + 1]!);
    if (end === 0) return undefined;
    const start = tokenStart(content, end);
    if (!isSame(content, start, end, keys[index]!)) return undefined;
    starts[index] = start;
    ends[index] = end;
  }
  for (let index = anchor + 1; index < keys.length; index++) {
    const start = skipSpace(content, ends[index - 1]!);
    if (start >= content.length) return undefined;
    const end = tokenEnd(content, start);
    if (!isSame(content, start, end, keys[index]!)) return undefined;
    starts[index] = start;
    ends[index] = end;
  }
  return { starts, ends };
}

function isSame(content: string, start: number, end: number, key: string): boolean {
  if (end - start === key.length && content.startsWith(key, start)) return true;
  return toKey(content.slice(start, end)) === key;
}
