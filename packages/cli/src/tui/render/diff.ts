/**
 * Renders a unified diff as rows: line numbers, syntax colours, changed lines as bands with the changed words marked.
 * Long ones are folded in the middle with a note. Pure.
 */

import { countOf } from '@castor/core/program';
import { makeVisibleLine } from '../../make-visible.ts';
import { sanitize } from '../../sanitize.ts';
import { rowWidth, shortenRow, stripStyles } from '../text/row-width.ts';
import { breakRow, expandTabs } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';
import { createHighlighter } from './highlight.ts';
import type { Grammars } from './highlight.ts';
import { parseDiff } from './parse-diff.ts';
import type { DiffLine } from './parse-diff.ts';
import { applyMarks, markWords } from './word-marks.ts';

export interface DiffOptions {
  readonly styles: Styles;
  readonly width: number;
  /** The key that shows the omitted rows. */
  readonly moreKey?: string | undefined;
  /** Maximum rows; the middle is omitted. */
  readonly maxRows?: number;
  /** Default true; never in a narrow window. */
  readonly lineNumbers?: boolean;
  /** Shows every character, and wraps long lines: for a decision. */
  readonly isWhole?: boolean;
  /** Wraps long lines; else they are cut, and the last row tells the key that shows them. */
  readonly wraps?: boolean;
  /** For its syntax. */
  readonly fileName?: string | undefined;
  readonly grammars?: Grammars | undefined;
  /** Before every row, outside of its band. */
  readonly indent?: string;
}

/** What a question leaves of a window of 40 columns. */
const ROOM_FOR_NUMBERS = 35;
/** Rows before and after the fold. */
const HEAD_SHARE = 2 / 3;

export function renderDiff(diff: string, options: DiffOptions): string[] {
  const { styles, maxRows = 40, indent = '', moreKey } = options;
  const lines = parseDiff(diff);
  if (styles.isSpoken) return sayDiff(lines, options);
  if (lines.length === 0) return [`${indent}${styles.secondary('No changes.')}`];
  const hasNumbers = options.lineNumbers !== false && options.width >= ROOM_FOR_NUMBERS;
  const digits = hasNumbers ? String(Math.max(...lines.map(({ number }) => number))).length : 0;
  const language = /\.([a-z0-9]+)$/i.exec(options.fileName ?? '')?.[1] ?? '';
  const highlighter = createHighlighter(styles, () => options.grammars);
  highlighter.begin(language);
  const paint = options.grammars && language !== '' ? highlighter.line : (code: string) => code;
  let cut = 0;
  const onCut = () => void cut++;
  const rows = lines.flatMap((line) => renderLine(line, { ...options, digits, paint, onCut }));
  const hint = (words: string) =>
    shortenRow(styles.secondary(`… ${words}${moreKey === undefined ? '' : ` · ${moreKey}`}`), options.width);
  if (rows.length <= maxRows) {
    const cuts = cut === 0 || moreKey === undefined ? [] : [hint(`${countOf(cut, 'row')} cut`)];
    return [...rows, ...cuts].map((row) => indent + row);
  }
  const head = Math.ceil((maxRows - 1) * HEAD_SHARE);
  const tail = maxRows - 1 - head;
  const fold = hint(`${rows.length - head - tail} rows`);
  return [...rows.slice(0, head), fold, ...rows.slice(rows.length - tail)].map((row) => indent + row);
}

interface LineOptions extends DiffOptions {
  readonly digits: number;
  readonly paint: (code: string) => string;
  readonly onCut: () => void;
}

const SIGNS = { added: '+', removed: '-', context: ' ', gap: ' ' } as const;

function renderLine(line: DiffLine, options: LineOptions): string[] {
  const { styles, width, digits, isWhole = false, wraps = isWhole, paint, onCut } = options;
  const { kind, number } = line;
  if (kind === 'gap') return [styles.secondary(`${' '.repeat(Math.max(digits - 1, 0))}⋮`)];
  const clean = (text: string) => expandTabs(isWhole ? makeVisibleLine(text) : sanitize(text));
  const text = clean(line.text);
  const isChange = kind !== 'context';
  // The highlighter sees every line, so that it knows where a comment ends.
  const painted = paint(text);
  const code = isChange && !styles.hasSyntaxOnChanges ? text : painted;
  const marked = line.pair === undefined ? code : markPair(line, code, clean(line.pair), styles);
  const sign = { added: styles.success, removed: styles.error, context: (sign: string) => sign }[kind];
  const numbers = digits === 0 ? '' : `${styles.secondary(String(number).padStart(digits))} `;
  const lead = `${numbers}${styles.bold(sign(SIGNS[kind]))} `;
  const room = Math.max(width - rowWidth(lead), 8);
  if (!wraps && rowWidth(marked) > room) onCut();
  const pieces = wraps ? breakRow(marked, room) : [shortenRow(marked, room)];
  const band = { added: styles.added, removed: styles.removed, context: (row: string) => row }[kind];
  return pieces.map((piece, index) => {
    const row = `${index === 0 ? lead : ' '.repeat(rowWidth(lead))}${piece}`;
    return isChange ? band(row) : row.trimEnd();
  });
}

function markPair({ kind }: DiffLine, code: string, pair: string, styles: Styles): string {
  const own = stripStyles(code);
  const { removed, added } = kind === 'removed' ? markWords(own, pair) : markWords(pair, own);
  return kind === 'removed' ? applyMarks(code, removed, styles.removedWord) : applyMarks(code, added, styles.addedWord);
}

function sayDiff(lines: readonly DiffLine[], { fileName = 'a file', isWhole = false }: DiffOptions): string[] {
  const changes = lines.filter(({ kind }) => kind === 'added' || kind === 'removed');
  const count = (wanted: DiffLine['kind']) => changes.filter(({ kind }) => kind === wanted).length;
  const clean = (text: string) => expandTabs(isWhole ? makeVisibleLine(text) : sanitize(text));
  return [
    `Diff of ${sanitize(fileName)}, ${count('added')} added, ${count('removed')} removed.`,
    ...changes.map(
      ({ kind, number, text }) => `${kind === 'added' ? 'Added' : 'Removed'} line ${number}: ${clean(text)}`,
    ),
  ];
}
