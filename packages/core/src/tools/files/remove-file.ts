/** Deletes a file that is still as it was loaded. */

import type { Stats } from 'node:fs';
import { lstat, unlink } from 'node:fs/promises';
import { ToolError } from '../../protocol/errors.ts';

/** Throws ToolError when another program changed the file meanwhile. */
export async function removeFile(realPath: string, stat: Stats): Promise<void> {
  const now = await lstat(realPath);
  const isSame = now.ino === stat.ino && now.dev === stat.dev && now.mtimeMs === stat.mtimeMs && now.size === stat.size;
  if (!isSame) {
    throw new ToolError(
      `${realPath} was changed by another program during this edit and was not deleted. Read the file again first.`,
      'file_write_failure',
    );
  }
  await unlink(realPath);
}
