/**
 * Renders a Markdown table as rows that fit the width: columns as wide as they need, the widest shrink first. A table
 * with more columns than fit is printed cell by cell. Pure.
 */

import { rowWidth } from '../terminal/row-width.ts';
import type { Styles } from '../theme/styles.ts';
import { renderInline } from './inline.ts';
import { wrapRows } from './wrap-rows.ts';

/** A narrower column is unreadable. */
const LEAST_CELLS = 3;
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
  if (header.length * (LEAST_CELLS + 3) + 1 > width)
    return sayTable(lines, styles).flatMap((line) => wrapRows(line, { width, rest: '  ' }));
  const rows = [header, ...body.map(cellsOf)].map((cells) =>
    header.map((_, index) => renderInline(cells[index] ?? '', styles)),
  );
  const aligned = cellsOf(delimiter).map((cell) =>
    /^:.*:$/.test(cell) ? 'center' : cell.endsWith(':') ? 'right' : 'left',
  );
  const widths = columnWidths(rows, Math.max(width - 3 * header.length - 1, header.length * LEAST_CELLS));
  const line = (left: string, middle: string, right: string) =>
    styles.border(left + widths.map((cells) => '─'.repeat(cells + 2)).join(middle) + right);
  const rendered = rows.map((cells, index) =>
    renderRow(cells, widths, aligned, index === 0 ? styles.bold : (text) => text, styles),
  );
  return [
    line('┌', '┬', '┐'),
    ...(rendered[0] ?? []),
    line('├', '┼', '┤'),
    ...rendered.slice(1).flat(),
    line('└', '┴', '┘'),
  ];
}

/** The same for a screen reader: each row a line, each cell after the name of its column. */
export function sayTable(lines: readonly string[], styles: Styles): string[] {
  const [head = '', delimiter = '', ...body] = lines;
  if (!isDelimiterLine(delimiter)) return lines.map((line) => renderInline(line, styles));
  const names = cellsOf(head).map((cell) => renderInline(cell, styles));
  if (body.length === 0) return [names.join(', ')];
  return body.map((line) => {
    const cells = cellsOf(line);
    const said = names.map((name, index) =>
      [name, renderInline(cells[index] ?? '', styles)].filter(Boolean).join(': '),
    );
    return `${said.join('; ')}.`;
  });
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function columnWidths(rows: readonly (readonly string[])[], available: number): number[] {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(LEAST_CELLS, ...rows.map((cells) => rowWidth(cells[index] ?? ''))),
  );
  let excess = widths.reduce((sum, cells) => sum + cells, 0) - available;
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
  styles: Styles,
): string[] {
  const blocks = widths.map((width, index) => wrapRows(cells[index] ?? '', { width }));
  const height = Math.max(...blocks.map((block) => block.length));
  const bar = styles.border('│');
  return Array.from({ length: height }, (_, row) => {
    const texts = widths.map((width, index) => pad(style(blocks[index]?.[row] ?? ''), width, aligned[index]));
    return `${bar} ${texts.join(` ${bar} `)} ${bar}`;
  });
}

function pad(text: string, width: number, aligned = 'left'): string {
  const missing = Math.max(0, width - rowWidth(text));
  if (aligned === 'right') return ' '.repeat(missing) + text;
  const left = aligned === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(missing - left);
}
