/**
 * The last resort: a place that differs from the old text by a few characters. It is
 * taken only when it is clearly the one meant: within the threshold, no other place
 * nearly as close, and no difference that a person would call another thing (a
 * number, an operator, another name that exists). A refusal costs a turn; an edit in
 * the wrong place costs the user's work.
 */

import { alignTokens, editDistance } from './align-tokens.ts';
import type { Alignment } from './align-tokens.ts';
import { correctOld } from './correct-old.ts';
import type { Difference } from './correct-old.ts';
import { isInComment, lacksLines, leavesPartsOfLines, slideToLines } from './file-gaps.ts';
import { findWindows, lineOf, spreadOf } from './find-windows.ts';
import type { LineIndex } from './find-windows.ts';
import type { TokenMatch } from './match-tokens.ts';
import { isWord, tokenEnd, tokenStart, tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';

export interface FuzzyPlace {
  match: TokenMatch;
  /** Differences by characters of the old text. */
  score: number;
  /** Lines from 0. */
  firstLine: number;
  lastLine: number;
  alignment: Alignment;
  /** The tokens `alignment` speaks of. */
  file: Tokens;
  /** Where one character of the old text is all that is wrong with it. */
  slip?: Difference;
}

export interface FuzzyResult {
  /** The place meant, where there is exactly one. */
  place?: FuzzyPlace;
  /** The closest place, for the error. */
  nearest?: FuzzyPlace;
}

interface Candidate extends FuzzyPlace {
  cost: number;
}

const MIN_CHARACTERS = 10;
const THRESHOLD = 0.1;
const MAX_TOKENS = 2500;
const WINDOWS = 6;
/** How much of what tells two places apart must speak for the better one. */
const CLEAR_MARGIN = 0.5;

export function findFuzzy(index: LineIndex, old: Tokens, replacement: string): FuzzyResult {
  const characters = old.keys.reduce((sum, key) => sum + key.length, 0);
  if (characters < MIN_CHARACTERS || old.keys.length > MAX_TOKENS) return {};
  const windows = findWindows(index, old.text, WINDOWS);
  if (windows === undefined) return {};
  const candidates: Candidate[] = [];
  for (const line of windows) {
    const candidate = measure(index, old, line, characters);
    // A place that cannot be measured may be the one meant.
    if (candidate === 'too large') return {};
    if (candidate !== undefined && !candidates.some((other) => overlaps(other, candidate))) candidates.push(candidate);
    else if (candidate !== undefined) replaceWorse(candidates, candidate);
  }
  candidates.sort((a, b) => a.cost - b.cost);
  const [best, ...others] = candidates;
  if (best === undefined) return {};
  const slip = findSlip(index.content, old, best);
  const isMeant =
    others.every((other) => isClearlyWorse(other, best)) &&
    hasFirmEnds(old, best) &&
    (slip !== undefined ||
      (old.keys.length >= MIN_TOKENS_FOR_SLIP && lacksLines(old, best)) ||
      (best.score <= THRESHOLD &&
        !leavesPartsOfLines(best) &&
        (areHarmless(index.content, old, best) || isCorrected(old, best, replacement))));
  return { nearest: best, ...(isMeant && { place: { ...best, ...(slip && { slip }) } }) };
}

/** Whether the new text says what the file says wherever the old one does not: then all differences are slips. */
function isCorrected(old: Tokens, { match, alignment, file }: Candidate, replacement: string): boolean {
  if (old.keys.length < MIN_TOKENS_FOR_SLIP) return false;
  const corrected = correctOld({ old, match }, alignment, file, replacement);
  return corrected.old.keys.join(' ') === file.keys.slice(alignment.first, alignment.last + 1).join(' ');
}

/** Where the ends are not certain, text beside them could be taken or left by mistake. */
function hasFirmEnds(old: Tokens, { alignment: { partners, first, last }, file }: Candidate): boolean {
  const isGlued = (at: number) => file.keys[at] === file.keys[at + 1] && file.ends[at] === file.starts[at + 1];
  if (partners.length < last - first + 1 || partners.includes(-1)) {
    // Of a run of the same marks it could be any.
    if (isGlued(last) || isGlued(first - 1)) return false;
  }
  // An end that is not the same may go on with what is glued to it in the file.
  const isSame = (index: number) => old.keys.at(index) === file.keys[partners.at(index) ?? -1];
  const before = file.text.slice(file.ends[first - 1] ?? 0, file.starts[first]);
  const behind = file.text.slice(file.ends[last], file.starts[last + 1] ?? file.text.length);
  if ((!isSame(0) && !before.includes('\n') && first > 0) || (!isSame(-1) && !behind.includes('\n'))) return false;
  const isSolid = (key: string) => key !== ',' && key !== ';';
  const ends = [old.keys.findIndex(isSolid), old.keys.findLastIndex(isSolid)];
  return ends.every((index) => {
    const wanted = old.keys[index];
    const found = file.keys[partners[index] ?? -1];
    return wanted !== undefined && found !== undefined && (wanted === found || (isWord(wanted) && isWord(found)));
  });
}

function measure(index: LineIndex, old: Tokens, line: number, characters: number): Candidate | 'too large' | undefined {
  const { content, starts } = index;
  const from = starts[Math.max(0, line - spreadOf(old.text))];
  if (from === undefined) return undefined;
  const before = tokenize(content, from, starts[line] ?? content.length).keys.length;
  const file = tokenizeSome(content, from, before + Math.ceil(old.keys.length * 1.3) + 40);
  const aligned = alignTokens(old.keys, file.keys);
  if (aligned === undefined) return file.keys.length === 0 ? undefined : 'too large';
  const alignment = slideToLines(aligned, file);
  const match = toMatch(alignment, file);
  return {
    alignment,
    file,
    match,
    cost: alignment.cost,
    score: alignment.cost / characters,
    firstLine: lineOf(index, match.starts[0]!),
    lastLine: lineOf(index, match.ends.at(-1)!),
  };
}

function tokenizeSome(content: string, from: number, count: number): Tokens {
  // Tokens are short; the piece is generous, and too many of them only cost time.
  let to = Math.min(content.length, from + count * 12);
  while (to < content.length && tokenStart(content, to) < to && tokenEnd(content, to - 1) > to) to++;
  const tokens = tokenize(content, from, to);
  if (tokens.keys.length > count) {
    for (const list of [tokens.starts, tokens.ends, tokens.keys]) list.length = count;
  }
  return tokens;
}

/** Tokens the file lacks get an empty place behind the one before. */
function toMatch({ partners, first }: Alignment, file: Tokens): TokenMatch {
  const starts: number[] = [];
  const ends: number[] = [];
  let position = file.starts[first] ?? 0;
  for (const partner of partners) {
    starts.push(partner === -1 ? position : file.starts[partner]!);
    ends.push(partner === -1 ? position : file.ends[partner]!);
    position = ends.at(-1)!;
  }
  return { starts, ends };
}

function overlaps(a: FuzzyPlace, b: FuzzyPlace): boolean {
  return a.match.starts[0]! < b.match.ends.at(-1)! && b.match.starts[0]! < a.match.ends.at(-1)!;
}

function replaceWorse(candidates: Candidate[], candidate: Candidate): void {
  const worse = candidates.findIndex((other) => overlaps(other, candidate) && other.cost > candidate.cost);
  if (worse !== -1) candidates[worse] = candidate;
}

/** Whether what tells the two apart speaks for the better one. */
function isClearlyWorse(other: Candidate, best: Candidate): boolean {
  if (other.score > THRESHOLD * 3) return true;
  const tokensOf = ({ alignment, file }: Candidate) => file.keys.slice(alignment.first, alignment.last + 1);
  const apart = alignTokens(tokensOf(best), tokensOf(other));
  if (apart === undefined || apart.cost < 1) return false;
  return other.cost - best.cost >= Math.max(1, apart.cost * CLEAR_MARGIN);
}

function areHarmless(content: string, old: Tokens, { alignment, file }: Candidate): boolean {
  const used = new Set(alignment.partners);
  for (let place = alignment.first; place <= alignment.last; place++) {
    if (
      !used.has(place) &&
      /[-\d+*/%<>=!&|^~?]/.test(file.keys[place]!) &&
      !isInComment(file.text, file.starts[place]!)
    )
      return false;
  }
  return alignment.partners.every((partner, index) => {
    const wanted = old.keys[index]!;
    if (partner === -1) return !/\d/.test(wanted) && (isWord(wanted) || FREE_MARKS.has(wanted));
    const found = file.keys[partner]!;
    if (wanted === found) return true;
    if (!isWord(wanted) || !isWord(found)) return QUOTES.has(wanted) && QUOTES.has(found);
    if (!sameDigits(wanted, found)) return false;
    if (isInComment(file.text, file.starts[partner]!) && isInComment(old.text, old.starts[index]!)) return true;
    return isMisspelling(content, wanted, found);
  });
}

/**
 * One character too many, too few or wrong, where that is all there is in a text long
 * enough to know the place by the rest. It may have joined or split words.
 */
function findSlip(content: string, old: Tokens, { alignment, file }: Candidate): Difference | undefined {
  if (old.keys.length < MIN_TOKENS_FOR_SLIP) return undefined;
  const isEqual = (index: number) => old.keys[index] === file.keys[alignment.partners[index]!];
  let from = 0;
  let to = old.keys.length - 1;
  while (from <= to && isEqual(from) && follows(alignment, from)) from++;
  while (to > from && isEqual(to) && follows(alignment, to + 1)) to--;
  const first = from === 0 ? alignment.first : alignment.partners[from - 1]! + 1;
  const last = to === old.keys.length - 1 ? alignment.last : alignment.partners[to + 1]! - 1;
  const wanted = old.keys.slice(from, to + 1);
  const found = file.keys.slice(first, last + 1);
  const [a, b] = [wanted.join(''), found.join('')];
  if (editDistance(a, b) > 1 || !sameDigits(a, b) || !sameOperators(a, b)) return undefined;
  const [part, other] = differingParts(a, b);
  if (part === `${other}s` || other === `${part}s` || COMMON_WORDS.has(part.toLowerCase())) return undefined;
  const isAnother = wanted.some((key) => isWord(key) && !found.includes(key) && hasWord(content, key));
  return isAnother ? undefined : { from, to: to + 1, first, last: last + 1 };
}

/** Whether nothing of the file lies between this token and the one before. */
function follows({ partners }: Alignment, index: number): boolean {
  return index === 0 || index >= partners.length || partners[index] === partners[index - 1]! + 1;
}

const MIN_TOKENS_FOR_SLIP = 10;

function sameOperators(a: string, b: string): boolean {
  const operatorsOf = (text: string) => text.replaceAll(/[^-+*/%<>=!&|^~?@#]/g, '');
  return operatorsOf(a) === operatorsOf(b);
}

/** Marks whose absence changes no meaning a reader would notice. */
const FREE_MARKS = new Set([',', ';', '"', "'", '`', '.', '\\']);
const QUOTES = new Set(["'", '"', '`']);

function sameDigits(a: string, b: string): boolean {
  return a.replaceAll(/\D/g, '') === b.replaceAll(/\D/g, '');
}

/** Whether the word is a slip for the other, and not another word. */
function isMisspelling(content: string, wanted: string, found: string): boolean {
  const [a, b] = differingParts(wanted, found);
  if (a.length < 2 || b.length < 2) return false;
  const allowed = Math.max(a.length, b.length) < 5 ? 1 : Math.max(a.length, b.length) < 10 ? 2 : 3;
  if (editDistance(a, b) > allowed) return false;
  if (a.toLowerCase() === b.toLowerCase()) return !hasWord(content, wanted);
  if (a === `${b}s` || b === `${a}s`) return false;
  return !COMMON_WORDS.has(a.toLowerCase()) && !hasWord(content, wanted);
}

/** What is left of two names when the parts they share (`get`, `user`, `name` of `getUserName`) are taken away. */
function differingParts(a: string, b: string): [string, string] {
  const partsOf = (word: string) => word.match(/[A-Z]+(?![a-z])|[A-Z]?[^A-Z_$\d-]+|[\d_$-]+/g) ?? [word];
  const left = partsOf(a);
  const right = partsOf(b);
  if (left.length !== right.length) return [a, b];
  const differing = left.map((part, index) => [part, right[index]!] as const).filter(([x, y]) => x !== y);
  if (differing.length !== 1) return [a, b];
  return [differing[0]![0], differing[0]![1]];
}

function hasWord(content: string, word: string): boolean {
  for (let at = content.indexOf(word); at !== -1; at = content.indexOf(word, at + 1)) {
    if (tokenEnd(content, at) === at + word.length && tokenStart(content, at + word.length) === at) return true;
  }
  return false;
}

/** Short words that are one step from another: a difference in them is meant. */
const COMMON_WORDS = new Set(
  (
    'get set let put add sub del min max sum avg min all any new old top end now not and nor for the has had was ' +
    'are can may run ran row col key val var int str num err out inp src dst map tap pop push pull from form to too ' +
    'in on off no is it if of or as at by be do read head lead load save send sent test text next prev post host port ' +
    'host cost lock look left right light size side site true false null none void main name game same time type ' +
    'file fill find bind bind kind mind live give list last first fist start stars count mount inner outer upper lower ' +
    'width height local global public private encode decode input output import export before after enable disable ' +
    'show hide slow open close user uses used item data date rate gate path math patch match batch catch hash cache ' +
    'left lift log lag tag bag big bit byte char chat that this then than when where what who why how while white ' +
    'const class case base even odd ever over under order error append prepend begin hour minute second day week month year red green blue ' +
    'x y z i j k a b c'
  ).split(' '),
);
