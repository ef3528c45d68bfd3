/** A sample of a theme: a message, code and a diff with a marked word, as the conversation shows them. Pure. */

import { renderUser } from '../conversation/transcript-item.ts';
import { renderDiff } from '../render/diff.ts';
import type { Grammars } from '../render/highlight.ts';
import { createHighlighter } from '../render/highlight.ts';
import { shortenRow } from '../text/row-width.ts';
import type { FaintColor } from '../theme/faint-colors.ts';
import type { Styles } from '../theme/styles.ts';

const MOST_NAMED = 3;
const CODE = 'export function totalOf(lines: Line[]): number { // a sum';
const DIFF = [
  '@@ -15,1 +15,1 @@',
  '-  return roundMoney(total - discount);',
  '+  return roundMoney(Math.max(0, total - discount));',
].join('\n');

/** `faint`: the colours that are hard to read on this terminal. */
export function themeSample(
  styles: Styles,
  width: number,
  grammars: Grammars | undefined,
  faint: readonly FaintColor[] = [],
): string[] {
  // Colours say nothing to a voice.
  if (styles.isSpoken) return [];
  const highlighter = createHighlighter(styles, () => grammars);
  highlighter.begin('ts');
  const inner = Math.max(width - 2, 8);
  return [
    ...renderUser('fix the total', { styles, width: inner }),
    '',
    styles.code(shortenRow(highlighter.line(CODE), inner)),
    '',
    ...renderDiff(DIFF, { styles, width: inner, fileName: 'cart.ts', grammars }),
    '',
    // As many rows for every theme, so that nothing moves.
    shortenRow(styles.warning(describeFaint(faint)), inner),
  ].map((row) => (row === '' ? '' : `  ${row}`));
}

/** The worst ones by name, with their contrast. */
function describeFaint(faint: readonly FaintColor[]): string {
  if (faint.length === 0) return '';
  const named = faint.slice(0, MOST_NAMED).map(({ use, contrast }) => `${use} ${contrast.toFixed(1)}:1`);
  return `! too faint here: ${named.join(', ')}${faint.length > MOST_NAMED ? ' …' : ''}`;
}
