/**
 * Restores both versions of an edited file for a surface that shows them: from the recorded diff and the copy of the
 * file that was made before the edit. Where no copy fits, the versions are the parts that the diff shows.
 */

import type { FileDiff } from '../protocol/tools.ts';
import { applyDiff, sidesOfDiff } from '../tools/files/reverse-diff.ts';
import { realText } from '../tools/files/text-file.ts';
import { readPreImage } from './pre-images.ts';
import type { FileChange } from './session-file.ts';

type Recorded = Omit<FileDiff, 'originalContent' | 'newContent'>;

export interface EditedFile {
  (diff: Recorded, change: FileChange | undefined): FileDiff;
}

/** Whole files of one session: further edits are shown by their diffs, so that a long session does not fill the memory. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** `chats`: the folder of the session's file. */
export function createEditedFile(chats: string): EditedFile {
  let left = MAX_CHARACTERS;
  return (diff, change) => {
    const original = diff.isNewFile ? '' : originalOf(chats, change);
    const after = original === undefined ? undefined : applyDiff(original, diff.fileDiff);
    if (original === undefined || after === undefined || original.length + after.length > left) return partsOf(diff);
    left -= original.length + after.length;
    return { ...diff, originalContent: diff.isNewFile ? null : original, newContent: after };
  };
}

/** Both versions as far as the diff shows them. */
export function partsOf(diff: Recorded): FileDiff {
  const { before, after } = sidesOfDiff(diff.fileDiff);
  return { ...diff, originalContent: diff.isNewFile ? null : before, newContent: after };
}

function originalOf(chats: string, change: FileChange | undefined): string | undefined {
  const bytes = change?.preImage === undefined ? undefined : readPreImage(chats, change.preImage);
  return bytes && realText(bytes);
}
