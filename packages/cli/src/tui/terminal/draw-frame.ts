/** Drawing a frame below what is final; the cursor comes to where it rests. Pure. */

import { rise } from './erase-frame.ts';
import type { FittedFrame } from './fit-frame.ts';
import { BREAK_ROWS, CUT_ROWS, inPlace, makeRoom, toColumn } from './moves.ts';
import type { Reflow } from './painter.ts';

/** The cursor stands at the end of what is final of the frame, or where the frame begins; nothing is behind or below. */
export function drawFrame(frame: FittedFrame, reflow: Reflow): string {
  return frame.restsAtSeam ? drawFromSeam(frame) : drawToRest(frame, reflow);
}

/** Room is made first: then nothing scrolls, and the place that is remembered is the same afterwards. */
function drawFromSeam({ rows, grown, tail }: FittedFrame): string {
  const count = Math.max(rows.length - Math.max(grown.length, 1), 0);
  return `${makeRoom(count)}${inPlace([...(grown.length > 0 ? [tail] : []), ...rows.slice(grown.length)].join('\r\n'))}`;
}

/**
 * Rows above the one the cursor rests in break if the terminal has become too narrow, as they would have if they had
 * been there; the others are cut, so that the way back up is as long as it is thought to be.
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
