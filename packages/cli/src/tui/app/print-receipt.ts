/** Prints the row that Castor counts itself below an answer; a prompt that failed or was cancelled has said why. */

import type { PromptEndedEvent } from '@castor/core';
import { wrapRows } from '../text/wrap-rows.ts';
import type { App } from './app.ts';

export function printReceipt(
  app: App,
  { outcome }: Pick<PromptEndedEvent, 'outcome'>,
  spent: { readonly ms: number; readonly usd: number | undefined },
): void {
  // Its items are counted as they are printed.
  app.print([]);
  const text = app.printer?.tellReceipt(spent);
  if (text !== undefined && outcome === 'completed' && !app.isSpoken)
    app.print(['', ...wrapRows(app.appearance.styles.secondary(text), { width: app.width })]);
}
