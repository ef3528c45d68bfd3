/** Renders the list of suggestions above the rule: names, descriptions to the edge, the count and the keys. Pure. */

import { makeVisibleLine } from '../../make-visible.ts';
import type { Suggestion } from '../input/completion-provider.ts';
import type { SuggestionView } from '../input/composer-contract.ts';
import { layoutSuggestions } from '../input/suggestion-layout.ts';
import { cutRow, rowWidth, shortenRow } from '../text/row-width.ts';
import type { Styles } from '../theme/styles.ts';

export function menuRows(view: SuggestionView, columns: number, styles: Styles): string[] {
  return [...Array.from({ length: view.above ?? 0 }, () => ''), ...listRows(view, columns, styles)];
}

function listRows(view: SuggestionView, columns: number, styles: Styles): string[] {
  const { items, activeIndex, isLoading, whenEmpty, detail } = view;
  const { width, label, hasFacts, hasDescriptions } = layoutSuggestions(items, columns);
  const last = shortenRow(styles.secondary(`  ${countText(view, width - 2)}`), width);
  if (items.length === 0) {
    const words = isLoading ? 'looking for files…' : (whenEmpty ?? 'nothing found');
    const row = `  ${makeVisibleLine(words)}`;
    const end = ' · enter sends it';
    // As high as the smallest list, whether or not there is room for all in one row.
    if (rowWidth(row) + rowWidth(end) <= width) return ['', styles.secondary(`${row}${end}`)];
    return [styles.secondary(cutRow(row, width)), last];
  }
  const query = view.query ?? '';
  const hasHeadings = (view.headings ?? 0) > 0;
  const rows = items.flatMap((item, index) => {
    const begins = hasHeadings && item.group !== items[index - 1]?.group;
    const shown = hasDescriptions || item.description === undefined ? item : { ...item, description: '' };
    const row = menuRow(shown, { isActive: index === activeIndex, label, hasFacts, width, styles, query });
    return begins ? [styles.secondary(shortenRow(`  ${item.group ?? ''}`, width)), row] : [row];
  });
  return [...rows, ...detail.map((row) => (row === '' ? '' : styles.secondary(row))), last];
}

/** The count, and the keys that have room: those that are known from elsewhere give way first. */
function countText(view: SuggestionView, width: number): string {
  const { items, hiddenAbove, hiddenBelow, isCut, isExpanded = false } = view;
  if (items.length === 0) return 'enter sends it';
  const total = items.length + hiddenAbove + hiddenBelow;
  const count =
    total === items.length ? `${total} of ${total}` : `${hiddenAbove + 1}–${hiddenAbove + items.length} of ${total}`;
  const isCommand = items[0]?.label.startsWith('/') ?? false;
  const about = isExpanded ? ['← the list'] : isCut ? ['→ all about it'] : [];
  const keys = isCommand ? ['enter runs', 'tab completes'] : ['enter or tab takes it'];
  for (;;) {
    const text = [count, ...keys, ...about].join(' · ');
    if (rowWidth(text) <= width || keys.length === 0) return text;
    keys.pop();
  }
}

interface MenuLook {
  readonly isActive: boolean;
  readonly label: number;
  readonly hasFacts: boolean;
  readonly width: number;
  readonly styles: Styles;
  readonly query: string;
}

function menuRow({ label: name, description, fact }: Suggestion, look: MenuLook): string {
  const { isActive, label, hasFacts, styles, query } = look;
  const room = description === undefined && !hasFacts ? look.width - 2 : label;
  const shown = shortenStart(makeVisibleLine(name), room);
  const styled = isActive
    ? styles.bold(styles.accent(shown))
    : markLetters(shown, { query, styles, isPath: description === undefined });
  const gap = ' '.repeat(Math.max(0, label - rowWidth(shown)) + 2);
  const words = makeVisibleLine(description ?? (hasFacts ? fact : undefined) ?? '');
  const isPlain = isActive && description !== undefined;
  const about = words === '' ? '' : `${gap}${isPlain ? styles.primary(words) : styles.secondary(words)}`;
  const whole = `${isActive ? styles.bold(styles.accent('❯ ')) : '  '}${styled}${about}`;
  return shortenRow(whole, look.width);
}

/** The letters that were typed stand out, and the name of a file from its folder. */
function markLetters(
  name: string,
  { query, styles, isPath }: { query: string; styles: Styles; isPath: boolean },
): string {
  const folder = isPath ? name.lastIndexOf('/', name.length - 2) + 1 : 0;
  const marked = lettersOf(name, query);
  let styled = '';
  for (let start = 0; start < name.length;) {
    const isMarked = marked.has(start);
    const isDim = start < folder;
    let end = start + 1;
    while (end < name.length && marked.has(end) === isMarked && end < folder === isDim) end++;
    const piece = name.slice(start, end);
    const colored = isDim ? styles.secondary(piece) : piece;
    styled += isMarked ? styles.bold(styles.underline(colored)) : colored;
    start = end;
  }
  return styled;
}

/** Where the letters of the query are: in a row if they are, else one after the other; none if some are missing. */
function lettersOf(name: string, query: string): ReadonlySet<number> {
  const [text, wanted] = [name.toLowerCase(), query.toLowerCase()];
  const whole = wanted === '' ? -1 : text.indexOf(wanted);
  if (whole >= 0) return new Set(Array.from({ length: wanted.length }, (_, index) => whole + index));
  const places = new Set<number>();
  let from = 0;
  for (const letter of wanted) {
    const place = text.indexOf(letter, from);
    if (place < 0) return new Set();
    places.add(place);
    from = place + 1;
  }
  return places;
}

/** The end of a path is more useful than its beginning. */
function shortenStart(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(text.length - Math.max(0, width - 1)).toWellFormed()}`;
}
