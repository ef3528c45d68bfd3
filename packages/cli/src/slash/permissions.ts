import { resolve } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { makeVisibleLine } from '../make-visible.ts';
import { describePrograms, readFolderPrograms } from '../start/folder-programs.ts';
import { decideOnFolder } from '../start/trust-folder.ts';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

const trust: SlashCommand = {
  name: 'trust',
  description: 'Trusts this folder, or another, from the next start.',
  source: 'builtin',
  usage: '[path]',
  run({ agent, home, trustedFoldersFile: file }, args) {
    const folder = resolve(agent.workspace.root, args);
    try {
      const programs = readFolderPrograms(folder, home);
      decideOnFolder({ folder, level: 'TRUST_FOLDER', file, home, programs });
      const runs = programs ? describePrograms(programs).map((program) => `\n- ${makeVisibleLine(program)}`) : [];
      const running = runs.length === 0 ? '' : `\nIt runs, with your permissions:${runs.join('')}`;
      return info(`${folder} is trusted. Restart castor to load its settings, hooks and context files.${running}`);
    } catch (error) {
      return failure(`${folder} could not be trusted: ${getErrorMessage(error)}`);
    }
  },
};

export const permissions: SlashCommand = {
  name: 'permissions',
  description: 'Manages trusted folders.',
  source: 'builtin',
  subCommands: [trust],
  run: () => ({ type: 'open_dialog', dialog: 'trust' }),
};
