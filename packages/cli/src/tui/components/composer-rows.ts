/**
 * Renders the composer as rows of text: the suggestions, the rule with the footer in it, the text after its sign. The
 * user types in the last row. As many rows as `composerHeight` returns. Pure.
 */

import type { ComposerSnapshot } from '../input/composer-contract.ts';
import { shortenRow } from '../text/row-width.ts';
import type { Styles } from '../theme/styles.ts';
import { menuRows } from './menu-rows.ts';
import { renderStatusRule } from './status-rule.ts';
import type { RuleState } from './status-rule.ts';

const CHIP = /\[(?:Pasted Text|Image)[^\]]*\]/g;
/** A name after `@`, and the blank before it. */
export const REFERENCE = /(^|\s)(@[^\s@][^\s]*)/g;

export function composerRows(snapshot: ComposerSnapshot, rule: RuleState, styles: Styles): string[] {
  const { columns, hasBorder, suggestions } = snapshot;
  return [
    ...(suggestions ? menuRows(suggestions, columns, styles) : []),
    ...(hasBorder ? [renderStatusRule(snapshot, rule, styles)] : []),
    ...textRows(snapshot, styles),
  ];
}

function textRows(
  { rows, isEmpty, placeholder, isShell, columns, hiddenAbove, missing }: ComposerSnapshot,
  styles: Styles,
): string[] {
  const sign = isShell ? styles.warning('!') : styles.accent('❯');
  if (isEmpty) return [`${sign} ${styles.secondary(shortenRow(placeholder, columns - 3))}`];
  return rows.map(({ text }, index) => {
    const row = isShell ? text : markReferences(text, missing, styles);
    return index === 0 && hiddenAbove === 0 ? `${sign} ${row}` : `  ${row}`;
  });
}

/** Files and pasted blocks stand out from the words around them, and files that do not exist from those that do. */
function markReferences(text: string, missing: ReadonlySet<string>, styles: Styles): string {
  const mark = (name: string) => (missing.has(name) ? styles.warning(styles.underline(name)) : styles.link(name));
  if (!/[@[]/.test(text)) return text;
  return text
    .replaceAll(REFERENCE, (_, before: string, name: string) => `${before}${mark(name)}`)
    .replaceAll(CHIP, (chip) => styles.accent(chip));
}
