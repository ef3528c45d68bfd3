/** Renders the list of suggestions above the rule: names, descriptions to the edge, the count and the keys. Pure. */

import { makeVisibleLine } from '../../make-visible.ts';
import type { Suggestion } from '../input/completion-provider.ts';
import type { SuggestionView } from '../input/composer-contract.ts';
import { layoutSuggestions } from '../input/suggestion-layout.ts';
import { cutRow, shortenRow } from '../text/row-width.ts';
import type { Styles } from '../theme/styles.ts';

export function menuRows(view: SuggestionView, columns: number, styles: Styles): string[] {
  const { items, activeIndex, isLoading, detail } = view;
  const { width, label } = layoutSuggestions(items, columns);
  const last = shortenRow(styles.secondary(`  ${countText(view)}`), width);
  if (items.length === 0)
    return [styles.secondary(cutRow(isLoading ? '  looking for files…' : '  nothing found', width)), last];
  const rows = items.map((item, index) => menuRow(item, { isActive: index === activeIndex, label, width, styles }));
  return [...rows, ...detail.map((row) => (row === '' ? '' : styles.secondary(row))), last];
}

function countText({ items, hiddenAbove, hiddenBelow }: SuggestionView): string {
  const total = items.length + hiddenAbove + hiddenBelow;
  if (items.length === 0) return 'enter sends it';
  const shown = total === items.length ? `${total}` : `${hiddenAbove + 1}–${hiddenAbove + items.length} of ${total}`;
  return `${shown} · enter runs · tab completes · → all about it`;
}

function menuRow(
  { label: name, description }: Suggestion,
  { isActive, label, width, styles }: { isActive: boolean; label: number; width: number; styles: Styles },
): string {
  const room = description === undefined ? width - 2 : label;
  const shown = shortenStart(makeVisibleLine(name), room);
  const look = (text: string) => (isActive ? styles.bold(styles.accent(text)) : text);
  const gap = ' '.repeat(Math.max(0, label - shown.length) + 2);
  const words = description === undefined ? '' : makeVisibleLine(description);
  const about = words === '' ? '' : `${gap}${isActive ? styles.primary(words) : styles.secondary(words)}`;
  return shortenRow(`${look(isActive ? '❯ ' : '  ')}${look(shown)}${about}`, width);
}

/** The end of a path is more useful than its beginning. */
function shortenStart(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(text.length - Math.max(0, width - 1)).toWellFormed()}`;
}
