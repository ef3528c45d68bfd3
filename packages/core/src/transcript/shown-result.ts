/** The result of a call as a transcript and a session's file keep it. Pure. */

import type { FileDiff, ToolResultDisplay } from '../protocol/tools.ts';
import type { ShownDiff, ShownResult } from './transcript.ts';

/** Without the texts of files: the diffs of an edit imply them. */
export function toShownResult(display: ToolResultDisplay): ShownResult {
  if (typeof display === 'string' || 'todos' in display) return display;
  if ('fileDiff' in display) return toShownDiff(display);
  const { diffs, ...rest } = display;
  return { ...rest, ...(diffs && { diffs: diffs.map(toShownDiff) }) };
}

function toShownDiff({ originalContent: _before, newContent: _after, ...diff }: FileDiff): ShownDiff {
  return diff;
}
