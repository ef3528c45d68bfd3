/**
 * Finds the tokens of a text that its new version keeps. A bracket or comma shared by
 * otherwise different lines is a coincidence and counts as new.
 */

import { beginsLine } from './lined-keys.ts';
import { pairEqual } from './pair-equal.ts';
import { isWord } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** For each token of a text the index of the equal token in the new text, or -1. */
export type Kept = readonly number[];

/** A line that shares fewer words, and fewer tokens, counts as a different line. */
const MIN_SHARED_WORDS = 0.4;
const MIN_SHARED_TOKENS = 0.6;

/** Of several equally good pairings, takes the first or the last. */
export function keptIn(tokens: Tokens, next: Tokens, pairsLate: boolean): Kept {
  const partners = pairEqual(tokens, next, { pairsLate, byKeys: true }).map((partner) => partner ?? -1);
  dropAccidents(next, partners);
  const kept = Array.from<number>({ length: tokens.keys.length }).fill(-1);
  for (const [index, partner] of partners.entries()) if (partner !== -1) kept[partner] = index;
  dropAccidents(tokens, kept);
  return kept;
}

function dropAccidents(tokens: Tokens, partners: number[]): void {
  let from = 0;
  for (let index = 1; index <= tokens.keys.length; index++) {
    if (!beginsLine(tokens, index)) continue;
    if (isAnother(tokens, partners, from, index)) partners.fill(-1, from, index);
    from = index;
  }
}

function isAnother({ keys }: Tokens, partners: readonly number[], from: number, to: number): boolean {
  let [all, shared, tokens] = [0, 0, 0];
  for (let index = from; index < to; index++) {
    const isPaired = partners[index] !== -1;
    if (isPaired) tokens++;
    if (!isWord(keys[index]!)) continue;
    all += keys[index]!.length;
    if (isPaired) shared += keys[index]!.length;
  }
  return shared < all * MIN_SHARED_WORDS && tokens < (to - from) * MIN_SHARED_TOKENS;
}
