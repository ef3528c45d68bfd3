/** Extracts the end of a running command's output as sanitised lines, with bounded work. Pure. */

import { sanitize } from '../../sanitize.ts';
import { expandTabs } from '../text/wrap-rows.ts';

export interface LiveTail {
  /** At most as many as requested; the last one may continue. */
  readonly lines: readonly string[];
  /** How many lines are above them. */
  readonly hidden: number;
}

/** Bytes examined beyond what fits. */
const MARGIN = 2_000;

export function liveTail(output: string, { rows, width }: { rows: number; width: number }): LiveTail {
  // Far more than any screen shows; the rest is not examined for every frame.
  const end = output.slice(-rows * width * 2 - MARGIN);
  const lines = sanitize(expandTabs(redrawn(end))).split('\n');
  const shown = lines.slice(-rows);
  return { lines: shown, hidden: lines.length - shown.length + linesIn(output, output.length - end.length) };
}

/** Line feeds up to a place; looking for them is cheap, also in all that is kept of an output. */
function linesIn(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** A carriage return restarts its line. */
function redrawn(text: string): string {
  return text.includes('\r') ? text.replaceAll(/[^\n\r]*\r(?!\n)/g, '') : text;
}
