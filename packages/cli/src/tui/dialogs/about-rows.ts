/** What is said of the chosen answer of a list: below the answers in a few rows, or whole beside them. Pure. */

import { sanitize } from '../../sanitize.ts';
import { rowWidth, shortenRow } from '../text/row-width.ts';
import { withoutDots } from '../text/without-dots.ts';
import { proseWidth, wrapRows } from '../text/wrap-rows.ts';
import type { DialogSpace } from './dialog.ts';

interface Told {
  readonly options: readonly { readonly about?: string | undefined; readonly aside?: string | undefined }[];
  readonly index: number;
}

/** Rows to the right of a list, from this column on. */
export interface RowsBeside {
  readonly rows: readonly string[];
  readonly at: number;
}

/** In a narrow window a row more, for the words after the sentence. */
const rowsFor = (width: number) => (width < 64 ? 3 : 2);
/** Cells that words leave at the end of a row. */
const LOST_TO_WRAPPING = 16;
/** From this width on a list leaves room for a sentence beside it. */
const LEAST_FOR_BESIDE = 134;
const LIST_SHARE = 0.6;

/** As many rows for every answer, so that nothing moves. */
export function aboutRows({ options, index }: Told, { styles, width }: DialogSpace): string[] {
  if (options.every(({ about }) => about === undefined)) return [];
  const { about = '', aside = '' } = options[index] ?? {};
  const [most, height] = [proseWidth(width), rowsFor(width)];
  const told = sanitize(styles.isSpoken ? withoutDots(aside) : aside);
  const end = aside === '' ? '' : `${about === '' ? '' : ' '}${styles.secondary(told)}`;
  const wrap = (text: string) => wrapRows(text, { width: most, first: '  ' });
  // A long sentence gives way to what follows it.
  const room = height * (most - 2) - rowWidth(end) - LOST_TO_WRAPPING;
  const whole = wrap(`${about}${end}`);
  const cut = whole.length <= height ? whole : wrap(`${shortenRow(about, Math.max(room, 0))}${end}`);
  const rows = cut.length <= height ? cut : apart(wrap(about), wrap(end.trimStart()), height);
  return [...rows.map((row) => styles.primary(row)), ...Array.from({ length: height - rows.length }, () => '')];
}

/** Where words break badly, what follows the sentence has rows of its own. */
function apart(about: readonly string[], end: readonly string[], height: number): string[] {
  const room = Math.max(height - end.length, 0);
  const last = about[room - 1];
  const cut = last === undefined || about.length <= room ? [] : [`${last.slice(0, -1)}…`];
  return [...about.slice(0, room - cut.length), ...cut, ...end].slice(0, height);
}

/** Undefined where the window is too narrow; then the rows below tell it. */
export function aboutBeside({ options, index }: Told, { styles, width }: DialogSpace): RowsBeside | undefined {
  if (width < LEAST_FOR_BESIDE || styles.isSpoken) return undefined;
  const at = Math.floor(width * LIST_SHARE);
  const { about = '', aside = '' } = options[index] ?? {};
  const room = { width: width - at };
  const rows = [
    ...(about === '' ? [] : wrapRows(styles.primary(about), room)),
    ...(aside === '' ? [] : wrapRows(styles.secondary(sanitize(aside)), room)),
  ];
  return { rows, at };
}
