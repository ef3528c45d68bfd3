/** `/permissions`: records the user's trust decision on this folder. */

import { getErrorMessage } from '@castor/core';
import type { CommandContext } from '../../slash/command.ts';
import { describePrograms, readFolderPrograms } from '../../start/folder-programs.ts';
import { decideOnFolder } from '../../start/trust-folder.ts';
import type { App } from '../app/app.ts';
import { askAboutTrust } from '../dialogs/trust-question.ts';
import { folderContents } from '../app/folder-contents.ts';

export async function chooseTrust(
  app: App,
  { agent, home, trustedFoldersFile: file, signal }: CommandContext,
): Promise<void> {
  const folder = agent.workspace.root;
  const programs = readFolderPrograms(folder, home);
  const wouldRun = programs ? describePrograms(programs) : [];
  const subject = { folder, wouldLoad: folderContents(folder, home), wouldRun };
  const level = await askAboutTrust(subject, app.dialogs, signal);
  if (level === undefined || level === 'later') return;
  try {
    decideOnFolder({ folder, level, file, home, programs });
    app.info('Saved. It applies from the next start.');
  } catch (error) {
    app.fail(getErrorMessage(error));
  }
}
