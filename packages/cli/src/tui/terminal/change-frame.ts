/** Turns a frame on the screen into another at the same place: writes only the differences. Pure. */

import type { FittedFrame } from './fit-frame.ts';
import { ERASE_RIGHT, inPlace, makeRoom, toColumn, toRow } from './moves.ts';
import { additionTo, changedPart } from './row-change.ts';

/** Undefined where the number of rows changes, or the cursor rests in another row. */
export function changeFrame(shown: FittedFrame, next: FittedFrame): string | undefined {
  if (next.rows.length === 0 || placeOf(shown) !== placeOf(next)) return undefined;
  const last = next.grown.length - 1;
  if (next.grown.some((row, index) => index < last && row !== shown.grown[index])) return undefined;
  if (!next.restsAtSeam) return shown.grown[last] === next.grown[last] ? changeAtRest(shown, next) : undefined;
  const added = last < 0 ? '' : additionTo(shown.grown[last] ?? '', next.grown[last] ?? '');
  if (added === undefined) return undefined;
  const hasTail = last >= 0 && (added !== '' || shown.tail !== next.tail);
  const below = changedRows(shown, next, last + 1);
  // A lower window may have lost the rows below; their text must not overwrite final text.
  const room = below === '' ? '' : makeRoom(next.rows.length - 1 - next.rest.row);
  return `${added}${room}${inPlace(`${hasTail ? next.tail + ERASE_RIGHT : ''}${below}`)}`;
}

function placeOf({ rows, grown, rest, restsAtSeam }: FittedFrame): string {
  return `${rows.length} ${grown.length} ${rest.row} ${restsAtSeam}`;
}

function changeAtRest(shown: FittedFrame, next: FittedFrame): string {
  const rows = inPlace(changedRows(shown, next, 0));
  return shown.rest.column === next.rest.column ? rows : rows + toColumn(next.rest.column);
}

function changedRows(shown: FittedFrame, next: FittedFrame, first: number): string {
  let out = '';
  let at = shown.rest.row;
  for (const [index, row] of next.rows.entries()) {
    const before = shown.rows[index] ?? '';
    if (index < first || before === row) continue;
    const { column, text, isShorter } = changedPart(before, row);
    out += `${toRow(index - at)}${toColumn(column)}${text}${isShorter ? ERASE_RIGHT : ''}`;
    at = index;
  }
  return out;
}
