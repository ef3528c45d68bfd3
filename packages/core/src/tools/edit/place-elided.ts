/**
 * An edit that leaves out its middle with a line of dots, the same in both texts: what is
 * between stays as it is. Each changed part must be placed by itself, in order, and each
 * unchanged one must be there too.
 */

import { findTokenMatches } from './match-tokens.ts';
import type { EditPlacement, EditRequest } from './place-edit.ts';
import { tokenize } from './tokens.ts';

type Placed = Extract<EditPlacement, { kind: 'placed' }>;

/** A line of dots, alone or in a comment, with a few words at most. */
const ELISION = /^[^\S\n]*(?:\/\/|#|--|\/\*|<!--|;+|\*)?[^\S\n]*(?:\.{3}|…)(?:[^\S\n][^\n]{0,60})?$/gm;

/** Undefined where there is nothing left out, or no single place for what is there. */
export function placeElided(
  content: string,
  request: EditRequest,
  place: (content: string, request: EditRequest) => EditPlacement,
): Placed | undefined {
  const old = request.old.split(ELISION);
  const next = request.replacement.split(ELISION);
  if (old.length < 2 || old.length !== next.length) return undefined;
  const placed: Placed[] = [];
  let position = 0;
  for (const [index, part] of old.entries()) {
    const [wanted, replacement] = [trimBlankLines(part), trimBlankLines(next[index]!)];
    const isChanged = wanted !== replacement;
    // Beside the dots nothing may change: it is open what stands there.
    if (isChanged && !keepsEdges(wanted, replacement, index > 0, index < old.length - 1)) return undefined;
    const found =
      isChanged && wanted !== '' ? place(content, { old: wanted, replacement, allowMultiple: false }) : undefined;
    const end = isChanged ? endOf(found, position) : findBehind(content, wanted, position);
    if (end === undefined) return undefined;
    position = end;
    if (found?.kind === 'placed') placed.push(found);
  }
  const [first] = placed;
  if (first === undefined) return undefined;
  const [splices, lines] = [placed.flatMap((each) => each.splices), placed.flatMap((each) => each.lines)];
  return { ...first, splices, lines, strategy: 'fuzzy' };
}

function keepsEdges(wanted: string, replacement: string, first: boolean, last: boolean): boolean {
  const [lines, next] = [wanted.split('\n'), replacement.split('\n')];
  return (!first || lines[0] === next[0]) && (!last || lines.at(-1) === next.at(-1));
}

/** Where a placed part ends; undefined where it has no place, or one before what came before it. */
function endOf(found: EditPlacement | undefined, position: number): number | undefined {
  if (found?.kind !== 'placed' || found.splices.length === 0) return undefined;
  return found.splices[0]!.start < position ? undefined : found.splices.at(-1)!.end;
}

/** Where the first place of a text at or behind an offset ends. */
function findBehind(content: string, text: string, offset: number): number | undefined {
  if (text === '') return offset;
  const match = findTokenMatches(content, tokenize(text)).find(({ starts }) => starts[0]! >= offset);
  return match?.ends.at(-1);
}

function trimBlankLines(text: string): string {
  return text.replaceAll(/^(?:[^\S\n]*\n)+|(?:\n[^\S\n]*)+$/g, '');
}
