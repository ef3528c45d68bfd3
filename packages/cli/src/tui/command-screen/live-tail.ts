/** Extracts the end of a running command's output as sanitised lines, with bounded work. Pure. */

import { sanitize } from '../../sanitize.ts';
import { expandTabs } from '../text/wrap-rows.ts';

export interface LiveTail {
  /** At most as many as requested; the last one may continue. */
  readonly lines: readonly string[];
  /** Whether there is more above. */
  readonly isCut: boolean;
}

/** Bytes examined beyond what fits. */
const MARGIN = 2_000;

export function liveTail(output: string, { rows, width }: { rows: number; width: number }): LiveTail {
  // Far more than any screen shows; the rest is not examined for every frame.
  const end = output.slice(-rows * width * 2 - MARGIN);
  const lines = sanitize(expandTabs(redrawn(end))).split('\n');
  const shown = lines.slice(-rows);
  return { lines: shown, isCut: end.length < output.length || shown.length < lines.length };
}

/** A carriage return restarts its line. */
function redrawn(text: string): string {
  return text.includes('\r') ? text.replaceAll(/[^\n\r]*\r(?!\n)/g, '') : text;
}
