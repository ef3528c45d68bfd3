/** Where undo of everything is off unless the user says yes, and how much room its store may take. Pure but for the home. */

import { dirname, resolve } from 'node:path';
import type { StoreBudget } from './undo-requests.ts';

/** `auto`: everything, but only edits in home folders and very large trees. */
export type UndoCoverage = 'auto' | 'everything' | 'edits' | 'off';

const GIGABYTE = 1024 ** 3;

export const DEFAULT_BUDGET: StoreBudget = { storeBytes: GIGABYTE, shareOfFree: 0.05, freeBytes: 2 * GIGABYTE };

/** Why a folder is too wide to be read as a whole; undefined when it is an ordinary one. */
export function tooWide(root: string, homes: readonly string[]): string | undefined {
  const folder = resolve(root);
  if (dirname(folder) === folder) return 'it is the root of the file system';
  const isHome = homes.some((home) => {
    const own = resolve(home);
    return own === folder || own.startsWith(`${folder}/`);
  });
  return isHome ? 'it is a home folder or holds one' : undefined;
}
