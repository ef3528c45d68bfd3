/** Renders what stands below a message of the user: the files that go along, and what was left out. Pure. */

import { sanitizeLine } from '../../sanitize.ts';
import { proseWidth, wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';
import { renderNote } from './transcript-item.ts';

export interface TurnNotes {
  /** Files and what they are: `src/cart.ts 21 lines`. */
  readonly brought: readonly string[];
  /** Sentences about what was left out. */
  readonly problems: readonly string[];
}

/** More are counted. */
const MOST_NAMED = 8;

export function renderTurnNotes(
  { brought, problems }: TurnNotes,
  { styles, width }: { styles: Styles; width: number },
): string[] {
  return [
    ...renderBrought(brought, styles, width),
    ...problems.flatMap((problem) => renderNote('!', problem, styles.warning, width, styles.isSpoken)),
  ];
}

function renderBrought(brought: readonly string[], styles: Styles, width: number): string[] {
  if (brought.length === 0) return [];
  const more = brought.length - MOST_NAMED;
  const named = [...brought.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].map(sanitizeLine);
  if (styles.isSpoken) return [`With ${named.join(', ')}.`];
  const words = styles.secondary(`with ${named.join(' · ')}`);
  return wrapRows(words, { width: proseWidth(width), first: '  ', rest: '  ' });
}
