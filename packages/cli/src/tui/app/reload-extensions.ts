/** Loads the extensions of a running session again: a new list of sources, and the same session with a new agent. */

import { getErrorMessage } from '@castor/core';
import { findInstalledExtensions } from '../../start/installed-extensions.ts';
import { prepareStart } from '../../start/start.ts';
import type { App } from './app.ts';
import { applySettings } from './apply-settings.ts';
import { reopenSession } from './session-change.ts';

/** `names` limits this session to them. */
export async function reloadExtensions(
  app: App,
  { names, message }: { names?: readonly string[]; message: string },
): Promise<void> {
  const { start: before, mode, model } = app.state;
  if (!before) return;
  try {
    const limited = names && { extensions: names.length === 0 ? ['none'] : [...names] };
    const args = { ...before.args, ...limited };
    const installed = await findInstalledExtensions({ ...before, args });
    const start = prepareStart({ ...before, args, installed, sources: undefined, isAttended: true });
    applySettings(app, start);
    Object.assign(app.state, { mode, model });
    for (const warning of start.extensions?.warnings ?? []) {
      if (!before.warnings.includes(warning)) app.warn(warning);
    }
  } catch (error) {
    return app.fail(getErrorMessage(error));
  }
  await reopenSession(app);
  app.info(message);
}
