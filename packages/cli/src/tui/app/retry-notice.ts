/** With `ui.errorVerbosity` full: prints a line for every failed attempt that is retried. */

import type { App } from './app.ts';

/** Runs after each change, beside the other observers. */
export function tellAttempts(app: App): void {
  const { onStateChange } = app;
  let told: unknown;
  app.onStateChange = () => {
    onStateChange?.();
    const { retry } = app.store.getSnapshot();
    if (!retry || retry === told || retry.isLoading) return;
    told = retry;
    app.warn(`Attempt ${retry.attempt} of ${retry.maxAttempts} failed: ${retry.error.message}`);
  };
}
