/** Shows a recorded conversation as it was: each prompt, and below it the row that counts what it did. */

import type { AgentEvent, PromptEndedEvent } from '@castor/core';
import { costOfAnswers } from '@castor/core/program';
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
    printReceipt(app, event, { ms: event.durationMs ?? 0, usd: costOf(app, event) });
  }
  app.store.dispatchAll(events.slice(from));
}

/** By the prices of now; unknown where something it spent is not on record, such as for sub-agents. */
function costOf({ state }: App, { answers }: PromptEndedEvent): number | undefined {
  return answers && state.agent ? costOfAnswers(answers, state.agent.ledger.prices) : undefined;
}
