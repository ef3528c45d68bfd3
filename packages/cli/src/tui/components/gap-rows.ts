/** The empty rows above the composer or the question: the gap, and the place of a list that has closed. Pure. */

import type { DialogView } from '../dialogs/dialog.ts';
import type { ComposerSnapshot } from '../input/composer-contract.ts';

export function gapRows(
  hasGap: boolean,
  { emptyRows }: Pick<ComposerSnapshot, 'emptyRows'>,
  dialog: DialogView | undefined,
): string[] {
  return Array.from({ length: (hasGap ? 1 : 0) + (dialog ? 0 : emptyRows) }, () => '');
}
