/**
 * Renders a running command that has the focus: its screen, or its last lines, the caret in them, and how to leave.
 * Pure.
 */

import { liveTail } from './live-tail.ts';
import { makeVisibleLine } from '../../make-visible.ts';
import type { ScreenPicture } from './screen-rows.ts';
import { windowOf } from './screen-window.ts';
import type { KeyHint } from '../dialogs/key-hint.ts';
import { renderKeys } from '../render/rule.ts';
import { cutRow, rowWidth, shortenRow } from '../text/row-width.ts';
import type { DialogSpace, DialogView } from '../dialogs/dialog.ts';

export interface ShellPicture {
  readonly title: string;
  /** Undefined without a screen; the text is then shown. */
  readonly screen?: ScreenPicture | undefined;
  /** The caret is in its last line, if it takes text. */
  readonly output: string;
  readonly takesText: boolean;
  /** They stand below the caret: the row is short. */
  readonly keys: readonly KeyHint[];
}

const MOST_ROWS = 14;
/** The rule and the hint. */
const OTHER_ROWS = 2;

export function shellRows(picture: ShellPicture, space: DialogSpace): DialogView {
  const { styles, width } = space;
  const { rows, caret } = picture.screen ? viewScreen(picture.screen, space) : viewText(picture, space);
  const head = `── ${makeVisibleLine(picture.title)} `;
  const rule = cutRow(`${shortenRow(head, width - 1)}${'─'.repeat(Math.max(width - rowWidth(head), 0))}`, width);
  return {
    rows: [styles.warning(rule), ...rows, shortenRow(`  ${renderKeys(picture.keys, styles)}`, width)],
    ...(caret && picture.takesText && { caret: { ...caret, row: caret.row + 1 } }),
  };
}

function viewScreen(screen: ScreenPicture, { width, maxRows }: DialogSpace): DialogView {
  const { rows, cursor } = windowOf(screen, Math.max(maxRows - OTHER_ROWS, 1));
  const shown = rows.length === 0 ? [''] : rows.map((row) => cutRow(row, width));
  return { rows: shown, ...(screen.showsCursor && { caret: cursor }) };
}

function viewText({ output, takesText }: ShellPicture, { width, maxRows }: DialogSpace): DialogView {
  const most = Math.max(Math.min(maxRows, MOST_ROWS) - OTHER_ROWS, 1);
  const { lines } = liveTail(takesText ? output : output.trimEnd(), { rows: most, width });
  const last = hardWrap(lines.at(-1) ?? '', width - 1);
  const above = lines.slice(0, -1).map((line) => shortenRow(line, width));
  const shown = [...above, ...last].slice(-most);
  return { rows: shown, caret: { row: shown.length - 1, column: rowWidth(shown.at(-1) ?? '') } };
}

/** Cut at the edge, as a terminal does: typed text stays visible, blanks too. */
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
