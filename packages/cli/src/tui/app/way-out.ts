/** Opens the dialog that a failed prompt calls for: the key of its provider, or another model. Loaded by a failure. */

import { parseProviderModel } from '@castor/core/program';
import type { App } from './app.ts';

/** The transcript has the reason, and the prompt stays in the history; a valid key of the provider is needed first. */
export function askForKey(app: App): void {
  const provider = parseProviderModel(app.state.model ?? '')?.provider;
  submit(app, provider === undefined ? '/auth' : `/connect ${provider}`);
}

/** No model of another provider replaces the one that failed by itself. */
export function offerModel(app: App): void {
  if (parseProviderModel(app.state.model ?? '')) submit(app, '/model');
}

function submit(app: App, command: string): void {
  setImmediate(() => !app.conversation.isBusy && app.submitQuery(command));
}
