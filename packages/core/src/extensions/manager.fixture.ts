/** An extension manager over the home of a workspace, whose user gives one answer to everything. */

import type { Workspace } from '@castor/testkit';
import { checkForUpdate } from './check-updates.ts';
import { ExtensionManager } from './extension-manager.ts';
import type { ManagerOptions } from './extension-manager.ts';
import { loadExtensions } from './load-extensions.ts';

export interface OpenedOptions extends Partial<Pick<ManagerOptions, 'allowedExtensions' | 'blocksGit' | 'bases'>> {
  answer?: boolean;
  environment?: Record<string, string>;
}

const BASES = { github: 'https://github.invalid', githubApi: 'https://api.github.invalid' };

export function openManager({ home, project: cwd }: Pick<Workspace, 'home' | 'project'>, options: OpenedOptions = {}) {
  const { answer = true, allowedExtensions = [], blocksGit = false, bases = BASES } = options;
  const environment = { PATH: process.env['PATH'], HOME: home, ...options.environment };
  const pages: string[] = [];
  const place = { home, cwd, environment, bases };
  const port = {
    async confirm(page: string) {
      pages.push(page);
      return answer;
    },
  };
  const manager = new ExtensionManager({ ...place, port, allowedExtensions, blocksGit });
  const extension = () => loadExtensions({ home, cwd }).extensions[0];
  return {
    manager,
    pages,
    extension,
    check: () => checkForUpdate(extension()!, { ...place, signal: new AbortController().signal }),
  };
}
