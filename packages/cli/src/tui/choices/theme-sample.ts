/** A sample of a theme: a message, code and a diff with a marked word, as the conversation shows them. Pure. */

import { renderUser } from '../conversation/transcript-item.ts';
import { renderDiff } from '../render/diff.ts';
import type { Grammars } from '../render/highlight.ts';
import { createHighlighter } from '../render/highlight.ts';
import type { Styles } from '../theme/styles.ts';

const CODE = 'export function totalOf(lines: Line[]): number { // a sum';
const DIFF = [
  '@@ -15,1 +15,1 @@',
  '-  return roundMoney(total - discount);',
  '+  return roundMoney(Math.max(0, total - discount));',
].join('\n');

export function themeSample(styles: Styles, width: number, grammars: Grammars | undefined): string[] {
  const highlighter = createHighlighter(styles, () => grammars);
  highlighter.begin('ts');
  const inner = Math.max(width - 2, 20);
  return [
    ...renderUser('fix the total', { styles, width: inner }),
    '',
    styles.code(highlighter.line(CODE)),
    '',
    ...renderDiff(DIFF, { styles, width: inner, fileName: 'cart.ts', grammars }),
  ].map((row) => (row === '' ? '' : `  ${row}`));
}
