/** Draws a frame below the final text and moves the cursor to its resting place. Pure. */

import { rise } from './erase-frame.ts';
import type { FittedFrame } from './fit-frame.ts';
import { BREAK_ROWS, CUT_ROWS, inPlace, makeRoom, toColumn } from './moves.ts';
import type { Reflow } from './painter.ts';

/**
 * Expects the cursor at the end of the frame's final part, or at the start of the frame, with nothing after or below
 * it.
 */
export function drawFrame(frame: FittedFrame, reflow: Reflow): string {
  return frame.restsAtSeam ? drawFromSeam(frame) : drawToRest(frame, reflow);
}

/** Makes room first: then nothing scrolls, and the saved cursor position stays valid. */
function drawFromSeam({ rows, grown, tail }: FittedFrame): string {
  const count = Math.max(rows.length - Math.max(grown.length, 1), 0);
  return `${makeRoom(count)}${inPlace([...(grown.length > 0 ? [tail] : []), ...rows.slice(grown.length)].join('\r\n'))}`;
}

/**
 * Rows above the cursor's resting row wrap if the terminal has become too narrow, as they would have if they had been
 * there; the others are cut, so that the computed way back up stays right.
 */
function drawToRest({ rows, grown, tail, rest }: FittedFrame, reflow: Reflow): string {
  const written = [...(grown.length > 0 ? [tail] : []), ...rows.slice(grown.length)];
  const first = rest.row - (rows.length - written.length);
  const above = written.slice(0, Math.max(first, 0)).map((row) => `${row}\r\n`);
  const others = written.slice(above.length).join('\r\n');
  const mayBreak = reflow === 'rows' || reflow === 'either';
  const last = rows.length - 1;
  const back = rest.row < last ? rise(rows, last, rest.row, reflow) : '';
  return `${above.join('')}${mayBreak ? others : `${CUT_ROWS}${others}${BREAK_ROWS}`}${back}${toColumn(rest.column)}`;
}
