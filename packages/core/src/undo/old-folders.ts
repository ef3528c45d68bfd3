/** The folders of the last walk around the entry that a walk has come to, and which of them are still the same. */

import type { Stats } from 'node:fs';
import { lookAt } from './read-state.ts';

interface OldFolder {
  readonly path: string;
  readonly inode: number;
  /** Itself, or the deepest folder above it, if it is still the same; once it was looked up. */
  kept?: Stats | null;
  isSame?: boolean;
}

export class OldFolders {
  /** Outermost first. */
  private readonly folders: OldFolder[] = [];

  /** Entries must come in the order of the manifest. */
  enter({ path, inode }: { readonly path: string; readonly inode: number }): void {
    this.leave(path);
    this.folders.push({ path, inode });
  }

  /** The deepest folder above a path that is still the one of the last walk. */
  keptAbove(path: string): Stats | null {
    this.leave(path);
    return this.keptAt(this.folders.length - 1);
  }

  private keptAt(index: number): Stats | null {
    const folder = this.folders[index];
    if (!folder) return lookAt('.') ?? null;
    if (folder.kept === undefined) {
      const above = this.keptAt(index - 1);
      // Below a folder that became a link there is another folder.
      const isReached = this.folders[index - 1]?.isSame ?? true;
      const found = isReached ? lookAt(folder.path) : null;
      folder.isSame = found?.isDirectory() === true && found.ino === folder.inode;
      folder.kept = found && folder.isSame ? found : above;
    }
    return folder.kept;
  }

  private leave(path: string): void {
    while (this.folders.length > 0 && !path.startsWith(`${this.folders.at(-1)!.path}/`)) this.folders.pop();
  }
}
