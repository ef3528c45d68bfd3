/**
 * Replaces a file atomically: at every moment either the old or the new content is
 * complete on disk. The new content is written to a temporary file in the same directory,
 * synced and renamed over the file; mode and owner stay. On Linux every step uses the
 * handle of the checked directory, so that a directory swapped for a link meanwhile is not
 * written to. A file with several names (hard links) becomes a separate file: the other
 * names keep the old content.
 */

import { constants, existsSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { access, link, lstat, open, rename, rmdir, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ToolError } from '../../protocol/errors.ts';
import { removeAbandoned, temporaryName } from './abandoned-files.ts';
import { kindOf, openDirectory, toFileError } from './opened-file.ts';
import type { OpenedDirectory } from './opened-file.ts';
import { makeDirectory } from '../../util/make-directory.ts';

export interface AtomicWrite {
  /** Without links, as `Workspace.checkPath` returns it. */
  realPath: string;
  bytes: Uint8Array;
  /** The expected state of the file; any other state is a conflict. Undefined for a file to be created. */
  expected: Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'> | undefined;
  /** Called with the file's path in its real directory. */
  isWritable(realPath: string): boolean;
}

/** Creates missing directories. Throws ToolError; the old content is then untouched, and no created directory remains. */
export async function writeFileAtomically(write: AtomicWrite): Promise<void> {
  const { realPath } = write;
  const parent = path.dirname(realPath);
  const missing = write.expected === undefined ? missingDirectories(parent) : [];
  let directory: OpenedDirectory | undefined;
  try {
    if (missing.length > 0) makeDirectory(parent, 0o777);
    directory = await openDirectory(parent);
    if (!write.isWritable(path.join(directory.path, path.basename(realPath)))) {
      throw new ToolError(
        `Path not in workspace: Attempted path "${realPath}" leads to "${directory.path}" outside the workspace.`,
        'path_not_in_workspace',
      );
    }
    await replaceIn(directory, path.basename(realPath), write);
  } catch (error) {
    await removeEmpty(missing);
    throw toWriteError(error, realPath);
  } finally {
    await directory?.handle.close();
  }
}

/** Deepest first. */
function missingDirectories(directory: string): string[] {
  const missing: string[] = [];
  for (let at = directory; !existsSync(at) && path.dirname(at) !== at; at = path.dirname(at)) missing.push(at);
  return missing;
}

async function removeEmpty(directories: readonly string[]): Promise<void> {
  // A folder that was never created, or is in use by now, stays.
  for (const directory of directories) await rmdir(directory).catch(() => {});
}

async function replaceIn(directory: OpenedDirectory, name: string, write: AtomicWrite): Promise<void> {
  const base = process.platform === 'linux' ? `/proc/self/fd/${directory.handle.fd}` : directory.path;
  const target = path.join(base, name);
  const current = await lstatIfThere(target);
  refuseConflict(current, write);
  if (current !== undefined) await access(target, constants.W_OK);
  const temporary = path.join(base, temporaryName());
  // A new file gets its mode from the user's umask; the copy of an existing file starts private.
  const handle = await open(temporary, 'wx', current === undefined ? 0o666 : 0o600);
  try {
    await fill(handle, write.bytes, current);
    refuseConflict(await lstatIfThere(target), write);
    await (current === undefined ? putNew(temporary, target) : rename(temporary, target));
  } catch (error) {
    await unlink(temporary).catch(() => {
      // Report the first error; the temporary file may already be gone.
    });
    throw error;
  }
  await syncDirectory(directory.handle);
  await removeAbandoned(base, directory.path);
}

async function fill(handle: FileHandle, bytes: Uint8Array, current: Stats | undefined): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (current !== undefined) {
      const own = await handle.stat();
      if (own.uid !== current.uid || own.gid !== current.gid) await handle.chown(current.uid, current.gid);
      // After chown, because changing the owner clears the special bits.
      await handle.chmod(current.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Fails when the name was taken meanwhile; a rename would overwrite that file. */
async function putNew(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some file systems do not support links; there the last check must suffice.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    await rename(temporary, target);
    return;
  }
  await unlink(temporary);
}

async function syncDirectory(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } catch {
    // Not every system can sync directories; the content itself is on disk.
  }
}

function refuseConflict(current: Stats | undefined, { expected, realPath }: AtomicWrite): void {
  if (current !== undefined && !current.isFile()) {
    const type = current.isDirectory() ? 'target_is_directory' : 'file_write_failure';
    throw new ToolError(`Not a regular file: ${realPath} is ${kindOf(current)}.`, type);
  }
  const isSame =
    expected === undefined || current === undefined
      ? current === expected
      : current.ino === expected.ino &&
        current.dev === expected.dev &&
        current.size === expected.size &&
        current.mtimeMs === expected.mtimeMs;
  if (!isSame) {
    throw new ToolError(
      `${realPath} was changed by another program during this edit. Nothing was written. Read the file again before editing it.`,
      'file_write_failure',
    );
  }
}

async function lstatIfThere(target: string): Promise<Stats | undefined> {
  try {
    return await lstat(target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function toWriteError(error: unknown, realPath: string): ToolError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'ELOOP') {
    const message = `Cannot write ${realPath}: a part of the path is not a directory, or was created meanwhile (${code}).`;
    return new ToolError(message, 'file_write_failure', { cause: error });
  }
  return toFileError(error, realPath, 'file_write_failure');
}
