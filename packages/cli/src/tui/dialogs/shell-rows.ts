/** A running command that takes the keys: its last lines, the caret at their end, and how to leave. Pure. */

import { liveTail } from '../render/live-tail.ts';
import { makeVisibleLine } from '../render/make-visible.ts';
import { cutRow, rowWidth, shortenRow } from '../terminal/row-width.ts';
import type { DialogSpace, DialogView } from './dialog.ts';

export interface ShellPicture {
  readonly title: string;
  /** Its last line has the caret, if it takes text. */
  readonly output: string;
  readonly takesText: boolean;
  /** Stands below the caret and is short. */
  readonly hint: string;
}

const MOST_ROWS = 14;
/** The rule and the hint. */
const OTHER_ROWS = 2;

export function shellRows({ title, output, takesText, hint }: ShellPicture, space: DialogSpace): DialogView {
  const { styles, width } = space;
  const most = Math.max(Math.min(space.maxRows, MOST_ROWS) - OTHER_ROWS, 1);
  const { lines } = liveTail(takesText ? output : output.trimEnd(), { rows: most, width });
  const last = hardWrap(lines.at(-1) ?? '', width - 1);
  const above = lines.slice(0, -1).map((line) => shortenRow(line, width));
  const shown = [...above, ...last].slice(-most);
  const head = `── ${makeVisibleLine(title)} `;
  const rule = cutRow(`${shortenRow(head, width - 1)}${'─'.repeat(Math.max(width - rowWidth(head), 0))}`, width);
  const rows = [styles.warning(rule), ...shown, styles.secondary(shortenRow(`  ${hint}`, width))];
  const caret = { row: shown.length, column: rowWidth(shown.at(-1) ?? '') };
  return { rows, ...(takesText && { caret }) };
}

/** Cut at the edge, as a terminal does: what is typed stays in sight, blanks too. */
function hardWrap(line: string, width: number): string[] {
  const rows: string[] = [];
  let rest = line;
  do {
    const row = cutRow(rest, width) || rest.slice(0, 1);
    rows.push(row);
    rest = rest.slice(row.length);
  } while (rest !== '');
  return rows;
}
