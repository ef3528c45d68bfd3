/**
 * Reconstructs the text before a change from the text after it and the unified diff. It
 * guesses nothing: every line of the diff must match at its stated position, or the result
 * is undefined. Pure.
 */

interface Hunk {
  /** From 0, in the text after the change. */
  readonly start: number;
  /** The lines after and before the change, with their line ends. */
  readonly after: readonly string[];
  readonly before: readonly string[];
}

const HEADER = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;
const NO_LINE_END = '\\ No newline at end of file';

/** Undefined when the text is not the result of the change. */
export function reverseDiff(text: string, diff: string): string | undefined {
  const lines = text.split(/(?<=\n)/);
  const hunks = parseHunks(diff);
  if (hunks.length === 0) return undefined;
  const result: string[] = [];
  let at = 0;
  for (const { start, after, before } of hunks) {
    const isThere = start >= at && after.every((line, index) => lines[start + index] === line);
    if (!isThere) return undefined;
    result.push(...lines.slice(at, start), ...before);
    at = start + after.length;
  }
  return [...result, ...lines.slice(at)].join('');
}

function parseHunks(diff: string): Hunk[] {
  const hunks: { start: number; after: string[]; before: string[] }[] = [];
  let last: string[][] = [];
  for (const line of diff.split('\n')) {
    const header = HEADER.exec(line);
    const hunk = hunks.at(-1);
    if (header) {
      const [, first = '0', count] = header;
      // For an empty range, a diff names the line before it.
      hunks.push({ start: Number(first) - (count === '0' ? 0 : 1), after: [], before: [] });
    } else if (hunk && line === NO_LINE_END) {
      for (const side of last) side.push(side.pop()!.slice(0, -1));
    } else if (hunk && line !== '') {
      last = sidesOf(line[0] ?? '', hunk);
      for (const side of last) side.push(`${line.slice(1)}\n`);
    }
  }
  return hunks;
}

function sidesOf(sign: string, { after, before }: { after: string[]; before: string[] }): string[][] {
  if (sign === '+') return [after];
  return sign === '-' ? [before] : [before, after];
}
