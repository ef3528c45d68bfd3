/** Resolves the folder of plans. Plan mode lets the model write plans, so a configured folder must be in the project. */

import { join, resolve, sep } from 'node:path';

export interface PlansDirectoryOptions {
  /** `general.plan.directory`. */
  wanted: string | undefined;
  root: string;
  tempDirectory: string;
  warn: (message: string) => void;
}

export function choosePlansDirectory({ wanted, root, tempDirectory, warn }: PlansDirectoryOptions): string {
  const usual = join(tempDirectory, 'plans');
  if (!wanted?.trim()) return usual;
  const directory = resolve(root, wanted);
  if (directory.startsWith(`${resolve(root)}${sep}`)) return directory;
  warn(`general.plan.directory must be a folder inside ${root}; Castor stores plans in ${usual}.`);
  return usual;
}
