/**
 * Renders the composer as rows of text: a rule that shows the mode, the text after its prompt sign, the search, a
 * notice, and the suggestions. As many rows as `composerHeight` returns. Pure.
 */

import type { ComposerSnapshot, SuggestionView } from '../input/composer-contract.ts';
import { searchText } from '../input/composer-view.ts';
import { layoutSuggestions, MAX_LIST_CELLS } from '../input/suggestion-layout.ts';
import { makeVisibleLine } from '../../make-visible.ts';
import { cutRow, shortenRow } from '../terminal/row-width.ts';
import type { Styles } from '../theme/styles.ts';
import type { Suggestion } from '../completion/completion-provider.ts';

export function composerRows(snapshot: ComposerSnapshot, styles: Styles): string[] {
  const { columns, hasBorder, search, notice, suggestions } = snapshot;
  const rows = hasBorder ? [ruleRow(snapshot, styles)] : [];
  rows.push(...textRows(snapshot, styles));
  if (search !== undefined) {
    const style = search.hasMatch || search.query === '' ? styles.secondary : styles.error;
    rows.push(style(searchText(search.query, columns).text));
  }
  if (notice !== undefined)
    rows.push(styles.warning(shortenRow(makeVisibleLine(notice), Math.min(columns - 1, MAX_LIST_CELLS))));
  if (suggestions !== undefined) rows.push(...suggestionRows(suggestions, columns, styles));
  return rows;
}

function ruleRow(
  { columns, isShell, vimMode, vimPending, hiddenAbove, hiddenBelow }: ComposerSnapshot,
  styles: Styles,
): string {
  const marks = [
    isShell ? 'shell' : '',
    vimMode === undefined ? '' : `[${vimMode}]${vimPending === '' ? '' : ` ${vimPending}`}`,
    hiddenAbove > 0 ? `↑ ${hiddenAbove}` : '',
    hiddenBelow > 0 ? `↓ ${hiddenBelow}` : '',
  ].filter((mark) => mark !== '');
  const head = marks.length === 0 ? '' : `── ${marks.join(' · ')} `;
  const style = isShell ? styles.warning : styles.focused;
  return style(cutRow(head + '─'.repeat(Math.max(0, columns - head.length)), columns));
}

function textRows(
  { rows, isEmpty, placeholder, isShell, columns, hiddenAbove }: ComposerSnapshot,
  styles: Styles,
): string[] {
  const sign = isShell ? styles.warning('!') : styles.accent('>');
  if (isEmpty) return [`${sign} ${styles.secondary(shortenRow(placeholder, columns - 3))}`];
  return rows.map(({ text }, index) => (index === 0 && hiddenAbove === 0 ? `${sign} ${text}` : `  ${text}`));
}

function suggestionRows(view: SuggestionView, columns: number, styles: Styles): string[] {
  const { items, activeIndex, isLoading, detail } = view;
  const { width, label } = layoutSuggestions(items, columns);
  if (items.length === 0)
    return [styles.secondary(cutRow(isLoading ? '  Looking for files…' : '  Nothing found', width))];
  const rows = items.map((item, index) =>
    suggestionRow(item, { isActive: index === activeIndex, label, width, styles }),
  );
  return [...rows, ...detail.map((row) => (row === '' ? '' : styles.secondary(row)))];
}

function suggestionRow(
  { label: name, description }: Suggestion,
  { isActive, label, width, styles }: { isActive: boolean; label: number; width: number; styles: Styles },
): string {
  const shown =
    description === undefined ? shorten(makeVisibleLine(name), width - 2) : shorten(makeVisibleLine(name), label);
  const about =
    description === undefined
      ? ''
      : `${' '.repeat(Math.max(0, label - shown.length) + 2)}${makeVisibleLine(description)}`;
  const row = `${isActive ? '› ' : '  '}${isActive ? styles.accent(shown) : shown}${styles.secondary(about)}`;
  return shortenRow(row, width);
}

/** The end of a path is more useful than its beginning. */
function shorten(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(text.length - Math.max(0, width - 1)).toWellFormed()}`;
}
