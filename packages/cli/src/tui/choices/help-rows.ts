/** The keys and commands of the help as rows: sections side by side where the window has room for them. Pure. */

import { rowWidth, shortenRow } from '../text/row-width.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';

export interface HelpSection {
  readonly title: string;
  readonly rows: readonly (readonly [key: string, does: string])[];
}

interface HelpSpace {
  readonly styles: Styles;
  readonly width: number;
}

const GAP = 2;
/** Narrower pages have no second column. */
const LEAST_FOR_COLUMNS = 36;

/** Three columns from 96 cells on, two from 64, else one. */
function columnsOf(width: number): number {
  return width >= 96 ? 3 : width >= 64 ? 2 : 1;
}

export function keyRows(sections: readonly HelpSection[], { styles, width }: HelpSpace): string[] {
  const count = columnsOf(width);
  const cells = Math.floor((width - 2 - GAP * (count - 1)) / count);
  const columns: string[][] = Array.from({ length: count }, () => []);
  for (const section of sections) {
    // The next section goes where it stands highest.
    const column = columns.reduce((best, each) => (each.length < best.length ? each : best));
    if (column.length > 0) column.push('');
    column.push(...sectionRows(section, cells, styles));
  }
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) => {
    const parts = columns.map((column) => column[row] ?? '');
    return `  ${parts.map((part) => part + ' '.repeat(Math.max(cells - rowWidth(part), 0))).join(' '.repeat(GAP))}`.trimEnd();
  });
}

function sectionRows({ title, rows }: HelpSection, cells: number, styles: Styles): string[] {
  const widest = Math.max(...rows.map(([key]) => rowWidth(key)));
  return [
    styles.bold(title),
    ...rows.flatMap(([key, does]) => {
      if (cells < LEAST_FOR_COLUMNS) {
        const row = `${key}  ${styles.secondary(does)}`;
        if (rowWidth(row) <= cells) return row;
        return [key, ...wrapRows(styles.secondary(does), { width: cells, first: '  ' })];
      }
      const gap = ' '.repeat(widest - rowWidth(key) + GAP);
      return shortenRow(`${key}${gap}${styles.secondary(does)}`, cells);
    }),
  ];
}

/** A longer usage is cut: the words about a command matter more. */
const MOST_NAME_SHARE = 0.35;
const LEAST_NAME = 24;

/** One command a row, under the heading of its group. */
export function commandRows(sections: readonly HelpSection[], { styles, width }: HelpSpace): string[] {
  const most = Math.max(Math.floor(width * MOST_NAME_SHARE), LEAST_NAME);
  const names = sections.flatMap(({ rows }) => rows.map(([name]) => rowWidth(name)));
  const widest = Math.min(Math.max(0, ...names), most);
  return sections.flatMap(({ title, rows }) => [
    '',
    `  ${styles.bold(title)}`,
    ...rows.flatMap(([name, does]) => {
      if (width < LEAST_FOR_COLUMNS)
        return [shortenRow(`  ${name}`, width), ...wrapRows(styles.secondary(does), { width, first: '    ' })];
      const shown = shortenRow(name, widest);
      const gap = ' '.repeat(widest - rowWidth(shown) + GAP);
      return shortenRow(`  ${shown}${gap}${styles.secondary(does)}`, width);
    }),
  ]);
}
