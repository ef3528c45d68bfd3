/** Resolves the folder of plans. Plan mode lets the model write plans, so a configured folder must be in the project. */

import { join, resolve, sep } from 'node:path';

export interface PlansDirectoryOptions {
  wanted: string | undefined;
  /** What named the folder. Default the setting `general.plan.directory`. */
  wantedBy?: string | undefined;
  root: string;
  tempDirectory: string;
  warn: (message: string) => void;
}

export function choosePlansDirectory(options: PlansDirectoryOptions): string {
  const { wanted, wantedBy = 'general.plan.directory', root, tempDirectory, warn } = options;
  const usual = join(tempDirectory, 'plans');
  if (!wanted?.trim()) return usual;
  const directory = resolve(root, wanted);
  if (directory.startsWith(`${resolve(root)}${sep}`)) return directory;
  warn(`${wantedBy} must be a folder inside ${root}; Castor stores plans in ${usual}.`);
  return usual;
}
