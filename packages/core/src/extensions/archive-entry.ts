/** An entry of an archive as its reader found it, and the limits every archive keeps. The reader judges nothing. */

export interface ArchiveEntry {
  /** As written in the archive. */
  readonly path: string;
  /** `other`: a hard link, a device, a pipe. */
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** What an entry of kind `other` is. */
  readonly what?: string;
  /** May its owner execute it. */
  readonly isProgram: boolean;
  /** Of a symbolic link. */
  readonly target?: string;
  /** The bytes of a file; read completely before the next entry. */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface ArchiveLimits {
  /** Of the archive itself. */
  readonly archiveBytes: number;
  /** Of everything in it. */
  readonly bytes: number;
  readonly entries: number;
  /** Content to archive, for content above `smallBytes`. */
  readonly ratio: number;
  readonly smallBytes: number;
}

const MEBIBYTE = 1024 * 1024;

export const ARCHIVE_LIMITS: ArchiveLimits = {
  archiveBytes: 200 * MEBIBYTE,
  bytes: 1024 * MEBIBYTE,
  entries: 50_000,
  ratio: 200,
  smallBytes: 16 * MEBIBYTE,
};

export const NO_CONTENT: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};
