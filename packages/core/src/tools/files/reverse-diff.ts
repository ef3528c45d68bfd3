/**
 * Reconstructs the text before a change from the text after it and the unified diff, and the other way round. It
 * guesses nothing: every line of the diff must match at its stated position, or the result is undefined. A diff has
 * `\n` line ends; the text may have others, which it keeps. Pure.
 */

interface Row {
  readonly sign: string;
  /** With its line end. */
  line: string;
}

interface Hunk {
  /** From 0. */
  readonly start: Readonly<Record<Side, number>>;
  readonly rows: Row[];
}

type Side = 'before' | 'after';

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const NO_LINE_END = '\\ No newline at end of file';
/** The sign of the rows that a side does not have. */
const FOREIGN = { before: '+', after: '-' } as const;

/** The text before the change; undefined when the text is not the result of the change. */
export function reverseDiff(text: string, diff: string): string | undefined {
  return exchange(text, diff, 'after');
}

/** The text after the change; undefined when the text is not the one that was changed. */
export function applyDiff(text: string, diff: string): string | undefined {
  return exchange(text, diff, 'before');
}

/** The parts of both texts that the diff shows. */
export function sidesOfDiff(diff: string): { before: string; after: string } {
  const rows = parseHunks(diff).flatMap((hunk) => hunk.rows);
  const join = (side: Side) =>
    rows
      .filter(({ sign }) => sign !== FOREIGN[side])
      .map(({ line }) => line)
      .join('');
  return { before: join('before'), after: join('after') };
}

function exchange(text: string, diff: string, from: Side): string | undefined {
  const lines = text === '' ? [] : text.split(/(?<=\n)/);
  const hunks = parseHunks(diff);
  if (hunks.length === 0) return undefined;
  // A `\r` before a line end may be text; only where the diff does not know it, it is part of the line end.
  return exchangeLines(lines, hunks, from) ?? exchangeLines(lines, hunks, from, true);
}

function exchangeLines(
  lines: readonly string[],
  hunks: readonly Hunk[],
  from: Side,
  hasReturns = false,
): string | undefined {
  const result: string[] = [];
  let at = 0;
  for (const { start, rows } of hunks) {
    if (start[from] < at) return undefined;
    result.push(...lines.slice(at, start[from]));
    at = start[from];
    for (const change of changesOf(rows)) {
      const known = change.filter(({ sign }) => sign !== FOREIGN[from]);
      const own = lines.slice(at, (at += known.length));
      const isThere = known.every(({ line }, index) => toRow(own[index], hasReturns) === line);
      if (!isThere) return undefined;
      if (change[0]?.sign === ' ') {
        result.push(...own);
        continue;
      }
      const around = [result.at(-1), lines[0]];
      for (const { sign, line } of change) {
        if (sign !== FOREIGN[from]) continue;
        const model = [own.shift(), ...around].find((each) => each?.endsWith('\n'));
        result.push(hasReturns && model?.endsWith('\r\n') ? line.replace(/\n$/, '\r\n') : line);
      }
    }
  }
  return [...result, ...lines.slice(at)].join('');
}

/** The rows in groups: each line that stays by itself, and the lines that replace others together with those. */
function changesOf(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (row.sign === ' ' || last?.[0]?.sign === ' ' || !last) groups.push([row]);
    else last.push(row);
  }
  return groups;
}

/** A line of the text as a diff writes it. */
function toRow(line: string | undefined, hasReturns: boolean): string | undefined {
  return hasReturns && line?.endsWith('\r\n') ? `${line.slice(0, -2)}\n` : line;
}

function parseHunks(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of diff.split('\n')) {
    const header = HEADER.exec(line);
    const rows = hunks.at(-1)?.rows;
    if (header) {
      const [, old, oldCount, fresh, freshCount] = header;
      hunks.push({ start: { before: startOf(old, oldCount), after: startOf(fresh, freshCount) }, rows: [] });
    } else if (rows && line === NO_LINE_END) {
      const last = rows.at(-1);
      if (last) last.line = last.line.slice(0, -1);
    } else if (rows && line !== '') {
      rows.push({ sign: signOf(line), line: `${line.slice(1)}\n` });
    }
  }
  return hunks;
}

/** For an empty range, a diff names the line before it. */
function startOf(first = '0', count?: string): number {
  return Number(first) - (count === '0' ? 0 : 1);
}

function signOf(line: string): string {
  return line.startsWith('+') || line.startsWith('-') ? line[0]! : ' ';
}
