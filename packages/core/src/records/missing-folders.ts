/** Counts the folders that a new file brings along, so that an undo removes those and no others. */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

export function countMissingFolders(path: string): number {
  let count = 0;
  for (let folder = dirname(path); !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder)) count++;
  return count;
}
