/**
 * Which tokens of a text its new version keeps. In a line that says something else, a
 * bracket or a comma that both have is an accident and counts as new.
 */

import { beginsLine } from './lined-keys.ts';
import { pairEqual } from './pair-equal.ts';
import { isWord } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** For each token of a text that of the new one which is the same, or -1. */
export type Kept = readonly number[];

/** A line that shares less of its words, and less of its tokens, is another line. */
const MIN_SHARED_WORDS = 0.4;
const MIN_SHARED_TOKENS = 0.6;

/** Where several pairings are as good, the first or the last. */
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
