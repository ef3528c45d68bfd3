/**
 * Computes the picture of the composer as data: the visible rows, the position of the caret, how much of the list fits.
 * It never exceeds its rows. Pure.
 */

import type { ComposerSnapshot, SuggestionView } from './composer-contract.ts';
import { suggestionDetail } from './suggestion-layout.ts';
import { countRows, rowText, toVisual } from './visual-layout.ts';
import type { Position, VisualLayout } from './visual-layout.ts';
import type { SuggestionsShown } from './suggestion-session.ts';

/** Cells before the text: the prompt sign and a blank. */
export const PROMPT_CELLS = 2;
/** The rule above the text. */
const BORDER_ROWS = 1;
const MAX_SUGGESTIONS = 8;
/** A lower list has no room for the names of groups. */
const LEAST_FOR_GROUPS = 6;
/** Rows of text that the list always leaves. */
const TEXT_ROWS_KEPT = 3;

export interface ViewInput extends Omit<
  ComposerSnapshot,
  'rows' | 'caretRow' | 'caretCell' | 'hiddenAbove' | 'hiddenBelow' | 'suggestions' | 'emptyRows' | 'hasBorder'
> {
  readonly layout: VisualLayout;
  readonly caret: Position;
  readonly maxRows: number;
  /** The first visible row of the last time. */
  readonly firstRow: number;
  readonly list: SuggestionsShown | undefined;
  /** Rows of the list of the last time: it stays as high while it is open and after it, so that the caret does not move. */
  readonly leastListed: number;
}

/** Cells available to a row of text: the caret may stand one further. */
export function textColumns(columns: number): number {
  return Math.max(1, columns - PROMPT_CELLS - 1);
}

export function viewComposer(input: ViewInput): ComposerSnapshot {
  const { layout, caret, maxRows, firstRow, list, leastListed, ...rest } = input;
  const total = countRows(layout);
  const visual = toVisual(layout, caret);
  const hasBorder = maxRows > 2;
  const available = Math.max(1, maxRows - (hasBorder ? BORDER_ROWS : 0));
  // One row of the list is its count.
  const room = available - Math.min(total, TEXT_ROWS_KEPT) - 1;
  const listRows = countListRows(list, room);
  const shown = listRows === 0 ? undefined : viewList(list!, { rows: listRows, room, columns: input.columns });
  const needed = shown ? rowsOf(shown) : 0;
  const above = Math.max(0, Math.min(leastListed, room + 1) - needed);
  const suggestions = shown && { ...shown, above };
  // Rows of a list that has closed give way to text.
  const emptyRows = shown ? 0 : Math.max(0, Math.min(leastListed, available - total));
  const listed = shown ? needed + above : emptyRows;
  const height = Math.max(1, Math.min(total, available - listed));
  const first = scrollTo(visual.row, firstRow, { height, total });
  const rows = Array.from({ length: height }, (_, index) => rowText(layout, first + index));
  return {
    ...rest,
    hasBorder,
    rows: rows.map((text, index) => ({ id: String(first + index), text })),
    caretRow: visual.row - first,
    caretCell: visual.cell,
    hiddenAbove: first,
    hiddenBelow: total - first - height,
    suggestions,
    emptyRows,
  };
}

/** Rows the composer takes on the screen, without those of a list that has closed. */
export function composerHeight(snapshot: ComposerSnapshot): number {
  return snapshot.rows.length + (snapshot.hasBorder ? BORDER_ROWS : 0) + listHeight(snapshot);
}

/** Rows of the list above the rule. */
export function listHeight({ suggestions }: ComposerSnapshot): number {
  if (!suggestions) return 0;
  return (suggestions.above ?? 0) + rowsOf(suggestions);
}

/** With the count, without empty rows. */
function rowsOf({ items, headings = 0, detail }: SuggestionView): number {
  return Math.max(1, items.length) + headings + detail.length + 1;
}

/** The position of the real cursor, from the top left corner of the composer. */
export function composerCaret(snapshot: ComposerSnapshot): { row: number; column: number } {
  const { hasBorder, caretRow, caretCell } = snapshot;
  const top = listHeight(snapshot) + (hasBorder ? BORDER_ROWS : 0);
  return { row: top + caretRow, column: PROMPT_CELLS + caretCell };
}

function countListRows(list: ViewInput['list'], room: number): number {
  if (list === undefined || room <= 0) return 0;
  if (list.isExpanded) return 1;
  return Math.min(Math.max(1, list.items.length), MAX_SUGGESTIONS, room);
}

function viewList(
  list: NonNullable<ViewInput['list']>,
  { rows, room, columns }: { rows: number; room: number; columns: number },
): SuggestionView {
  const { items, activeIndex, isLoading, isExpanded, whenEmpty, target } = list;
  const isGrouped = rows >= LEAST_FOR_GROUPS && items.every(({ group }) => group !== undefined);
  const { first, end, headings } = isGrouped ? windowOfGroups(items, activeIndex, rows) : windowOf(list, rows);
  const shown = items.slice(first, end);
  const active = activeIndex - first;
  const detail = suggestionDetail(shown, { active, columns, most: room - rows, isExpanded });
  return {
    items: shown,
    headings,
    activeIndex: active,
    hiddenAbove: first,
    hiddenBelow: items.length - first - shown.length,
    isLoading,
    whenEmpty,
    query: target?.query.split(' ').at(-1),
    detail: detail.rows,
    isCut: detail.isCut,
    isExpanded,
  };
}

interface ListWindow {
  readonly first: number;
  readonly end: number;
  readonly headings: number;
}

function windowOf({ items, activeIndex }: Pick<SuggestionsShown, 'items' | 'activeIndex'>, rows: number): ListWindow {
  const first = Math.max(0, Math.min(activeIndex - Math.floor(rows / 2), items.length - rows));
  return { first, end: first + rows, headings: 0 };
}

/** The choice with what is around it; a name stands above each group, also above one whose beginning is hidden. */
function windowOfGroups(items: SuggestionsShown['items'], active: number, rows: number): ListWindow {
  let [first, end, headings] = [active, active + 1, 1];
  const grow = (next: number, neighbour: number): boolean => {
    const item = items[next];
    if (!item) return false;
    const heading = item.group === items[neighbour]?.group ? 0 : 1;
    if (end - first + headings + heading + 1 > rows) return false;
    headings += heading;
    return true;
  };
  for (let hasGrown = true; hasGrown;) {
    hasGrown = false;
    if (grow(end, end - 1)) {
      end++;
      hasGrown = true;
    }
    if (grow(first - 1, first)) {
      first--;
      hasGrown = true;
    }
  }
  return { first, end, headings };
}

/** The first row to show so that the caret's row is visible, moved as little as possible. */
function scrollTo(row: number, first: number, { height, total }: { height: number; total: number }): number {
  const lowest = Math.max(0, total - height);
  if (row < first) return row;
  return Math.min(lowest, Math.max(first, row - height + 1));
}
