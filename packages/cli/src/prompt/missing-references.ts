/** Tells which `@path`s match no file, by the same rules by which a prompt resolves them when it is sent. */

import type { FileReferences } from '@castor/core';
import { findReferences, fitToFile, isLikeAFile } from './at-references.ts';

/** `words` begin with `@`; those that are no files by their look are not judged. */
export async function isMissingReference(
  word: string,
  references: FileReferences,
  signal: AbortSignal,
): Promise<boolean> {
  const [found] = findReferences(word);
  // What a server offers is its own to find.
  if (!found || found.name.includes(':')) return false;
  const { name } = await fitToFile(word, found, references);
  return isLikeAFile(name) && (await references.resolve(name, signal)).kind === 'missing';
}
