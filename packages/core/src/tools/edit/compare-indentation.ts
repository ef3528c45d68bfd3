/**
 * Compares the indentation of the old text, the new text and the file: which lines
 * correspond, and whose indentation style the new text follows.
 */

import type { IndentationPair } from './indentation.ts';
import type { TokenMatch } from './match-tokens.ts';
import { pairEqual } from './pair-equal.ts';
import { isSpaceAt } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** Pairs lines with equal content by their indentation: the new text shows by it which of them it keeps. */
export function pairAsIndented(content: string, match: TokenMatch, old: Tokens, next: Tokens): (number | undefined)[] {
  const [early, late] = [pairEqual(old, next), pairEqual(old, next, { pairsLate: true })];
  const countSame = (partners: readonly (number | undefined)[]) =>
    partners.filter((partner, index) => early[index] !== late[index] && isAs(partner, index)).length;
  const isAs = (partner: number | undefined, index: number) =>
    partner !== undefined &&
    indentationAt(next.text, next.starts[index]!) !== undefined &&
    indentationAt(next.text, next.starts[index]!) === indentationAt(content, match.starts[partner]!);
  return countSame(late) > countSame(early) ? late : early;
}

export function indentationPairs(content: string, match: TokenMatch, old: Tokens): IndentationPair[] {
  const pairs: IndentationPair[] = [];
  for (let index = 0; index < old.keys.length; index++) {
    const wanted = indentationAt(old.text, old.starts[index]!);
    const found = indentationAt(content, match.starts[index]!);
    if (wanted !== undefined && found !== undefined) pairs.push({ index, wanted, found });
  }
  return pairs;
}

/**
 * Whether the lines the new text keeps are indented as in the file, not as in the old
 * text: only the old text's indentation is wrong.
 */
export function isIndentedAsFile(
  pairs: readonly IndentationPair[],
  next: Tokens,
  partners: readonly (number | undefined)[],
): boolean {
  const byPlace = new Map(pairs.map((pair) => [pair.index, pair]));
  let balance = 0;
  for (const [index, partner] of partners.entries()) {
    const pair = partner === undefined ? undefined : byPlace.get(partner);
    if (pair === undefined || pair.wanted === pair.found) continue;
    const indentation = indentationAt(next.text, next.starts[index]!);
    if (indentation === pair.found) balance++;
    if (indentation === pair.wanted) balance--;
  }
  return balance > 0;
}

/** The whitespace before a token that is the first of its line; undefined for other tokens. */
export function indentationAt(text: string, start: number): string | undefined {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  for (let at = lineStart; at < start; at++) if (!isSpaceAt(text, at)) return undefined;
  return text.slice(lineStart, start);
}
