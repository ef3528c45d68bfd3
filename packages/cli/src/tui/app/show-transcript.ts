/** Shows a recorded conversation as it was: each prompt, and below it the row that counts what it did. */

import type { AgentEvent } from '@castor/core';
import type { App } from './app.ts';
import { printReceipt } from './print-receipt.ts';

export function showTranscript(app: App, events: readonly AgentEvent[]): void {
  let from = 0;
  for (const [index, event] of events.entries()) {
    if (event.type !== 'prompt_ended') continue;
    // Of this process only its own changes count.
    app.printer?.beginReceipt(new Set());
    app.store.dispatchAll(events.slice(from, index + 1));
    from = index + 1;
    // What it cost is not on record for all of it, such as for sub-agents.
    printReceipt(app, event, { ms: event.durationMs ?? 0, usd: undefined });
  }
  app.store.dispatchAll(events.slice(from));
}
