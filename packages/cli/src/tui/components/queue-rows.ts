/** The rows of what waits to be sent: one each, with the keys in the last. Pure. */

import { sanitize } from '../../sanitize.ts';
import { rowWidth, shortenRow } from '../text/row-width.ts';
import type { FrameData } from './frame-data.ts';

const MOST_QUEUED = 3;
const KEYS = ' · enter says it now · ↑ edits';

type QueueData = Pick<FrameData, 'queue' | 'preparing' | 'styles' | 'size'>;

export function queueRows({ queue, preparing, styles, size }: QueueData): string[] {
  const width = size.columns - 1;
  // Only the visible part: it is drawn with every frame, and may be a pasted file.
  const wordsOf = (text: string) => sanitize(text.slice(0, width * 8).toWellFormed()).replaceAll(/\s+/g, ' ');
  const toRow = (text: string, tail = '') => {
    const lead = `  ${styles.secondary('next')}  `;
    const room = Math.max(width - rowWidth(lead) - tail.length, 4);
    const hasRoom = tail.length < width / 2;
    const words = shortenRow(wordsOf(text), hasRoom ? room : width - rowWidth(lead));
    return `${lead}${words}${hasRoom ? styles.secondary(tail) : ''}`;
  };
  const underWay = preparing === undefined ? [] : [toRow(preparing)];
  const shown = queue.slice(0, MOST_QUEUED);
  const more = queue.length > MOST_QUEUED ? ` · ${queue.length - MOST_QUEUED} more` : '';
  return [...underWay, ...shown.map((text, index) => toRow(text, index === shown.length - 1 ? more + KEYS : ''))];
}
