/** `/permissions`: records the user's trust decision on this folder. */

import { getErrorMessage } from '@castor/core';
import type { CommandContext } from '../../slash/command.ts';
import { decideOnFolder } from '../../start/trust-folder.ts';
import type { App } from '../app.ts';
import { askAboutTrust } from '../dialogs/trust-question.ts';
import { folderContents } from '../folder-contents.ts';

export async function chooseTrust(
  app: App,
  { agent, home, trustedFoldersFile: file, signal }: CommandContext,
): Promise<void> {
  const folder = agent.workspace.root;
  const level = await askAboutTrust({ folder, wouldLoad: folderContents(folder, home) }, app.dialogs, signal);
  if (level === undefined || level === 'later') return;
  try {
    decideOnFolder({ folder, level, file, home });
    app.info('Saved. It applies from the next start.');
  } catch (error) {
    app.fail(getErrorMessage(error));
  }
}
