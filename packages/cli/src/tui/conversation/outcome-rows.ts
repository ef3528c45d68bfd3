/**
 * What a slash command answered, as rows: a sentence hangs under its command, a page stands below it with a strong first
 * word, marks in the colours of their states and bars in the accent. Pure.
 */

import { sanitize } from '../../sanitize.ts';
import { withoutDots } from '../text/without-dots.ts';
import { expandTabs, proseWidth, wrapRows } from '../text/wrap-rows.ts';
import type { Style, Styles } from '../theme/styles.ts';

interface OutcomeOptions {
  readonly styles: Styles;
  readonly width: number;
}

/** The word before two blanks or before the end of the first row: the name of the page. */
const TITLE = /^\S(?:.*?\S)?(?= {2}|:?$)/;
const BAR = /[█#]{1,}$/;
/** A sentence is no name. */
const SENTENCE = /[.!?]$/;
/** The state of what a row is about; a hyphen may as well be a bullet. */
const MARK = /^( *)([✓✗!▸])(?= )/;

export function isPage(text: string): boolean {
  return text.trim().includes('\n');
}

/** Without a gap: it belongs to the row above. */
export function renderOutcome(text: string, { styles, width }: OutcomeOptions): string[] {
  const words = sanitize(expandTabs(text)).trim();
  if (styles.isSpoken) return withoutDots(words).split('\n');
  const first = `  ${styles.secondary('└')} `;
  return wrapRows(styles.secondary(words), { width: proseWidth(width), first, rest: '    ' });
}

export function renderPage(text: string, { styles, width }: OutcomeOptions): string[] {
  const lines = sanitize(expandTabs(text)).trim().split('\n');
  if (styles.isSpoken) return lines.map(sayLine);
  // Wrapped first: a row is indented by its own blanks.
  return lines.flatMap((line, index) => {
    const rows = wrapRows(line, { width, hasColumns: true });
    if (index > 0) return rows.map((row) => withBar(row, styles));
    if (SENTENCE.test(line)) return rows.map((row) => withBar(row, styles));
    const title = TITLE.exec(line)?.[0] ?? '';
    const [first = '', ...rest] = rows;
    return [`${styles.bold(first.slice(0, title.length))}${first.slice(title.length).replace(/^:$/, '')}`, ...rest];
  });
}

const SPOKEN_MARKS: Readonly<Record<string, string>> = {
  '✓': 'Works: ',
  '✗': 'Failed: ',
  '!': 'Warning: ',
  '▸': 'Under way: ',
};

/** A voice hears no columns, no bars and no signs. */
function sayLine(line: string): string {
  const [lead = '', , mark = ''] = MARK.exec(line) ?? [];
  const words = line.slice(lead.length).replace(BAR, '').trim();
  return `${SPOKEN_MARKS[mark] ?? ''}${withoutDots(words.replaceAll(/ {2,}/g, ', '))}`;
}

function withBar(line: string, styles: Styles): string {
  const bar = BAR.exec(line)?.[0] ?? '';
  const [lead = '', indent = '', mark = ''] = MARK.exec(line) ?? [];
  const words = styles.secondary(line.slice(lead.length, line.length - bar.length));
  const begin = mark === '' ? '' : `${indent}${styleOf(mark, styles)(mark)}`;
  return `${begin}${words}${bar === '' ? '' : styles.accent(bar)}`;
}

function styleOf(mark: string, { success, error, warning, accent }: Styles): Style {
  return mark === '✓' ? success : mark === '✗' ? error : mark === '!' ? warning : accent;
}
