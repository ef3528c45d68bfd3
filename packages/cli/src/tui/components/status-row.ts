/**
 * Renders the row that says what is under way: verb, object, age, keys. It gives way from the right, a
 * long object first. Pure.
 */

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

/** A shorter object says too little to make room for the rest. */
const LEAST_OBJECT = 24;

export function renderStatus(state: StatusState, { styles, width }: { styles: Styles; width: number }): string {
  const { isWarning = false, elapsedMs, keys } = state;
  const age =
    elapsedMs < AGE_FROM_MS || isWarning
      ? []
      : [shortDuration(Math.floor(elapsedMs / 1_000) * 1_000).replace('.0 s', ' s')];
  const parts = [...age, ...keys].map((part) => styles.secondary(` · ${part}`));
  const spinner = `${styles.accent(spinnerAt(state))} `;
  // A long object leaves room for the keys, down to the length that still says something.
  const rooms = parts
    .map((_part, index) => width - rowWidth(spinner) - rowWidth(parts.slice(0, parts.length - index).join('')))
    .filter((room) => room >= rowWidth(state.verb) + 1 + LEAST_OBJECT);
  const what = whatOf(state, styles, rooms[0] ?? 0);
  let row = `${spinner}${isWarning ? styles.warning(what) : styles.primary(what)}`;
  for (const part of parts) {
    if (rowWidth(row) + rowWidth(part) > width) break;
    row += part;
  }
  return shortenRow(row, width);
}

function whatOf({ verb, object }: StatusState, styles: Styles, room: number): string {
  if (object === undefined) return verb;
  const least = Math.max(room - rowWidth(verb) - 1, LEAST_OBJECT);
  return `${verb} ${styles.bold(shortenRow(sanitizeLine(object), least))}`;
}

function spinnerAt({ elapsedMs, showsSpinner }: StatusState): string {
  if (!showsSpinner || elapsedMs < SPINS_FROM_MS) return '·';
  return SPINNER[Math.floor(elapsedMs / SPINNER_MS) % SPINNER.length] ?? '·';
}
