/**
 * Pairs the tokens of a new text with those of the old one: the longest common sequence,
 * lines first, so that a closing bracket is paired with its own line. Two texts of the
 * model are compared exactly, other texts by their keys.
 */

import type { Tokens } from './tokens.ts';

/** With more pairs to compare than this, the differing middle counts as entirely new. */
const MAX_CELLS = 2_000_000;

/** For each token of `next` the index of its partner in `old`, ascending; of several candidates the first, or the last. */
export function pairEqual(
  old: Tokens,
  next: Tokens,
  { pairsLate = false, byKeys = false } = {},
): (number | undefined)[] {
  const partners: (number | undefined)[] = Array.from({ length: next.keys.length });
  const oldTexts = byKeys ? old.keys : textsOf(old);
  const nextTexts = byKeys ? next.keys : textsOf(next);
  const oldLines = toLines(old, oldTexts);
  const nextLines = toLines(next, nextTexts);
  const common = pairsLate ? longestCommonFromEnd : longestCommon;
  const pairedLines = common(
    oldLines.map(({ key }) => key),
    nextLines.map(({ key }) => key),
  );
  let oldFrom = 0;
  let nextFrom = 0;
  const pairBetween = (oldTo: number, nextTo: number) => {
    const pairs = common(oldTexts.slice(oldFrom, oldTo), nextTexts.slice(nextFrom, nextTo));
    for (const [a, b] of pairs) partners[nextFrom + b] = oldFrom + a;
  };
  for (const [a, b] of pairedLines) {
    const oldLine = oldLines[a]!;
    const nextLine = nextLines[b]!;
    pairBetween(oldLine.from, nextLine.from);
    for (let index = 0; index < oldLine.to - oldLine.from; index++)
      partners[nextLine.from + index] = oldLine.from + index;
    oldFrom = oldLine.to;
    nextFrom = nextLine.to;
  }
  pairBetween(old.keys.length, next.keys.length);
  return partners;
}

interface Line {
  from: number;
  to: number;
  key: string;
}

function textsOf({ text, starts, ends }: Tokens): string[] {
  return starts.map((start, index) => text.slice(start, ends[index]));
}

function toLines({ text, starts, ends }: Tokens, texts: readonly string[]): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (let index = 1; index <= texts.length; index++) {
    if (index < texts.length && !text.slice(ends[index - 1], starts[index]).includes('\n')) continue;
    lines.push({ from, to: index, key: texts.slice(from, index).join(' ') });
    from = index;
  }
  return lines;
}

function longestCommonFromEnd(a: readonly string[], b: readonly string[]): [number, number][] {
  const pairs = longestCommon(a.toReversed(), b.toReversed());
  return pairs.map(([x, y]): [number, number] => [a.length - 1 - x, b.length - 1 - y]).toReversed();
}

function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const pairs: [number, number][] = [];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) pairs.push([head, head++]);
  let endA = a.length;
  let endB = b.length;
  while (endA > head && endB > head && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  for (const pair of commonOfMiddle(a, b, head, endA, endB)) pairs.push(pair);
  for (let index = 0; endA + index < a.length; index++) pairs.push([endA + index, endB + index]);
  return pairs;
}

function commonOfMiddle(
  a: readonly string[],
  b: readonly string[],
  head: number,
  endA: number,
  endB: number,
): [number, number][] {
  const rows = endA - head;
  const columns = endB - head;
  if (rows === 0 || columns === 0 || rows * columns > MAX_CELLS) return [];
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      lengths[row * width + column] =
        a[head + row] === b[head + column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let row = 0, column = 0; row < rows && column < columns;) {
    if (a[head + row] === b[head + column]) pairs.push([head + row++, head + column++]);
    else if (lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!) row++;
    else column++;
  }
  return pairs;
}
