/**
 * Renders a Markdown table as rows that fit the width: columns as wide as they need, the widest shrink first. A table
 * whose words do not fit into its columns is printed line by line, each cell after the name of its column. Pure.
 */

import { rowWidth, stripStyles } from '../text/row-width.ts';
import type { Styles } from '../theme/styles.ts';
import { renderInline } from './inline.ts';
import { wrapRows } from '../text/wrap-rows.ts';

/** A narrower column is unreadable. */
const LEAST_CELLS = 3;
const GAP = '  ';
/** Scripts without blanks between words may break anywhere. */
const WIDE = /[\u3001-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60]/;
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

export function isDelimiterLine(line: string): boolean {
  return line.includes('-') && DELIMITER.test(line);
}

export function looksLikeTableRow(line: string): boolean {
  return /^\s*\|.*\|/.test(line);
}

export function renderTable(lines: readonly string[], width: number, styles: Styles): string[] {
  const [head = '', delimiter = '', ...body] = lines;
  if (!isDelimiterLine(delimiter)) return lines.flatMap((line) => wrapRows(renderInline(line, styles), { width }));
  const header = cellsOf(head);
  const rows = [header, ...body.map(cellsOf)].map((cells) =>
    header.map((_, index) => renderInline(cells[index] ?? '', styles)),
  );
  const aligned = cellsOf(delimiter).map((cell) =>
    /^:.*:$/.test(cell) ? 'center' : cell.endsWith(':') ? 'right' : 'left',
  );
  const available = width - GAP.length * (header.length - 1);
  const widths = columnWidths(rows, Math.max(available, header.length * LEAST_CELLS));
  const isTooNarrow = sum(widths) > available || breaksWords(rows, widths);
  if (isTooNarrow) return listTable(rows, styles).flatMap((line) => wrapRows(line, { width, rest: '  ' }));
  const rule = styles.border(widths.map((cells) => '─'.repeat(cells)).join(GAP));
  const rendered = rows.map((cells, index) =>
    renderRow(cells, widths, aligned, index === 0 ? styles.bold : (text) => text),
  );
  const [top = [], ...others] = rendered;
  // Where a cell takes several rows, only a rule tells where the next line of the table begins.
  const isParted = others.some((each) => each.length > 1);
  return [...top, rule, ...others.flatMap((each, index) => (isParted && index > 0 ? [rule, ...each] : each))];
}

/** Each line of the table as a sentence, where columns would break words. */
function listTable([names = [], ...body]: readonly (readonly string[])[], styles: Styles): string[] {
  if (body.length === 0) return [names.map((name) => styles.bold(name)).join(' · ')];
  return body.map((cells) =>
    cells
      .map((cell, index) => [styles.secondary(names[index] ?? ''), cell].filter(Boolean).join(styles.secondary(': ')))
      .join(styles.secondary(' · ')),
  );
}

function breaksWords(rows: readonly (readonly string[])[], widths: readonly number[]): boolean {
  return rows.some((cells) =>
    cells.some((cell, index) =>
      stripStyles(cell)
        .split(/\s+/)
        .some((word) => rowWidth(word) > (widths[index] ?? 0) && !WIDE.test(word)),
    ),
  );
}

/** The same for a screen reader: each row a line, each cell after the name of its column. */
export function sayTable(lines: readonly string[], styles: Styles): string[] {
  const [head = '', delimiter = '', ...body] = lines;
  if (!isDelimiterLine(delimiter)) return lines.map((line) => renderInline(line, styles));
  const names = cellsOf(head).map((cell) => renderInline(cell, styles));
  if (body.length === 0) return [names.join(', ')];
  const title = `Table, ${names.length} columns, ${body.length} rows.`;
  const said = body.map((line) => {
    const cells = cellsOf(line);
    const words = names.map((name, index) =>
      [name, renderInline(cells[index] ?? '', styles)].filter(Boolean).join(': '),
    );
    return `${words.join('; ')}.`;
  });
  return [title, ...said];
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function columnWidths(rows: readonly (readonly string[])[], available: number): number[] {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(LEAST_CELLS, ...rows.map((cells) => rowWidth(cells[index] ?? ''))),
  );
  let excess = sum(widths) - available;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= LEAST_CELLS) break;
    const next = Math.max(LEAST_CELLS, ...widths.filter((cells) => cells < widest));
    const many = widths.filter((cells) => cells === widest).length;
    const step = Math.max(1, Math.min(widest - next || 1, Math.ceil(excess / many)));
    for (const [index, cells] of widths.entries()) {
      if (cells !== widest || excess <= 0) continue;
      widths[index] = cells - step;
      excess -= step;
    }
  }
  return widths;
}

function renderRow(
  cells: readonly string[],
  widths: readonly number[],
  aligned: readonly string[],
  style: (text: string) => string,
): string[] {
  const blocks = widths.map((width, index) => wrapRows(cells[index] ?? '', { width }));
  const height = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: height }, (_, row) => {
    const texts = widths.map((width, index) => pad(style(blocks[index]?.[row] ?? ''), width, aligned[index]));
    return texts.join(GAP).trimEnd();
  });
}

function pad(text: string, width: number, aligned = 'left'): string {
  const missing = Math.max(0, width - rowWidth(text));
  if (aligned === 'right') return ' '.repeat(missing) + text;
  const left = aligned === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(missing - left);
}
