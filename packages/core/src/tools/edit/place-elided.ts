/**
 * Places an edit that elides its middle with a line of dots, the same in both texts: the
 * elided part stays unchanged. Each changed part must have its own place, in order, and
 * each unchanged part must exist.
 */

import { findTokenMatches } from './match-tokens.ts';
import type { EditPlacement, EditRequest } from './edit-placement.ts';
import { tokenize } from './tokens.ts';
import type { EditTexts } from './variants.ts';

type Placed = Extract<EditPlacement, { kind: 'placed' }>;

/** A line of dots, alone or in a comment, with a few words at most. */
const ELISION = /^[^\S\n]*(?:\/\/|#|--|\/\*|<!--|;+|\*)?[^\S\n]*(?:\.{3}|…)(?:[^\S\n][^\n]{0,60})?$/gm;

/** Undefined when the edit elides nothing, or a part has no unique place. */
export function placeElided(
  content: string,
  request: EditRequest,
  place: (content: string, request: EditRequest) => EditPlacement,
): Placed | undefined {
  const old = request.old.split(ELISION);
  const next = request.replacement.split(ELISION);
  if (old.length < 2 || old.length !== next.length) return undefined;
  const lines = new Set(content.split('\n').map((line) => line.trim()));
  // Dots that the file contains are its own text.
  if (request.old.match(ELISION)!.some((dots) => lines.has(dots.trim()))) return undefined;
  const placed: Placed[] = [];
  let position = 0;
  for (const [index, part] of old.entries()) {
    const [wanted, replacement] = [trimBlankLines(part), trimBlankLines(next[index]!)];
    const isChanged = wanted !== replacement;
    // An edit may not add or remove lines next to the dots: their neighbours are unknown.
    if (isChanged && !keepsEdges({ old: wanted, replacement }, lines, index > 0, index < old.length - 1))
      return undefined;
    const found =
      isChanged && wanted !== '' ? place(content, { old: wanted, replacement, allowMultiple: false }) : undefined;
    const end = isChanged ? endOf(found, position) : findBehind(content, wanted, position);
    if (end === undefined) return undefined;
    position = end;
    if (found?.kind === 'placed') placed.push(found);
  }
  const [first] = placed;
  if (first === undefined) return undefined;
  const splices = placed.flatMap((each) => each.splices);
  return { ...first, splices, lines: placed.flatMap((each) => each.lines), strategy: 'fuzzy' };
}

function keepsEdges(
  { old, replacement }: EditTexts,
  lines: ReadonlySet<string>,
  first: boolean,
  last: boolean,
): boolean {
  const [wanted, next] = [old.split('\n'), replacement.split('\n')];
  const isKept = (line: string, other: string) => line === other || (lines.has(line.trim()) && isLike(line, other));
  return (!first || isKept(wanted[0]!, next[0]!)) && (!last || isKept(wanted.at(-1)!, next.at(-1)!));
}

/** Whether a line equals the other, or is a modified version of it. */
function isLike(line: string, other: string): boolean {
  const [keys, known] = [tokenize(line).keys, new Set(tokenize(other).keys)];
  return keys.filter((key) => known.has(key)).length * 2 > keys.length;
}

/** The end of a placed part; undefined when it has no place, or one before the previous part. */
function endOf(found: EditPlacement | undefined, position: number): number | undefined {
  if (found?.kind !== 'placed' || found.splices.length === 0) return undefined;
  return found.splices[0]!.start < position ? undefined : found.splices.at(-1)!.end;
}

/** The end of the first occurrence of a text at or after an offset. */
function findBehind(content: string, text: string, offset: number): number | undefined {
  if (text === '') return offset;
  const match = findTokenMatches(content, tokenize(text)).find(({ starts }) => starts[0]! >= offset);
  return match?.ends.at(-1);
}

function trimBlankLines(text: string): string {
  return text.replaceAll(/^(?:[^\S\n]*\n)+|(?:\n[^\S\n]*)+$/g, '');
}
