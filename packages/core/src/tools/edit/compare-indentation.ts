/**
 * What the indentation of a text, of its new version and of the file say about each
 * other: which lines answer to which, and whose way of indenting the new text follows.
 */

import type { IndentationPair } from './indentation.ts';
import type { TokenMatch } from './match-tokens.ts';
import { pairEqual } from './pair-equal.ts';
import { isSpaceAt } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** Which of two lines that say the same is kept, the new text shows by its indentation. */
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

/** Whether the lines the new text keeps are indented as in the file, not as in the old text: the slip is in that alone. */
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

/** The whitespace before a token that begins its line. */
export function indentationAt(text: string, start: number): string | undefined {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  for (let at = lineStart; at < start; at++) if (!isSpaceAt(text, at)) return undefined;
  return text.slice(lineStart, start);
}
