/** replace: replaces one text in a file with another, in the one intended place. */

import type { DefinedTool } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';
import type { FileStore } from '../files/file-store.ts';
import { openFileChange } from '../files/open-file-change.ts';
import { findOmissionPlaceholder } from '../files/omission-placeholder.ts';
import type { ReplaceParams } from '../files/plan-replacement.ts';

const DESCRIPTION =
  'Replaces text within a file. old_string must occur exactly once (every occurrence is replaced with allow_multiple); copy it from the file with at least three lines of context, indentation included, unescaped. An empty old_string creates a new file with new_string. Read the file first.';

export interface ReplaceDependencies {
  store: FileStore;
}

export function createReplaceTool({ store }: ReplaceDependencies): DefinedTool {
  const { workspace } = store;
  const change = openFileChange<ReplaceParams>({
    store,
    plan: async (params, file) => {
      const { planReplacement } = await import('../files/plan-replacement.ts');
      return planReplacement(params, file, workspace);
    },
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
    validate: ({ old_string, new_string, modified_by_user }: ReplaceParams) => {
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
