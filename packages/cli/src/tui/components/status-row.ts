/** Renders the row that says what is under way: verb, object, age, keys. It gives way from the right. Pure. */

import { sanitizeLine } from '../../sanitize.ts';
import { rowWidth, shortenRow } from '../text/row-width.ts';
import { shortDuration } from '../../short-numbers.ts';
import type { Styles } from '../theme/styles.ts';

export interface StatusState {
  readonly verb: string;
  readonly object?: string | undefined;
  /** It waits for something else than work. */
  readonly isWarning?: boolean | undefined;
  readonly elapsedMs: number;
  /** Keys and what they do, the most important first. */
  readonly keys: readonly string[];
  readonly showsSpinner: boolean;
}

export const SPINNER: readonly string[] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPINNER_MS = 100;
/** A request that is answered sooner needs no spinner and no age. */
const SPINS_FROM_MS = 250;
const AGE_FROM_MS = 3_000;

export function renderStatus(state: StatusState, { styles, width }: { styles: Styles; width: number }): string {
  const { verb, object, isWarning = false, elapsedMs, keys } = state;
  const what = [verb, object === undefined ? '' : styles.bold(sanitizeLine(object))].filter(Boolean).join(' ');
  const age =
    elapsedMs < AGE_FROM_MS || isWarning
      ? []
      : [shortDuration(Math.floor(elapsedMs / 1_000) * 1_000).replace('.0 s', ' s')];
  const lead = `${styles.accent(spinnerAt(state))} ${isWarning ? styles.warning(what) : styles.primary(what)}`;
  let row = lead;
  for (const part of [...age, ...keys]) {
    const next = `${row}${styles.secondary(` · ${part}`)}`;
    if (rowWidth(next) > width) break;
    row = next;
  }
  if (row !== lead || rowWidth(row) <= width) return row;
  return shortenRow(row, width);
}

function spinnerAt({ elapsedMs, showsSpinner }: StatusState): string {
  if (!showsSpinner || elapsedMs < SPINS_FROM_MS) return '·';
  return SPINNER[Math.floor(elapsedMs / SPINNER_MS) % SPINNER.length] ?? '·';
}
