/**
 * Opening by name and deciding by handle. Everything here refuses what is not a
 * regular file (or directory), follows no link in the last step and reports where
 * an open handle really points, so that a name swapped after a check wins nothing.
 */

import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { ToolError } from '../protocol/errors.ts';
import type { ToolErrorType } from '../protocol/tools.ts';

export interface OpenedFile {
  handle: FileHandle;
  /** Where the handle points, without links. */
  path: string;
  stat: Stats;
}

/** Without O_NONBLOCK, opening a FIFO that replaced the file would wait for a writer. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a path without links. The caller closes the handle. */
export async function openRegularFile(realPath: string): Promise<OpenedFile> {
  try {
    // Merely opening a device can have effects, so that the kind is asked for before and after.
    refuseSpecial(await lstat(realPath), realPath);
    const handle = await open(realPath, READ_FLAGS);
    try {
      const opened = await handle.stat();
      refuseSpecial(opened, realPath);
      return { handle, path: await pathOfHandle(handle, realPath, opened), stat: opened };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw toFileError(error, realPath, 'read_content_failure');
  }
}

/** Opens a directory without following a link in the last step. The caller closes the handle. */
export async function openDirectory(realPath: string): Promise<OpenedFile> {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(realPath, flags);
  try {
    const opened = await handle.stat();
    return { handle, path: await pathOfHandle(handle, realPath, opened), stat: opened };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Where the handle points. Linux knows; elsewhere the name is resolved once more and
 * must still lead to the same file.
 */
async function pathOfHandle(handle: FileHandle, expected: string, opened: Stats): Promise<string> {
  if (process.platform === 'linux') {
    try {
      return await readlink(`/proc/self/fd/${handle.fd}`);
    } catch {
      // Without /proc the name is all there is, as on the other platforms.
    }
  }
  const again = await realpath(expected);
  const { dev, ino } = await stat(again);
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

/** A raw error of the file system as one the model can read; `otherwise` names what has no name of its own. */
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
