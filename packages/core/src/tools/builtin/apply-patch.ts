/** apply_patch: changes several files by one patch in the V4A format, all of them or none. For families that edit so. */

import type { DefinedTool } from '../../protocol/tools.ts';
import { patchedFiles } from '../../util/patch-files.ts';
import { defineTool } from '../define-tool.ts';
import type { FileStore } from '../files/file-store.ts';
import { createPatchChange } from '../files/patch-change.ts';

const DESCRIPTION = `Changes files by a patch; all of it is applied, or nothing. Format:
*** Begin Patch
*** Update File: path/of/file
@@ a line above the change, such as the head of its function
 unchanged line
-removed line
+added line
*** Add File: path/of/new
+each line of the file
*** Delete File: path/of/old
*** End Patch
Give three unchanged lines before and after a change, exactly as in the file; several changes of a file follow one another under its header, each after its own @@ line. Read a file before you change it.`;

const VERBS = { add: 'Add', update: 'Edit', delete: 'Delete' } as const;

export interface ApplyPatchDependencies {
  store: FileStore;
}

export function createApplyPatchTool({ store }: ApplyPatchDependencies): DefinedTool {
  const { workspace } = store;
  return defineTool({
    name: 'apply_patch',
    displayName: 'Patch',
    kind: 'edit',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: { patch: { type: 'string', minLength: 1, description: 'The whole patch.' } },
      required: ['patch'],
      additionalProperties: false,
    },
    describe: ({ patch }) =>
      patchedFiles(patch)
        .map(({ kind, path }) => `${VERBS[kind]} ${workspace.relative(path)}`)
        .join(', ') || 'An empty patch',
    locations: ({ patch }) => patchedFiles(patch).map(({ path }) => ({ path: workspace.resolve(path) })),
    ...createPatchChange(store),
  });
}
