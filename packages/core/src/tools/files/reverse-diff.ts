/**
 * Reconstructs the text before a change from the text after it and the unified diff, and the other way round. It
 * guesses nothing: every line of the diff must match at its stated position, or the result is undefined. Pure.
 */

interface Side {
  /** From 0. */
  readonly start: number;
  /** With their line ends. */
  readonly lines: string[];
}

interface Hunk {
  readonly before: Side;
  readonly after: Side;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const NO_LINE_END = '\\ No newline at end of file';

/** The text before the change; undefined when the text is not the result of the change. */
export function reverseDiff(text: string, diff: string): string | undefined {
  return exchange(text, diff, 'after', 'before');
}

/** The text after the change; undefined when the text is not the one that was changed. */
export function applyDiff(text: string, diff: string): string | undefined {
  return exchange(text, diff, 'before', 'after');
}

/** The parts of both texts that the diff shows. */
export function sidesOfDiff(diff: string): { before: string; after: string } {
  const hunks = parseHunks(diff);
  const join = (side: keyof Hunk) => hunks.flatMap((hunk) => hunk[side].lines).join('');
  return { before: join('before'), after: join('after') };
}

function exchange(text: string, diff: string, from: keyof Hunk, to: keyof Hunk): string | undefined {
  const lines = text === '' ? [] : text.split(/(?<=\n)/);
  const hunks = parseHunks(diff);
  if (hunks.length === 0) return undefined;
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const { start, lines: known } = hunk[from];
    const isThere = start >= at && known.every((line, index) => lines[start + index] === line);
    if (!isThere) return undefined;
    result.push(...lines.slice(at, start), ...hunk[to].lines);
    at = start + known.length;
  }
  return [...result, ...lines.slice(at)].join('');
}

function parseHunks(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let last: string[][] = [];
  for (const line of diff.split('\n')) {
    const header = HEADER.exec(line);
    const hunk = hunks.at(-1);
    if (header) {
      const [, old, oldCount, fresh, freshCount] = header;
      hunks.push({ before: toSide(old, oldCount), after: toSide(fresh, freshCount) });
    } else if (hunk && line === NO_LINE_END) {
      for (const side of last) side.push(side.pop()!.slice(0, -1));
    } else if (hunk && line !== '') {
      last = sidesOf(line[0] ?? '', hunk);
      for (const side of last) side.push(`${line.slice(1)}\n`);
    }
  }
  return hunks;
}

/** For an empty range, a diff names the line before it. */
function toSide(first = '0', count?: string): Side {
  return { start: Number(first) - (count === '0' ? 0 : 1), lines: [] };
}

function sidesOf(sign: string, { after, before }: Hunk): string[][] {
  if (sign === '+') return [after.lines];
  return sign === '-' ? [before.lines] : [before.lines, after.lines];
}
