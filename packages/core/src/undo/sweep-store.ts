/** Searches the contents of an undo store, which are exact copies of files, for what a finder finds. Changes nothing. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ContentStore } from './content-store.ts';

export interface SweptStore {
  /** How many sealed contents hold something. */
  sealed: number;
  leaks: { path: string; line: number; kind: string }[];
}

export function sweepStore(folder: string, find: (text: string) => readonly { kind: string }[]): SweptStore {
  const swept: SweptStore = { sealed: 0, leaks: [] };
  if (!existsSync(join(folder, 'segments'))) return swept;
  const store = new ContentStore(folder);
  try {
    for (const segment of store.segments.values()) {
      for (const { hash, isSealed } of store.contentsOf(segment)) {
        const found = find(store.get(hash)?.toString('utf8') ?? '');
        if (found.length === 0) continue;
        if (isSealed) swept.sealed++;
        else swept.leaks.push(...found.map(({ kind }) => ({ path: segment.path, line: 0, kind })));
      }
    }
  } finally {
    store.close();
  }
  return swept;
}
