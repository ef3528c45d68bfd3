/** A rule with words in it: `── title ───────────── facts ──`. Words that do not fit are cut, the right ones first. Pure. */

import { rowWidth, shortenRow } from '../text/row-width.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';

export interface RuleOptions {
  readonly styles: Styles;
  readonly width: number;
  /** Already styled; empty: none. */
  readonly left?: string;
  readonly right?: string;
}

const EDGE = 2;
/** Cells of a rule between its words. */
const LEAST_MIDDLE = 3;

export function renderRule({ styles, width, left = '', right = '' }: RuleOptions): string {
  const line = (cells: number) => styles.border('─'.repeat(Math.max(cells, 0)));
  const begin = left === '' ? '' : `${line(EDGE)} ${shortenRow(left, Math.max(width - 2 * EDGE - 2, 1))} `;
  const room = width - rowWidth(begin) - LEAST_MIDDLE - EDGE - 2;
  const end = right === '' || rowWidth(right) > room ? '' : ` ${right} ${line(EDGE)}`;
  return `${begin}${line(width - rowWidth(begin) - rowWidth(end))}${end}`;
}

/** Keys and what they do: `enter` in the colour of text, the words dim. */
export function renderKeys(keys: readonly (readonly [key: string, does: string])[], styles: Styles): string {
  return keys.map(([key, does]) => `${key} ${styles.secondary(does)}`).join(styles.secondary(' · '));
}

/** The same in as many rows as they need, broken between keys; one that is longer than a row is broken between words. */
export function renderKeyRows(
  keys: readonly (readonly [key: string, does: string])[],
  { styles, width }: Pick<RuleOptions, 'styles' | 'width'>,
): string[] {
  const rows: (readonly [key: string, does: string])[][] = [];
  for (const hint of keys) {
    const last = rows.at(-1);
    if (last && 2 + rowWidth(renderKeys([...last, hint], styles)) <= width) last.push(hint);
    else rows.push([hint]);
  }
  return rows.flatMap((row) => wrapRows(renderKeys(row, styles), { width, first: '  ' }));
}
