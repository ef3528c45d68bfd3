/** Prints the row that Castor counts itself below an answer; a prompt that failed or was cancelled has said why. */

import type { PromptEndedEvent } from '@castor/core';
import { wrapFacts } from '../text/wrap-facts.ts';
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
    app.print(['', ...wrapFacts(text, app.width).map((row) => app.appearance.styles.secondary(row))]);
}
