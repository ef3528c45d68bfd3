/**
 * Checks the ends of a place before an edit is applied: the edit must not duplicate, split
 * or join the neighbouring text.
 */

import { countOf, endsWith, startsWith } from './key-lists.ts';
import { beginsLine } from './lined-keys.ts';
import { MIN_GOING_ON } from './reach-ends.ts';
import type { Reach } from './reach-ends.ts';
import { isWord } from './tokens.ts';
import type { Tokens } from './tokens.ts';
import type { EditTexts } from './variants.ts';

/**
 * Whether the place ends inside a line and the new text ends differently from the old one:
 * the extent of the edit is then unclear.
 */
export function isCutShort({ old, file, from, to }: Reach, next: Tokens): boolean {
  const [start, end] = [old.keys.slice(0, MIN_GOING_ON), old.keys.slice(-MIN_GOING_ON)];
  return (
    (!beginsLine(file, to) && !endsWith(next.keys, end)) || (!beginsLine(file, from) && !startsWith(next.keys, start))
  );
}

/** Whether the new text contains the line before or after the place, so that the edit would duplicate it. */
export function repeatsNeighbour({ file, from, to }: Reach, next: Tokens): boolean {
  const place = file.keys.slice(from, to);
  let before = Math.max(0, from - 1);
  while (!beginsLine(file, before)) before--;
  let behind = Math.min(to + 1, file.keys.length);
  while (!beginsLine(file, behind)) behind++;
  return [file.keys.slice(before, from), file.keys.slice(to, behind)].some(
    (line) => line.length >= MIN_GOING_ON && line.some(isWord) && countOf(next.keys, line) > countOf(place, line),
  );
}

/** Whether the new text begins with fewer blank lines than the old one and would be joined to the line before the place. */
export function joinsLines(content: string, start: number, old: string, replacement: string): boolean {
  const breaksBefore = (text: string) => /^\s*/.exec(text)![0].split('\n').length - 1;
  const fewer = breaksBefore(old) - breaksBefore(replacement);
  const space = /\s*$/.exec(content.slice(Math.max(0, start - MAX_SPACE), start))![0];
  return replacement.trim() !== '' && fewer > 0 && space.length < start && space.split('\n').length - 1 <= fewer;
}

const MAX_SPACE = 2000;

/** Removes from the edit line ends that surround only the old text, and trailing indentation that only the new text has. */
export function dropOuterBreaks({ old, replacement }: EditTexts): EditTexts {
  if (replacement.trim() === '') return { old, replacement };
  const isLed = /^[^\S\n]*\n(?!\s*\n)/.test(old) && !/^\s*\n/.test(replacement);
  const led = isLed ? old.slice(old.indexOf('\n') + 1) : old;
  if (/\n\s*$/.test(led) && !/\s$/.test(replacement)) return { old: led.trimEnd(), replacement };
  return { old: led, replacement: old.endsWith('\n') ? replacement.replace(/(?<=\n)[^\S\n]+$/, '') : replacement };
}
