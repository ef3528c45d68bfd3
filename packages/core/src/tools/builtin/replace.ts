/** replace: replaces one text in a file with another, in the one intended place. */

import { ToolError } from '../../protocol/errors.ts';
import type { DefinedTool } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';
import type { EditPlacement } from '../edit/place-edit.ts';
import { createFileChange, planSplices, planText } from '../files/file-change.ts';
import type { FileParams, PlannedChange } from '../files/file-change.ts';
import type { FileStore } from '../files/file-store.ts';
import { findOmissionPlaceholder } from '../files/omission-placeholder.ts';
import { findBySuffix } from '../files/suffix-search.ts';
import { applyToText, fromModelText, toVisibleText } from '../files/text-file.ts';
import type { Splice, TextFile } from '../files/text-file.ts';
import type { Workspace } from '../files/workspace.ts';

const DESCRIPTION =
  'Replaces text within a file. old_string must occur exactly once (every occurrence is replaced with allow_multiple); copy it from the file with at least three lines of context, indentation included, unescaped. An empty old_string creates a new file with new_string. Read the file first.';

interface Params extends FileParams {
  instruction: string;
  old_string: string;
  new_string: string;
  allow_multiple?: boolean;
}

export interface ReplaceDependencies {
  store: FileStore;
}

/** The user's edit replaces the whole file. */
const WHOLE_FILE = { replacements: 1, strategy: 'exact', lines: [1] };
const MAX_LINES_NAMED = 10;
const MAX_NEAREST_LINES = 30;
const MAX_NEAREST_LINE_CHARACTERS = 300;

export function createReplaceTool({ store }: ReplaceDependencies): DefinedTool {
  const { workspace } = store;
  const change = createFileChange<Params>({
    store,
    plan: (params, file) => plan(params, file, workspace),
    edited: (params, old_string, new_string) => ({ ...params, old_string, new_string }),
    title: (name) => `Confirm Edit: ${name}`,
    report: (absolute, isNew, { replacements, strategy, lines }) => {
      if (isNew) return `Created new file: ${absolute} with provided content.`;
      const fuzzy = strategy === 'fuzzy' ? ` Applied fuzzy match at line(s) ${(lines as number[]).join(', ')}.` : '';
      return `Successfully modified file: ${absolute} (${String(replacements)} replacements).${fuzzy}`;
    },
  });
  return defineTool({
    name: 'replace',
    displayName: 'Edit',
    kind: 'edit',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', minLength: 1, description: 'The path of the file to change.' },
        instruction: { type: 'string', description: 'The purpose of the change, in one sentence.' },
        old_string: { type: 'string', description: 'The exact text to replace, unescaped.' },
        new_string: { type: 'string', description: 'The exact replacement text, unescaped.' },
        allow_multiple: { type: 'boolean', description: 'Replace every occurrence. Default false.' },
      },
      required: ['file_path', 'instruction', 'old_string', 'new_string'],
      additionalProperties: false,
    },
    validate: ({ old_string, new_string, modified_by_user }: Params) => {
      if (modified_by_user) return undefined;
      const placeholder = findOmissionPlaceholder(new_string, old_string);
      return placeholder && `new_string has a placeholder for omitted code: "${placeholder}". Write the exact text.`;
    },
    describe: ({ file_path, old_string }) =>
      `${old_string === '' ? 'Create' : 'Edit'} ${workspace.relative(file_path)}`,
    locations: ({ file_path }) => [{ path: workspace.resolve(file_path) }],
    ...change,
  });
}

async function plan(params: Params, file: TextFile | undefined, workspace: Workspace): Promise<PlannedChange> {
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
  const { placeEdit } = await import('../edit/place-edit.ts');
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
