/** Draws what waits to be sent. */

import type { FrameData } from './frame-data.ts';
import { queueRows } from './queue-rows.ts';
import { Rows } from './rows.tsx';

export function Queue({ data, maxRows }: { data: FrameData; maxRows: number }) {
  return <Rows rows={queueRows(data).slice(0, maxRows)} />;
}
