/**
 * placeEdit: where an edit goes and what it does to the text. Pure. From the strict to
 * the lenient: to the letter, line by line, token by token, the same with escaping
 * taken away, and at last by likeness. Each step either finds exactly the places it
 * may change, finds too many (and the search ends: a more lenient step cannot be
 * surer), or nothing. Text is in `\n` form on both sides.
 */

import { applyToText } from '../text-file.ts';
import type { Splice } from '../text-file.ts';
import { carryOver } from './carry-over.ts';
import { correctOld, correctSlip, findDifferences } from './correct-old.ts';
import type { AlignedText } from './correct-old.ts';
import { findFuzzy } from './find-fuzzy.ts';
import type { FuzzyPlace } from './find-fuzzy.ts';
import { indexLines, lineOf } from './find-windows.ts';
import type { LineIndex } from './find-windows.ts';
import { findTokenMatches, levelOf, MatchLevel } from './match-tokens.ts';
import type { TokenMatch } from './match-tokens.ts';
import { isWord, skipSpace, tokenize, toKey } from './tokens.ts';
import type { Tokens } from './tokens.ts';
import { variantsOf } from './variants.ts';
import type { EditTexts } from './variants.ts';

export type EditStrategy = 'exact' | 'flexible' | 'regex' | 'fuzzy';

export interface EditRequest extends EditTexts {
  allowMultiple: boolean;
}

export type EditPlacement =
  | { kind: 'placed'; strategy: EditStrategy; splices: Splice[]; occurrences: number; lines: number[] }
  /** Lines from 1 where it could go. */
  | { kind: 'ambiguous'; occurrences: number; lines: number[] }
  /** The closest region, lines from 1, where there is any. */
  | { kind: 'missing'; nearest?: { firstLine: number; lastLine: number } };

/** What is repeated by accident is a bracket or a few, not a statement. */
const MAX_REPEATED_TOKENS = 4;
/** Fewer tokens than this occur inside lines by accident. */
const MIN_TOKENS_INSIDE_LINE = 3;

export function placeEdit(content: string, request: EditRequest): EditPlacement {
  const exact = placeExact(content, request);
  if (exact !== undefined) return exact;
  const index = indexLines(content);
  const lenient = placeByTokens(index, request);
  if (lenient !== undefined) return lenient;
  for (const variant of variantsOf(request)) {
    const edit = { ...variant, allowMultiple: request.allowMultiple };
    const placed = placeExact(content, edit) ?? placeByTokens(index, edit);
    if (placed !== undefined) return placed;
  }
  return placeFuzzy(index, request);
}

function placeExact(content: string, { old, replacement, allowMultiple }: EditRequest): EditPlacement | undefined {
  const offsets: number[] = [];
  for (let at = content.indexOf(old); at !== -1; at = content.indexOf(old, at + old.length)) offsets.push(at);
  if (offsets.length === 0) return undefined;
  const lines = () => {
    const index = indexLines(content);
    return offsets.map((offset) => lineOf(index, offset) + 1);
  };
  if (offsets.length > 1 && !allowMultiple) return { kind: 'ambiguous', occurrences: offsets.length, lines: lines() };
  const splices = offsets.flatMap((start) => trimCommon(old, replacement).map((each) => shift(each, start)));
  return { kind: 'placed', strategy: 'exact', splices, occurrences: offsets.length, lines: lines() };
}

function shift({ start, end, replacement }: Splice, by: number): Splice {
  return { start: start + by, end: end + by, replacement };
}

/** Only what differs, in whole tokens, so that line ends inside the old text stay as they are on disk. */
function trimCommon(old: string, replacement: string): Splice[] {
  const tokens = tokenize(old);
  if (tokens.keys.length === 0) return [{ start: 0, end: old.length, replacement }];
  return carryOver(old, { starts: tokens.starts, ends: tokens.ends }, tokens, replacement);
}

function placeByTokens(index: LineIndex, { old, replacement, allowMultiple }: EditRequest): EditPlacement | undefined {
  const { content } = index;
  const pattern = tokenize(old);
  const leveled = findTokenMatches(content, pattern).map((match) => ({
    match,
    level: levelOf(content, match, pattern),
  }));
  const lowest = Math.min(...leveled.map(({ level }) => level));
  const tooShort = pattern.keys.length < MIN_TOKENS_INSIDE_LINE;
  if (leveled.length === 0 || (tooShort && lowest >= MatchLevel.Layout)) return undefined;
  const matches = leveled.filter(({ level }) => level === lowest).map(({ match }) => match);
  const lines = matches.map(({ starts }) => lineOf(index, starts[0]!) + 1);
  if (matches.length > 1 && !allowMultiple) return { kind: 'ambiguous', occurrences: matches.length, lines };
  const changes = matches.map((found) => {
    const { old: whole, match } = withFinalMark(content, { old: pattern, match: found }, replacement);
    return carryOver(content, match, whole, replacement);
  });
  if (changes.some((splices, at) => repeatsNeighbours(content, matches[at]!, splices))) return undefined;
  return {
    kind: 'placed',
    strategy: lowest <= MatchLevel.Indentation ? 'flexible' : 'regex',
    splices: changes.flat(),
    occurrences: matches.length,
    lines,
  };
}

function placeFuzzy(index: LineIndex, { old, replacement }: EditTexts): EditPlacement {
  const pattern = tokenize(old);
  const { place, nearest } = findFuzzy(index, pattern, replacement);
  // One line on the one side and many on the other: its breaks were escaped, and so are those it would put in.
  const isEscaped = !old.includes('\n') && old.includes('\\n') && place?.lastLine !== place?.firstLine;
  if (place !== undefined && !isEscaped) {
    const splices = spliceFuzzy(index.content, place, pattern, replacement);
    if (splices !== undefined) {
      return { kind: 'placed', strategy: 'fuzzy', splices, occurrences: 1, lines: [place.firstLine + 1] };
    }
  }
  if (nearest === undefined) return { kind: 'missing' };
  return { kind: 'missing', nearest: { firstLine: nearest.firstLine + 1, lastLine: nearest.lastLine + 1 } };
}

/** Undefined where the change cannot be told from what the model got wrong. */
function spliceFuzzy(content: string, place: FuzzyPlace, pattern: Tokens, replacement: string): Splice[] | undefined {
  const wanted = withQuotesOf(content, place.match, pattern, replacement);
  if (wanted === undefined) return undefined;
  const aligned = { old: pattern, match: place.match };
  const corrected =
    (place.slip && correctSlip(aligned, place.slip, place.file, wanted)) ??
    correctOld(aligned, place.alignment, place.file, wanted);
  const { old, match } = withFinalMark(content, corrected, wanted);
  const splices = carryOver(content, match, old, wanted);
  const isUnsafe =
    touchesUnmentioned(content, { old, match }, splices) ||
    bringsUnmentioned(content, { old, match }, wanted) ||
    repeatsNeighbours(content, match, splices) ||
    garbles(content, place, pattern, wanted, splices) ||
    splices.some((splice) => growsRun(content, splice));
  return isUnsafe ? undefined : splices;
}

/**
 * Whether the file would come to say neither what the new text says nor that with the
 * file's own words where the model is wrong about them in both texts.
 */
function garbles(content: string, place: FuzzyPlace, old: Tokens, wanted: string, splices: readonly Splice[]): boolean {
  if (splices.length === 0) return false;
  const start = Math.min(place.match.starts[0]!, splices[0]!.start);
  const end = Math.max(place.match.ends.at(-1)!, splices.at(-1)!.end);
  const shifted = splices.map((splice) => shift(splice, -start));
  const result = tokenize(applyToText(content.slice(start, end), shifted));
  const said = tokenize(wanted).keys.join(' ');
  if (result.keys.join(' ') === said) return false;
  return findDifferences(old, place.alignment, place.file).some(({ from, to }) => {
    const around = old.keys.slice(Math.max(0, from - 1), to + 1).join(' ');
    return !` ${said} `.includes(` ${around} `);
  });
}

/** A mark that ends the new text and stands behind the old one in the file belongs to it: the model left it out there. */
function withFinalMark(content: string, aligned: AlignedText, replacement: string): AlignedText {
  const { old, match } = aligned;
  const mark = tokenize(replacement).keys.at(-1);
  if ((mark !== ';' && mark !== ',') || old.keys.at(-1) === mark) return aligned;
  const last = match.ends.at(-1)!;
  const at = skipSpace(content, last);
  if (content[at] !== mark || content.slice(last, at).includes('\n')) return aligned;
  const end = old.ends.at(-1)!;
  return {
    old: tokenize(old.text.slice(0, end) + mark + old.text.slice(end)),
    match: { starts: [...match.starts, at], ends: [...match.ends, at + 1] },
  };
}

/** Whether text put in at an end is there already, just outside: the old text was then cut short of it. */
function repeatsNeighbours(content: string, match: TokenMatch, splices: readonly Splice[]): boolean {
  const [first, last] = [match.starts[0]!, match.ends.at(-1)!];
  return splices.some(({ start, end, replacement }) => {
    if (start <= first && end > first) return repeatsLineBefore(content, first, replacement);
    const { keys } = tokenize(replacement);
    if (keys.length === 0 || keys.length > MAX_REPEATED_TOKENS) return false;
    const isBehind = start >= last;
    if (!isBehind && end > first) return false;
    const around = isBehind
      ? tokenize(content, last, last + MAX_REPEATED_TOKENS * 20).keys.slice(0, keys.length)
      : tokenize(content, Math.max(0, first - MAX_REPEATED_TOKENS * 20), first).keys.slice(-keys.length);
    return around.join(' ') === keys.join(' ');
  });
}

/** Whether the first line that is put in is the one that stands before it already. */
function repeatsLineBefore(content: string, first: number, replacement: string): boolean {
  const before = content.slice(0, first).trimEnd();
  const line = before.slice(before.lastIndexOf('\n') + 1).trim();
  return line !== '' && line === replacement.trimStart().split('\n', 1)[0]!.trim();
}

/** Whether all a splice adds is more of a mark it stands beside: how many there should be was miscounted. */
function growsRun(content: string, { start, end, replacement }: Splice): boolean {
  const mark = replacement[0] ?? ' ';
  if (!/[^\w\s]/.test(mark) || replacement !== mark.repeat(replacement.length)) return false;
  return content[start - 1] === mark || content[end] === mark;
}

/** The new text in the file's style of quotes, where the old text had another throughout; undefined when the two cannot be told apart. */
function withQuotesOf(content: string, match: TokenMatch, old: Tokens, replacement: string): string | undefined {
  const changes = new Map<string, string>();
  let unchanged = '';
  for (const [index, key] of old.keys.entries()) {
    if (!/^["'`]$/.test(key)) continue;
    const found = content.slice(match.starts[index], match.ends[index]);
    if (found === key || found === '') unchanged += key;
    else if ((changes.get(key) ?? found) !== found) return undefined;
    else changes.set(key, found);
  }
  let result = replacement;
  for (const [from, to] of changes) {
    if (unchanged.includes(from) || unchanged.includes(to) || replacement.includes(to)) return undefined;
    result = result.replaceAll(from, to);
  }
  return result;
}

/** Whether the new text has more of a mark the old one left out: the file would have it twice. */
function bringsUnmentioned(content: string, { old, match }: AlignedText, replacement: string): boolean {
  const { keys } = tokenize(replacement);
  const count = (list: readonly string[], key: string) => list.filter((other) => other === key).length;
  const gaps = match.starts.map((start, index) =>
    index === 0 ? [] : tokenize(content, match.ends[index - 1], start).keys,
  );
  // A longer gap is a line the model did not mean to speak of.
  const left = new Set(gaps.filter((gap) => gap.length <= 2).flat());
  return [...left].some((key) => !isWord(key) && count(keys, key) > count(old.keys, key));
}

/**
 * Whether a splice deletes text of the file the model never wrote down, or changes what
 * is right beside it: it cannot be told what belongs to which.
 */
function touchesUnmentioned(content: string, { old, match }: AlignedText, splices: readonly Splice[]): boolean {
  const isSlip = (index: number) => toKey(content.slice(match.starts[index], match.ends[index])) !== old.keys[index];
  for (let index = 1; index < match.starts.length; index++) {
    const { keys } = tokenize(content, match.ends[index - 1], match.starts[index]);
    if (keys.length === 0) continue;
    const [slipBefore, slipAfter] = [isSlip(index - 1), isSlip(index)];
    const from = slipBefore ? match.starts[index - 1]! : match.ends[index - 1]!;
    const to = slipAfter ? match.ends[index]! : match.starts[index]!;
    const isTouched = splices.some(({ start, end }) => start <= to && end >= from);
    if (isTouched) return true;
  }
  return false;
}
