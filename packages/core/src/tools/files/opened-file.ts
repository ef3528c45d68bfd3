/**
 * Opens files by name and checks them by handle. It rejects everything but regular files
 * (or directories), follows no link in the last path segment and reports where an open
 * handle really points, so that a name swapped after a check gains nothing. Names and
 * small reads use synchronous calls: a trip through the thread pool costs ten times as
 * much as the call and leaves time to swap a name.
 */

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { ToolError } from '../../protocol/errors.ts';
import type { ToolErrorType } from '../../protocol/tools.ts';

/** An open regular file. Its recipient closes it. */
export class OpenedFile {
  private readonly descriptor: number;
  /** Where the descriptor points, without links. */
  readonly path: string;
  readonly stat: Stats;

  constructor(descriptor: number, path: string, stat: Stats) {
    this.descriptor = descriptor;
    this.path = path;
    this.stat = stat;
  }

  /** Fills the buffer from the position of the last read; returns the number of bytes, 0 at the end. */
  async read(buffer: Buffer): Promise<number> {
    if (buffer.length <= SMALL_READ_BYTES) return readSync(this.descriptor, buffer);
    return new Promise((resolve, reject) => {
      read(this.descriptor, buffer, 0, buffer.length, null, (error, bytes) => {
        if (error) reject(error);
        else resolve(bytes);
      });
    });
  }

  /** The whole content, or undefined when it exceeds the limit, even when it grows during the read. */
  async readUpTo(limit: number): Promise<Buffer | undefined> {
    if (this.stat.size > limit) return undefined;
    const pieces: Buffer[] = [];
    let total = 0;
    for (;;) {
      // The first piece is one byte larger than the file, so that the first read reaches the end.
      const piece = Buffer.allocUnsafe(pieces.length === 0 ? this.stat.size + 1 : GROWTH_BYTES);
      const bytes = await this.read(piece);
      pieces.push(piece.subarray(0, bytes));
      total += bytes;
      if (total > limit) return undefined;
      // A short read of a regular file means its end.
      if (bytes < piece.length) break;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

export interface OpenedDirectory {
  handle: FileHandle;
  /** Where the handle points, without links. */
  path: string;
}

/** Up to this size a synchronous read is faster than the thread pool. */
const SMALL_READ_BYTES = 256 * 1024;
const GROWTH_BYTES = 64 * 1024;

/** Without O_NONBLOCK, opening a FIFO that replaced the file would wait for a writer. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a path without links. The caller closes the file. */
export function openRegularFile(realPath: string): OpenedFile {
  try {
    // Opening a device can have side effects, so the kind is checked before and after.
    refuseSpecial(lstatSync(realPath), realPath);
    const descriptor = openSync(realPath, READ_FLAGS);
    try {
      const opened = fstatSync(descriptor);
      refuseSpecial(opened, realPath);
      return new OpenedFile(descriptor, pathOfDescriptor(descriptor, realPath, opened), opened);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  } catch (error) {
    throw toFileError(error, realPath, 'read_content_failure');
  }
}

/** Opens a directory without following a link in the last step. The caller closes the handle. */
export async function openDirectory(realPath: string): Promise<OpenedDirectory> {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(realPath, flags);
  try {
    return { handle, path: pathOfDescriptor(handle.fd, realPath, await handle.stat()) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Where the descriptor points. Linux reports it; elsewhere the name is resolved again and
 * must still lead to the same file.
 */
function pathOfDescriptor(descriptor: number, expected: string, opened: Stats): string {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // Without /proc only the name is available, as on the other platforms.
    }
  }
  const again = realpathSync.native(expected);
  const { dev, ino } = statSync(again);
  if (dev !== opened.dev || ino !== opened.ino) {
    throw new ToolError(`${expected} was replaced while it was being opened.`, 'read_content_failure');
  }
  return again;
}

function refuseSpecial(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) {
    throw new ToolError(`Path is a directory, not a file: ${path}`, 'target_is_directory');
  }
  throw new ToolError(`Not a regular file: ${path} is ${kindOf(stats)}.`, 'read_content_failure');
}

export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isFile()) return 'a file';
  return 'a device';
}

/** Converts a file system error to one the model can read; `otherwise` is the type of errors without a specific one. */
export function toFileError(error: unknown, path: string, otherwise: ToolErrorType): ToolError {
  if (error instanceof ToolError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ToolError(`File not found: ${path}`, 'file_not_found', options);
    case 'EISDIR':
      return new ToolError(`Path is a directory, not a file: ${path}`, 'target_is_directory', options);
    case 'EACCES':
    case 'EPERM':
      return new ToolError(`Permission denied: ${path} (${code})`, 'permission_denied', options);
    case 'ENOSPC':
    case 'EDQUOT':
      return new ToolError(`No space left on device: ${path} (${code})`, 'no_space_left', options);
    case 'ELOOP':
      return new ToolError(`Too many symbolic links: ${path}`, otherwise, options);
    default:
      return new ToolError(`${path}: ${message ?? String(error)}`, otherwise, options);
  }
}
