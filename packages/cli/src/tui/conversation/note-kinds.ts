/** Which lines are notes of ours: warnings and notes stand together, without empty rows between them. Pure. */

import type { TranscriptItem } from '@castor/core';
import { stripStyles } from '../text/row-width.ts';

export type Note = 'warning' | 'info';

export function toNote(type: TranscriptItem['type'] | undefined): Note | undefined {
  return type === 'warning' || type === 'info' ? type : undefined;
}

/** For lines of `renderNote`; a command for the user's shell has the sign of a warning, too. */
export function noteOf(lines: readonly string[]): Note | undefined {
  const first = stripStyles(lines.find((line) => line !== '') ?? '');
  if (first.startsWith('! ')) return 'warning';
  return first.startsWith('· ') ? 'info' : undefined;
}

/** The warnings of a start form one block, including notes on what was loaded. */
export function standTogether(before: Note | undefined, next: Note | undefined): boolean {
  return before !== undefined && next !== undefined && (before === 'warning' || next === 'warning');
}
