/** Plans the edit of a replace call: the one intended place, or why there is none. Loaded by the first edit. */

import { ToolError } from '../../protocol/errors.ts';
import { placeEdit } from '../edit/place-edit.ts';
import type { EditPlacement } from '../edit/edit-placement.ts';
import { planSplices, planText } from './file-change.ts';
import type { FileParams, PlannedChange } from './file-change.ts';
import { findBySuffix } from './suffix-search.ts';
import { applyToText, fromModelText, toVisibleText } from './text-file.ts';
import type { Splice, TextFile } from './text-file.ts';
import type { Workspace } from './workspace.ts';

export interface ReplaceParams extends FileParams {
  instruction: string;
  old_string: string;
  new_string: string;
  allow_multiple?: boolean;
}

/** The user's edit replaces the whole file. */
const WHOLE_FILE = { replacements: 1, strategy: 'exact', lines: [1] };
const MAX_LINES_NAMED = 10;
const MAX_NEAREST_LINES = 30;
const MAX_NEAREST_LINE_CHARACTERS = 300;

export async function planReplacement(
  params: ReplaceParams,
  file: TextFile | undefined,
  workspace: Workspace,
): Promise<PlannedChange> {
  const absolute = workspace.resolve(params.file_path);
  const old = fromModelText(params.old_string);
  const replacement = fromModelText(params.new_string);
  if (params.modified_by_user) return { ...(await planText(file, replacement)), data: WHOLE_FILE };
  if (old === '') return planNew(replacement, file, absolute);
  if (file === undefined) {
    const similar = await findBySuffix(workspace, params.file_path);
    const hint = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
    throw new ToolError(
      `File not found: ${absolute}.${hint} Use an empty old_string to create a new file.`,
      'file_not_found',
    );
  }
  if (old === replacement) {
    throw new ToolError('No changes to apply: old_string and new_string are identical.', 'edit_no_change');
  }
  const allowMultiple = params.allow_multiple ?? false;
  const placement = placeEdit(file.text, { old, replacement, allowMultiple });
  if (placement.kind !== 'placed') throw describeFailure(placement, file, absolute, replacement);
  const splices = keepFinalNewline(file.text, placement.splices);
  const planned = planSplices(file, splices);
  if (planned.text === file.text) {
    throw new ToolError(
      `No changes to apply: ${absolute} already has the new content there (line ${placement.lines[0]}).`,
      'edit_no_change',
    );
  }
  const { occurrences, strategy, lines } = placement;
  return { ...planned, data: { replacements: occurrences, strategy, lines } };
}

function planNew(content: string, file: TextFile | undefined, absolute: string): PlannedChange {
  if (file !== undefined) {
    throw new ToolError(
      `File already exists, cannot create: ${absolute}. Put the text to replace into old_string.`,
      'attempt_to_create_existing_file',
    );
  }
  return { bytes: Buffer.from(content), text: content, data: { replacements: 1, strategy: 'exact', lines: [1] } };
}

/** Keeps the file's final line end, which a model may drop or add by accident. */
function keepFinalNewline(text: string, splices: Splice[]): Splice[] {
  const last = splices.at(-1);
  if (last === undefined || last.end !== text.length) return splices;
  const after = applyToText(text, splices);
  if (after === '' || text === '' || after.endsWith('\n') === text.endsWith('\n')) return splices;
  const replacement = text.endsWith('\n') ? `${last.replacement}\n` : last.replacement.replace(/\n$/, '');
  return [...splices.slice(0, -1), { ...last, replacement }];
}

function describeFailure(
  placement: Exclude<EditPlacement, { kind: 'placed' }>,
  file: TextFile,
  absolute: string,
  replacement: string,
): ToolError {
  if (placement.kind === 'ambiguous') {
    const named = placement.lines.slice(0, MAX_LINES_NAMED).join(', ');
    const more = placement.lines.length > MAX_LINES_NAMED ? ', …' : '';
    return new ToolError(
      `Failed to edit: expected 1 occurrence of old_string in ${absolute} but found ${placement.occurrences} (at lines ${named}${more}). Nothing was written. Add surrounding lines to old_string so that it is unique, or set allow_multiple to change all of them.`,
      'edit_expected_occurrence_mismatch',
    );
  }
  const isDone = replacement.trim() !== '' && file.text.includes(replacement);
  const done = isDone ? ' The file already contains new_string: the edit may already be applied.' : '';
  return new ToolError(
    `Failed to edit: 0 occurrences of old_string found in ${absolute}. Nothing was written.${done}${describeNearest(placement, file)} Read the file with read_file and copy old_string from it exactly.`,
    'edit_no_occurrence_found',
  );
}

function describeNearest({ nearest }: { nearest?: { firstLine: number; lastLine: number } }, file: TextFile): string {
  if (nearest === undefined) return '';
  const lines = toVisibleText(file.text)
    .split('\n')
    .slice(nearest.firstLine - 1, nearest.lastLine);
  const shown = lines
    .slice(0, MAX_NEAREST_LINES)
    .map((line) => line.slice(0, MAX_NEAREST_LINE_CHARACTERS).toWellFormed())
    .join('\n');
  return ` The closest text is at lines ${nearest.firstLine}-${nearest.lastLine}:\n${shown}\n`;
}
