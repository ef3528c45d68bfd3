/**
 * placeEdit: finds where an edit goes and computes its splices. Pure. It tries strict
 * steps before lenient ones: exactly, line by line, token by token, the same with escaping
 * removed, and last by similarity. Each step finds exactly the places it may change, finds
 * too many (which ends the search: a more lenient step cannot be surer), or finds nothing.
 * Both texts use `\n`.
 */

import type { Splice } from '../files/text-file.ts';
import { carryOver } from './carry-over.ts';
import type { EditPlacement, EditRequest } from './edit-placement.ts';
import { dropOuterBreaks, joinsLines } from './check-ends.ts';
import { indexLines, lineOf } from './line-index.ts';
import type { LineIndex } from './line-index.ts';
import { levelOf, MatchLevel } from './match-level.ts';
import { findTokenMatches } from './match-tokens.ts';
import type { TokenMatch } from './match-tokens.ts';
import { placeElided } from './place-elided.ts';
import { placeFuzzy } from './place-fuzzy.ts';
import { reachEnds } from './reach-ends.ts';
import { tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';
import { variantsOf } from './variants.ts';

/** How far around a match to look for text missing at the ends of the old text. */
const MAX_REACH = 400;
/** Fewer tokens or letters than this match by accident when line breaks are ignored. */
const MIN_TOKENS_ANYWHERE = 3;
const MIN_LETTERS_ANYWHERE = 4;

export function placeEdit(content: string, request: EditRequest): EditPlacement {
  if (content.includes('\n') || !content.includes('\r')) return placeInLines(content, request);
  // In text without `\n`, a lone `\r` ends a line.
  const [old, replacement] = [toBreaks(request.old), toBreaks(request.replacement)];
  const placement = placeInLines(toBreaks(content), { ...request, old, replacement });
  if (placement.kind !== 'placed') return placement;
  const splices = placement.splices.map((each) => ({ ...each, replacement: each.replacement.replaceAll('\n', '\r') }));
  return { ...placement, splices };
}

function toBreaks(text: string): string {
  return text.replaceAll('\r', '\n');
}

function placeInLines(content: string, given: EditRequest): EditPlacement {
  const exact = placeExact(content, given);
  if (exact !== undefined) return exact;
  const index = indexLines(content);
  const request = { ...given, ...dropOuterBreaks(given) };
  const lenient = placeByTokens(index, request);
  if (lenient !== undefined) return lenient;
  for (const variant of variantsOf(request)) {
    const edit = { ...variant, allowMultiple: request.allowMultiple };
    const placed = placeWhole(content, edit) ?? placeByTokens(index, edit);
    if (placed !== undefined) return placed;
  }
  return placeElided(content, request, placeInLines) ?? placeFuzzy(index, request);
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

/** An exact match, rejected when it begins or ends within a word: a corrected text is a guess. */
function placeWhole(content: string, request: EditRequest): EditPlacement | undefined {
  const at = content.indexOf(request.old);
  const splits = (index: number) => /^\w\w$/.test(content.slice(index - 1, index + 1));
  return at === -1 || splits(at) || splits(at + request.old.length) ? undefined : placeExact(content, request);
}

function shift({ start, end, replacement }: Splice, by: number): Splice {
  return { start: start + by, end: end + by, replacement };
}

/** Reduces the splice to the differing whole tokens, so that line ends inside the old text stay as they are on disk. */
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
  const letters = pattern.keys.join('').match(/\w/g)?.length ?? 0;
  const tooShort = pattern.keys.length < MIN_TOKENS_ANYWHERE || letters < MIN_LETTERS_ANYWHERE;
  if (leveled.length === 0 || (tooShort && lowest >= MatchLevel.Layout)) return undefined;
  // Models err in indentation and blank lines equally often, so both levels compete; replacing all takes only the closest level.
  const highest = lowest === MatchLevel.Indentation && !allowMultiple ? MatchLevel.BlankLines : lowest;
  const matches = leveled.filter(({ level }) => level <= highest).map(({ match }) => match);
  const lines = matches.map(({ starts }) => lineOf(index, starts[0]!) + 1);
  if (matches.length > 1 && !allowMultiple) return { kind: 'ambiguous', occurrences: matches.length, lines };
  if (matches.some((match) => joinsLines(content, match.starts[0]!, old, replacement))) return undefined;
  const changes = matches.map((match) =>
    spliceWhole(content, pattern, match, replacement, lowest >= MatchLevel.BlankLines),
  );
  return {
    kind: 'placed',
    strategy: lowest <= MatchLevel.Indentation ? 'flexible' : 'regex',
    splices: changes.flat(),
    occurrences: matches.length,
    lines,
  };
}

/** Handles an old text cut short of text that the new one also contains. */
function spliceWhole(
  content: string,
  old: Tokens,
  match: TokenMatch,
  replacement: string,
  mayAddLines: boolean,
): Splice[] {
  const begin = content.lastIndexOf('\n', Math.max(0, match.starts[0]! - MAX_REACH)) + 1;
  const end = content.indexOf('\n', match.ends.at(-1)! + MAX_REACH);
  const file = tokenize(content, begin, end === -1 ? content.length : end);
  const from = file.starts.indexOf(match.starts[0]!);
  const whole = reachEnds({ old, file, from, to: from + old.keys.length }, tokenize(replacement), mayAddLines);
  const reached = { starts: file.starts.slice(whole.from, whole.to), ends: file.ends.slice(whole.from, whole.to) };
  return carryOver(content, reached, whole.old, replacement);
}
