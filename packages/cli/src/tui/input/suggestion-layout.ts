/**
 * Lays out suggestions above the input: a column of names and a column of short descriptions, and below them the full
 * text of the chosen one where it did not fit. Pure.
 */

import type { Suggestion } from './completion-provider.ts';
import { makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import { rowWidth, shortenRow } from '../text/row-width.ts';

/** Longer rows are hard to read. */
const MAX_LIST_CELLS = 120;
const MAX_LABEL_CELLS = 40;
/** A narrower list has no second column. */
const LEAST_FOR_FACTS = 39;
const MARK_CELLS = 2;
const GAP_CELLS = 2;
const MOST_DETAIL_ROWS = 3;

export interface SuggestionLayout {
  /** Cells of a row. */
  readonly width: number;
  /** Cells of the names, where a description or a fact follows. */
  readonly label: number;
  /** Whether there is room for the facts about paths. */
  readonly hasFacts: boolean;
  /** Whether there is room for descriptions beside the names. */
  readonly hasDescriptions: boolean;
}

export function layoutSuggestions(items: readonly Suggestion[], columns: number): SuggestionLayout {
  const width = Math.min(columns - 1, MAX_LIST_CELLS);
  const longest = Math.max(0, ...items.map(({ label }) => rowWidth(makeVisibleLine(label))));
  const fact = Math.max(0, ...items.map((item) => rowWidth(item.fact ?? '')));
  const hasFacts = fact > 0 && width >= LEAST_FOR_FACTS;
  const most = hasFacts ? width - MARK_CELLS - GAP_CELLS - fact : MAX_LABEL_CELLS;
  const hasDescriptions = width >= LEAST_FOR_FACTS;
  return { width, hasFacts, hasDescriptions, label: Math.min(hasDescriptions ? most : width - MARK_CELLS, longest) };
}

export interface SuggestionDetail {
  readonly rows: readonly string[];
  /** Whether a part is left out. */
  readonly isCut: boolean;
}

/** Rows for the chosen one, if asked for or without a second column; as many for each, so that the list does not jump. */
export function suggestionDetail(
  items: readonly Suggestion[],
  { active, columns, most, isExpanded }: { active: number; columns: number; most: number; isExpanded: boolean },
): SuggestionDetail {
  const layout = layoutSuggestions(items, columns);
  const all = items.map((item) => detailOf(item, layout));
  const limit = isExpanded ? most : Math.min(most, MOST_DETAIL_ROWS);
  const longest = Math.max(0, ...all.map(({ length }) => length));
  // A key shows the rest of a row that is cut. Rows kept empty for it would be a hole between the list and its count.
  const height = isExpanded || (!layout.hasDescriptions && longest <= limit) ? Math.min(limit, longest) : 0;
  const rows = all[active] ?? [];
  const isCut = rows.length > height;
  const shown = rows.slice(0, height);
  const last = shown.at(-1);
  if (isCut && last !== undefined) shown[height - 1] = shortenRow(`${last} …`, layout.width);
  return { rows: [...shown, ...Array.from({ length: height - shown.length }, () => '')], isCut };
}

/** Empty when it fits into its row. */
function detailOf({ label, description }: Suggestion, layout: SuggestionLayout): string[] {
  const name = makeVisibleLine(label);
  const room = layout.hasFacts ? layout.label : layout.width - MARK_CELLS;
  const isWhole = description === undefined ? rowWidth(name) <= room : isWholeRow(name, description, layout);
  if (isWhole) return [];
  const text = description === undefined || name.length > layout.label ? name : '';
  const both = [text, description === undefined ? '' : makeVisibleLine(description)].filter((part) => part !== '');
  return both.flatMap((part) => wrapRows(part, { width: layout.width, first: '    ' }));
}

function isWholeRow(name: string, description: string, { width, label, hasDescriptions }: SuggestionLayout): boolean {
  if (!hasDescriptions) return false;
  return name.length <= label && MARK_CELLS + label + GAP_CELLS + rowWidth(makeVisibleLine(description)) <= width;
}
