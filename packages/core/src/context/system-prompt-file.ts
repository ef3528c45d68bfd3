/**
 * Reads a user's replacement for the system prompt, and writes out the built-in one as a
 * starting point. GEMINI_SYSTEM_MD and GEMINI_WRITE_SYSTEM_MD name the file; the caller reads
 * the variables.
 */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import { makeDirectory } from '../util/make-directory.ts';

/** A requested file that cannot be used. */
export class SystemPromptError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SystemPromptError';
  }
}

const MAX_BYTES = 1024 * 1024;

/** `true`/`1` → the project's `.gemini/system.md`; a path → that file; empty, `false` or `0` → none. */
export function resolveSystemPromptFile(
  value: string | undefined,
  { root, home }: { root: string; home: string },
): string | undefined {
  const meant = value?.trim() ?? '';
  if (meant === '' || /^(?:false|0)$/i.test(meant)) return undefined;
  if (/^(?:true|1)$/i.test(meant)) return path.join(root, '.gemini', 'system.md');
  if (meant === '~' || meant.startsWith('~/')) return path.join(home, meant.slice(1));
  return path.resolve(root, meant);
}

/** Throws SystemPromptError when the file is missing or empty. */
export function readSystemPrompt(file: string): string {
  try {
    const stat = statSync(file);
    if (!stat.isFile())
      throw new SystemPromptError(
        `The system prompt ${file} is not a regular file. Name a text file in GEMINI_SYSTEM_MD, or unset it.`,
      );
    if (stat.size > MAX_BYTES)
      throw new SystemPromptError(
        `The system prompt ${file} is larger than 1 MiB. Name a shorter file in GEMINI_SYSTEM_MD.`,
      );
    const text = readFileSync(file, 'utf8')
      .toWellFormed()
      .replace(/^\uFEFF/, '');
    if (text.trim() === '')
      throw new SystemPromptError(`The system prompt ${file} is empty. Fill it, or unset GEMINI_SYSTEM_MD.`);
    return text;
  } catch (error) {
    if (error instanceof SystemPromptError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'no such file' : getErrorMessage(error);
    throw new SystemPromptError(
      `The system prompt ${file} is invalid: ${reason}. Create it, or unset GEMINI_SYSTEM_MD.`,
      { cause: error },
    );
  }
}

/** Throws SystemPromptError when it cannot be written. */
export function writeSystemPrompt(file: string, text: string): void {
  try {
    makeDirectory(path.dirname(file), 0o777);
    writeFileSync(file, text);
  } catch (error) {
    throw new SystemPromptError(`The system prompt could not be written to ${file}: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}
