/** ReadyFiles: new files that are written and wait to be put in place together, as many as handles and the disk allow. */

import type { HeldFolder } from './held-folder.ts';
import type { ReadyFile } from './write-exactly.ts';

/** A file system looks at each one that was just replaced for every new one: so undos of usual size replace all at the end. */
const MOST_FILES = 1024;
/** They need room beside the files that they replace. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Each is an open handle. */
const MOST_FOLDERS = 128;

export class ReadyFiles {
  private files: { path: string; file: ReadyFile }[] = [];
  private readonly folders = new Set<HeldFolder>();
  private bytes = 0;
  private readonly fail: (path: string, error: unknown) => void;

  constructor(fail: (path: string, error: unknown) => void) {
    this.fail = fail;
  }

  get isFull(): boolean {
    return this.files.length >= MOST_FILES || this.bytes >= MOST_BYTES || this.folders.size >= MOST_FOLDERS;
  }

  add(path: string, file: ReadyFile, bytes: number): void {
    this.files.push({ path, file });
    this.folders.add(file.folder);
    this.bytes += bytes;
  }

  async put(): Promise<void> {
    const { files } = this;
    this.files = [];
    this.folders.clear();
    this.bytes = 0;
    await Promise.all(files.map(({ path, file }) => file.put().catch((error: unknown) => this.fail(path, error))));
  }
}
