/** Renders a unified diff as rows with line numbers and colours; long ones are cut in the middle with a note. Pure. */

import { sanitize } from '../../sanitize.ts';
import { cutRow, rowWidth, shortenRow } from '../terminal/row-width.ts';
import type { Styles } from '../theme/styles.ts';
import { makeVisibleLine } from '../../make-visible.ts';
import { expandTabs } from './wrap-rows.ts';

export interface DiffOptions {
  /** The key that shows the omitted rows. */
  readonly moreKey?: string | undefined;
  readonly styles: Styles;
  readonly width: number;
  /** Maximum rows; the middle is omitted. */
  readonly maxRows?: number;
  /** Default true. */
  readonly lineNumbers?: boolean;
  /** Shows every character, and wraps long lines: for a decision. */
  readonly isWhole?: boolean;
}

interface DiffLine {
  readonly kind: 'added' | 'removed' | 'context' | 'gap';
  readonly number: number;
  readonly text: string;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let isInside = false;
  for (const line of diff.split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      if (isInside) lines.push({ kind: 'gap', number: 0, text: '' });
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      isInside = true;
    } else if (isInside && line.startsWith('+')) lines.push({ kind: 'added', number: after++, text: line.slice(1) });
    else if (isInside && line.startsWith('-')) lines.push({ kind: 'removed', number: before++, text: line.slice(1) });
    else if (isInside && line.startsWith(' ')) {
      lines.push({ kind: 'context', number: after++, text: line.slice(1) });
      before++;
    }
  }
  return lines;
}

/** After the omitted rows: the key that shows them. */
export function keyHint(key: string | undefined): string {
  return key === undefined ? '' : ` (${key})`;
}

export function renderDiff(diff: string, options: DiffOptions): string[] {
  const { styles, width, maxRows = 40, isWhole = false, lineNumbers = true, moreKey } = options;
  const lines = parseDiff(diff);
  if (lines.length === 0) return [styles.secondary('No changes.')];
  const digits = lineNumbers ? String(Math.max(...lines.map(({ number }) => number))).length : 0;
  const rows = lines.flatMap((line) => renderLine(line, { digits, width, styles, isWhole }));
  if (rows.length <= maxRows) return rows;
  const head = Math.ceil((maxRows - 1) * 0.7);
  const tail = maxRows - 1 - head;
  const left = rows.length - head - tail;
  return [
    ...rows.slice(0, head),
    styles.secondary(`… ${left} more rows of the diff${keyHint(moreKey)} …`),
    ...rows.slice(rows.length - tail),
  ];
}

interface LineOptions {
  digits: number;
  width: number;
  styles: Styles;
  isWhole: boolean;
}

function renderLine({ kind, number, text }: DiffLine, { digits, width, styles, isWhole }: LineOptions): string[] {
  if (kind === 'gap') return [styles.secondary(`${' '.repeat(digits)} ⋮`)];
  const mark = kind === 'added' ? '+' : kind === 'removed' ? '-' : ' ';
  const style = kind === 'added' ? styles.added : kind === 'removed' ? styles.removed : styles.secondary;
  const prefix = digits === 0 ? '' : `${styles.secondary(String(number).padStart(digits))} `;
  const indent = digits === 0 ? '' : `${' '.repeat(digits)} `;
  const shown = isWhole ? makeVisibleLine(text) : expandTabs(sanitize(text));
  const available = Math.max(width - digits - 3, 8);
  const pieces = isWhole ? chop(shown, available) : [shortenRow(shown, available)];
  return pieces.map((piece, index) =>
    index === 0 ? `${prefix}${style(`${mark} ${piece}`)}` : `${indent}${style(`  ${piece}`)}`,
  );
}

/** Every character, in pieces of a width. */
function chop(text: string, width: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rowWidth(rest) > width) {
    const piece = cutRow(rest, width);
    if (piece === '') break;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...pieces, rest];
}
