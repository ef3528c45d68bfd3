/**
 * What is typed while a prompt runs and need not wait for its end: commands that may run
 * beside it, and words for the model where `experimental.modelSteering` says so.
 */

import { getErrorMessage } from '@castor/core';
import { isSlashText } from '../slash/command-signs.ts';
import type { App } from './app.ts';
import { steerModel } from './steer-model.ts';

/** `ran`; `waits`: a command that needs the agent at rest; `words`: no command. */
export type BesideAnswer = 'ran' | 'waits' | 'words';

export function takeBeside(app: App, text: string): boolean {
  if (isSlashText(text)) {
    void runCommand(app, text);
    return true;
  }
  const steers = app.state.start?.settings.experimental.modelSteering ?? false;
  return steers && steerModel(app, text);
}

async function runCommand(app: App, text: string): Promise<void> {
  try {
    const answer = await app.options.runBeside(app, text);
    if (answer === 'words') app.conversation.enqueue(text);
    if (answer === 'waits') giveBack(app, text);
  } catch (error) {
    app.fail(getErrorMessage(error));
  }
}

/** Queued, it would become part of a prompt. */
function giveBack(app: App, text: string): void {
  if (!app.conversation.isBusy) return app.conversation.enqueue(text);
  if (app.composer.isEmpty()) app.composer.setText(text);
  app.toast(`${text.trim().split(/\s/, 1)[0]} is not available while the agent works.`);
}
