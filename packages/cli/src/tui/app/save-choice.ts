/** Saves a choice made in a dialog to the user's settings. The choice is in force even if it cannot be saved. */

import { getErrorMessage } from '@castor/core';
import { saveSetting } from '@castor/core/program';
import type { App } from './app.ts';
import { reloadSettings } from './apply-settings.ts';
import { userSettingsFile } from './command-services.ts';

export function saveChoice(app: App, key: string, value: unknown, said: string): void {
  try {
    saveSetting(userSettingsFile(app), key, value);
  } catch (error) {
    return app.fail(`${said} It could not be saved: ${getErrorMessage(error)}`);
  }
  app.info(said);
  const problem = reloadSettings(app);
  if (problem !== undefined) app.fail(problem);
}
