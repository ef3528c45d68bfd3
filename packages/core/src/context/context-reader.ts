/**
 * Reads one context file as text that is safe to send to a model: a regular file of bounded
 * size inside its allowed directories, checked on real paths, without hidden characters.
 * Returns problems instead of throwing.
 */

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { getErrorMessage, ToolError } from '../protocol/errors.ts';
import { openRegularFile } from '../tools/files/opened-file.ts';
import { decodeText, looksBinary } from '../tools/files/text-file.ts';
import { withoutHiddenCharacters } from '../util/hidden-characters.ts';
import { countOf } from '../util/short-text.ts';

/** The limit is low because every request pays for the file. */
export const MAX_CONTEXT_FILE_BYTES = 1024 * 1024;

export interface ReadContextFile {
  /** The real path, with links resolved. */
  path: string;
  text: string;
  /** Remarks on the text; the caller adds the file's name. */
  remarks: string[];
}

export interface UnreadContextFile {
  reason: string;
  isMissing: boolean;
}

/** Without `allowedRoots` the file may be anywhere, because the user put it there. */
export async function readContextFile(
  file: string,
  allowedRoots?: readonly string[],
): Promise<ReadContextFile | UnreadContextFile> {
  try {
    const real = await realpath(file);
    if (allowedRoots && !(await isAllowed(real, allowedRoots))) {
      return { reason: 'it is outside the allowed folders', isMissing: false };
    }
    const bytes = await readWhole(real);
    if (bytes === undefined) {
      return { reason: `it is larger than ${MAX_CONTEXT_FILE_BYTES / 1024} KiB`, isMissing: false };
    }
    if (looksBinary(bytes)) return { reason: 'it is not a text file', isMissing: false };
    return { path: real, ...toSafeText(bytes) };
  } catch (error) {
    return { reason: toReason(error), isMissing: (error as NodeJS.ErrnoException).code === 'ENOENT' };
  }
}

async function isAllowed(real: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const realRoot = await realpath(root).catch(() => root);
    if (real === realRoot || real.startsWith(realRoot.endsWith(path.sep) ? realRoot : realRoot + path.sep)) return true;
  }
  return false;
}

/** Undefined when it is too large, even if it grows while being read. */
async function readWhole(real: string): Promise<Buffer | undefined> {
  const file = openRegularFile(real);
  try {
    return await file.readUpTo(MAX_CONTEXT_FILE_BYTES);
  } finally {
    file.close();
  }
}

function toSafeText(bytes: Buffer): { text: string; remarks: string[] } {
  const decoded = decodeText(bytes).text;
  const isBroken = !decoded.isWellFormed();
  const { text, count, line } = withoutHiddenCharacters(decoded.toWellFormed());
  const remarks = isBroken ? ['contains invalid UTF-8; Castor replaced the bytes'] : [];
  if (count > 0) {
    remarks.push(
      `contains ${countOf(count, 'invisible character')} (the first in line ${line}); Castor removed them, because invisible text can mislead the model`,
    );
  }
  return { text, remarks };
}

function toReason(error: unknown): string {
  if (error instanceof ToolError) {
    // The tools' messages repeat the path, which this message already names.
    if (error.type === 'target_is_directory') return 'it is a directory';
    if (error.type === 'permission_denied') return 'permission denied';
    return error.message.replace(/\.$/, '');
  }
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'no such file';
    case 'ELOOP':
      return 'its symbolic links form a cycle';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    default:
      return getErrorMessage(error);
  }
}
