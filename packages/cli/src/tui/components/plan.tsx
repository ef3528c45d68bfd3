/** Draws the plan of the agent. */

import type { FrameData } from './frame-data.ts';
import { planRows } from './plan-rows.ts';
import { Rows } from './rows.tsx';

export function Plan({ data, maxRows }: { data: FrameData; maxRows: number }) {
  return <Rows rows={planRows(data).slice(0, maxRows)} />;
}
