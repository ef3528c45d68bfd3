/** Counts the lines of an answer, so that the note about a cancelled request says how much of it stays. */

import type { TranscriptItem } from '@castor/core';
import { countOf } from '@castor/core/program';
import { isText } from './answer-stream.ts';

export class KeptLines {
  private lines = 0;

  /** The item as it is shown: a cancelled one with the number of lines before it. */
  take(item: TranscriptItem): TranscriptItem {
    if (isText(item)) {
      this.lines += item.text.split('\n').filter((line) => line.trim() !== '').length;
      return item;
    }
    const { lines } = this;
    // A note between the pieces of an answer does not end it.
    if (item.type !== 'info' && item.type !== 'warning') this.lines = 0;
    if (item.type !== 'cancelled' || lines === 0) return item;
    return { ...item, text: `${item.text} Kept: ${countOf(lines, 'line')}.` };
  }
}
