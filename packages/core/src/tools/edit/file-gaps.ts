/**
 * What an aligned place of the file has that the old text lacks, line by line: gaps
 * are moved to where whole lines are left out, and judged by whether they are.
 */

import type { Alignment } from './align-tokens.ts';
import type { Tokens } from './tokens.ts';

/** A text read as a part of the file. */
interface AlignedPlace {
  alignment: Alignment;
  file: Tokens;
}

/** Of two ways to leave out as much, the one that leaves out whole lines. */
export function slideToLines(alignment: Alignment, file: Tokens): Alignment {
  const partners = [...alignment.partners];
  const beginsLine = (at: number) => file.text.slice(file.ends[at - 1] ?? 0, file.starts[at]).includes('\n');
  for (let index = 1; index < partners.length; index++) {
    const [start, end] = [partners[index - 1]! + 1, partners[index]!];
    if (partners[index - 1] === -1 || end - start < 2 || (beginsLine(start) && beginsLine(end))) continue;
    const left = slide(file, start, end, -1, beginsLine);
    if (left > 0 && partners.slice(index - left, index).every((partner, at) => partner === start - left + at)) {
      for (let moved = 1; moved <= left; moved++) partners[index - moved] = end - moved;
      continue;
    }
    const right = slide(file, start, end, 1, beginsLine);
    if (right > 0 && partners.slice(index, index + right).every((partner, at) => partner === end + at)) {
      for (let moved = 0; moved < right; moved++) partners[index + moved] = start + moved;
    }
  }
  return {
    ...alignment,
    partners,
    first: partners.find((partner) => partner !== -1) ?? 0,
    last: partners.findLast((partner) => partner !== -1) ?? 0,
  };
}

/** How far a gap can move, by tokens that are the same at both its ends, until it begins and ends with a line; 0 where it cannot. */
function slide(
  { keys }: Tokens,
  start: number,
  end: number,
  direction: 1 | -1,
  beginsLine: (at: number) => boolean,
): number {
  for (let moved = 1; moved <= MAX_SLIDE; moved++) {
    const isSame =
      direction === 1 ? keys[start + moved - 1] === keys[end + moved - 1] : keys[start - moved] === keys[end - moved];
    const from = start + moved * direction;
    if (!isSame || from < 0 || end + moved * direction > keys.length) return 0;
    if (beginsLine(from) && beginsLine(end + moved * direction)) return moved;
  }
  return 0;
}

const MAX_SLIDE = 60;

/**
 * Whether all the model wrote is there and whole lines of the file are all it left
 * out: at most a third of them, and never beside a line that says the same.
 */
export function lacksLines(old: Tokens, { alignment: { partners, first, last }, file }: AlignedPlace): boolean {
  if (!partners.every((partner, index) => partner !== -1 && file.keys[partner] === old.keys[index])) return false;
  const lines = linesOf(file, first, last);
  const used = new Set(partners);
  const [said, left] = [[] as string[], [] as string[]];
  for (const [from, to] of lines) {
    const count = Array.from({ length: to - from }, (_, index) => from + index).filter((at) => used.has(at)).length;
    if (count !== 0 && count !== to - from) return false;
    (count === 0 ? left : said).push(file.keys.slice(from, to).join(' '));
  }
  return left.length > 0 && left.length * 2 <= said.length && left.every((line) => !said.includes(line));
}

/**
 * Whether the model left out more than a mark or a word that is no line of its own, or
 * a line that is there twice: what was left out could then be another part.
 */
export function leavesPartsOfLines({ alignment: { partners, first, last }, file }: AlignedPlace): boolean {
  const used = new Set(partners);
  const lines = linesOf(file, first, last);
  const keysOf = ([from, to]: [number, number]) => file.keys.slice(from, to).join(' ');
  let run = 0;
  for (let at = first; at <= last + 1; at++) {
    if (at <= last && !used.has(at) && !isInComment(file.text, file.starts[at]!)) {
      run++;
      continue;
    }
    if (run >= 2) {
      const left = lines.filter(([from, to]) => from >= at - run && to <= at);
      const isWhole = left.reduce((sum, [from, to]) => sum + to - from, 0) === run;
      const isTwice = left.some((line) => lines.filter((other) => keysOf(other) === keysOf(line)).length > 1);
      if (!isWhole || isTwice) return true;
    }
    run = 0;
  }
  return false;
}

/** The tokens of each line, ends exclusive. */
function linesOf(file: Tokens, first: number, last: number): [number, number][] {
  const lines: [number, number][] = [];
  let from = first;
  for (let at = first + 1; at <= last + 1; at++) {
    if (at <= last && !file.text.slice(file.ends[at - 1], file.starts[at]).includes('\n')) continue;
    lines.push([from, at]);
    from = at;
  }
  return lines;
}

/** A guess by the look of the line, good for the languages people write. */
export function isInComment(text: string, offset: number): boolean {
  // Two characters more, since the sign that opens the comment is part of it.
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset + 2);
  return /(?:^|\s)(?:\/\/|#|--|;;|%)|\/\*|<!--|"""|^\s*\*/.test(before);
}
