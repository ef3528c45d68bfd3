/** Draws the calls that are under way, as the scheduler tells them. */

import { callRows } from './call-rows.ts';
import type { FrameData } from './frame-data.ts';
import { Rows } from './rows.tsx';

export interface CallsProps {
  readonly data: FrameData;
  readonly maxRows: number;
  /** The rows above end with an empty one. */
  readonly isBelowGap: boolean;
  readonly isBesideQuestion: boolean;
}

export function Calls({ data, maxRows, isBelowGap, isBesideQuestion }: CallsProps) {
  const rows = callRows(data, maxRows, isBesideQuestion);
  return <Rows rows={isBelowGap && rows[0] === '' ? rows.slice(1) : rows} />;
}
