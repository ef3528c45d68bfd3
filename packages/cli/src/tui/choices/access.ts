/** `/auth`: switches to another key or the offline model from now on; and removes the stored key. */

import { getErrorMessage } from '@castor/core';
import { prepareStart } from '../../start/start.ts';
import type { App } from '../app.ts';
import { askForAccess } from '../dialogs/first-run.ts';
import { reopenSession } from '../session-change.ts';
import { forgetGeminiKey, storeGeminiKey } from '../../providers/gemini-key.ts';

/** Keeps the session and its conversation. */
export async function chooseAccess(app: App, signal: AbortSignal): Promise<void> {
  const { start } = app.state;
  if (!start) return;
  const answer = await askForAccess(app.dialogs, signal, { leave: 'Keep the current key (esc)' });
  if (answer.kind === 'leave') return;
  const isOffline = answer.kind === 'offline';
  if (!isOffline) {
    const problem = await storeGeminiKey(app.options.home, answer.key);
    if (problem !== undefined) app.warn(problem);
  }
  const environment = isOffline ? start.environment : { ...start.environment, GEMINI_API_KEY: answer.key };
  const model = isOffline ? 'offline' : start.choice.model === 'offline' ? 'auto' : start.choice.model;
  try {
    const again = prepareStart({ ...start, environment, args: { ...start.args, model }, isAttended: true });
    app.state.start = again;
    app.state.model = again.choice.model;
  } catch (error) {
    return app.fail(getErrorMessage(error));
  }
  await reopenSession(app);
  app.info(isOffline ? 'Castor now uses the offline model.' : 'Castor now uses the new key.');
}

export async function signOut(app: App): Promise<void> {
  const problem = await forgetGeminiKey(app.options.home);
  if (problem !== undefined) return app.fail(problem);
  const isElsewhere = app.options.environment['GEMINI_API_KEY'] !== undefined;
  app.info(`The key in ~/.gemini/.env was deleted.${isElsewhere ? ' GEMINI_API_KEY in your shell is still set.' : ''}`);
}
