/**
 * Renders a line of prose: its kind, its rows at a width, and how many of those are final while the line still grows. A
 * row is final when the next one has begun and no mark before its end is unclosed. Pure; the text must already be
 * sanitised.
 */

import { stripStyles } from '../text/row-width.ts';
import type { Style, Styles } from '../theme/styles.ts';
import { inlinePieces, renderInline } from './inline.ts';
import { indentUnder, wrapRows } from '../text/wrap-rows.ts';

export interface ProseLine {
  /** Markdown, without the marks that define the kind of line. */
  readonly body: string;
  readonly style: Style;
  /** Prefix of the first row. */
  readonly first: string;
  /** Prefix of every other row. */
  readonly rest?: string;
  /** Unknown before its end. */
  readonly isWhole?: boolean;
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^\s{0,3}((?:>\s?)+)(.*)$/;
const TASK = /^\[([ xX])\]\s+/;
/** A blank, or a sign that is a word of its own; after any other character a word may continue. */
const WORD_END = /[\s\u3001-\u30ff\u3400-\u9fff\uff01-\uff60]/;
/** A mark this far back counts as never closed. */
const LONGEST_SPAN = 1_000;

export function toProseLine(line: string, styles: Styles): ProseLine {
  const heading = HEADING.exec(line);
  if (heading) {
    const marks = heading[1] ?? '#';
    return {
      body: heading[2] ?? '',
      style: headingStyle(marks, styles),
      first: headingMark(marks, styles),
      isWhole: true,
    };
  }
  const item = ITEM.exec(line);
  if (item) return toItem(item, styles);
  const quote = QUOTE.exec(line);
  if (quote) {
    if (styles.isSpoken) return { body: quote[2] ?? '', style: styles.italic, first: 'Quote: ', rest: '' };
    const marks = styles.border('> '.repeat((quote[1] ?? '').replaceAll(/\s/g, '').length));
    return { body: quote[2] ?? '', style: styles.italic, first: marks, rest: marks };
  }
  const indent = /^\s*/.exec(line)?.[0].slice(0, 12) ?? '';
  return { body: line.trimStart(), style: styles.response, first: indent };
}

export function renderProse(line: ProseLine, styles: Styles, width: number): string[] {
  return wrap(line, renderInline(line.body, styles), width);
}

/** The final rows, and the rest of the line under them; undefined when there are none yet. */
export function settleProse(
  line: ProseLine,
  styles: Styles,
  width: number,
): { rows: string[]; left: ProseLine } | undefined {
  if (line.isWhole || line.body.length < width) return undefined;
  const { rows, ends, settledInk } = measure(line, styles, width);
  for (let count = rows.length - 1; count > 0; count--) {
    const ink = inkOfRows(line, rows.slice(0, count));
    const end = ends.get(ink);
    if (end !== undefined && end > 0 && ink <= settledInk) return { rows: rows.slice(0, count), left: goOn(line, end) };
  }
  return undefined;
}

/** The part of a growing line that will not change, word by word, and the rest of the line. */
export function splitProse(line: ProseLine, styles: Styles): { settled: ProseLine; left: ProseLine } {
  const { body } = line;
  let offset = 0;
  let end = 0;
  for (const { length, isOpen } of inlinePieces(body, styles)) {
    if (isOpen && body.length - offset < LONGEST_SPAN) break;
    offset += length;
    if (length === 1 && WORD_END.test(body[offset - 1] ?? '')) end = offset;
  }
  return { settled: { ...line, body: body.slice(0, end).trimEnd() }, left: goOn(line, end) };
}

function goOn({ body, style, first, rest = indentUnder(first) }: ProseLine, end: number): ProseLine {
  return { body: body.slice(end).trimStart(), style, first: rest, rest };
}

/** The rows of the line, the offset in its text where each amount of ink ends, and how much ink is final. */
function measure(line: ProseLine, styles: Styles, width: number) {
  const ends = new Map<number, number>();
  let rendered = '';
  let offset = 0;
  let ink = 0;
  let settledInk = 0;
  let isOpen = false;
  for (const piece of inlinePieces(line.body, styles)) {
    isOpen ||= piece.isOpen && line.body.length - offset < LONGEST_SPAN;
    rendered += piece.rendered;
    offset += piece.length;
    ink += inkIn(piece.rendered);
    ends.set(ink, offset);
    if (!isOpen) settledInk = ink;
  }
  return { rows: wrap(line, rendered, width), ends, settledInk };
}

function inkOfRows({ first, rest = '' }: ProseLine, rows: readonly string[]): number {
  return rows.reduce((sum, row, index) => sum + inkIn(row) - inkIn(index === 0 ? first : rest), 0);
}

function wrap({ style, first, rest }: ProseLine, rendered: string, width: number): string[] {
  return wrapRows(style(rendered.trimEnd()), { width, first, rest });
}

/** Counts visible characters: rows differ in blanks, which wrapping adds and removes. */
function inkIn(text: string): number {
  return stripStyles(text).replaceAll(/\s/g, '').length;
}

function toItem([, indent = '', mark = '', body = '']: RegExpExecArray, styles: Styles): ProseLine {
  const task = TASK.exec(body);
  const sign = task ? taskSign(task[1] !== ' ', styles) : styles.secondary(/^\d/.test(mark) ? mark : '•');
  const first = `${indent.slice(0, 20)}${sign} `;
  return { body: task ? body.slice(task[0].length) : body, style: styles.response, first };
}

/** Replaces the bullet. */
function taskSign(isDone: boolean, styles: Styles): string {
  if (styles.isSpoken) return isDone ? 'Done:' : 'Open:';
  if (styles.keepsMarks) return isDone ? '[x]' : '[ ]';
  return isDone ? styles.success('✓') : styles.secondary('☐');
}

/** Where colours cannot tell a heading, its marks do; a voice says its level. */
function headingMark(marks: string, styles: Styles): string {
  if (styles.isSpoken) return `Heading ${marks.length}: `;
  return styles.keepsMarks ? `${marks} ` : '';
}

function headingStyle(marks: string, { link, bold, italic, underline, primary }: Styles): Style {
  if (marks.length === 1) return (text) => bold(underline(link(text)));
  if (marks.length === 2) return (text) => bold(link(text));
  return marks.length === 3 ? (text) => bold(primary(text)) : (text) => italic(primary(text));
}
