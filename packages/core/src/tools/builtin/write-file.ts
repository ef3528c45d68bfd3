/** write_file: creates or replaces a file with its whole content. */

import os from 'node:os';
import type { DefinedTool } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';
import type { FileParams, PlannedChange } from '../files/file-change.ts';
import { openFileChange } from '../files/open-file-change.ts';
import type { FileStore } from '../files/file-store.ts';
import { findOmissionPlaceholder } from '../files/omission-placeholder.ts';
import { fromModelText, withLineEnding } from '../files/text-file.ts';
import type { TextFile } from '../files/text-file.ts';

const DESCRIPTION =
  'Writes the complete content of a file, creating it and its parent directories where needed. Pass the whole content; never replace parts with placeholders.';

interface Params extends FileParams {
  content: string;
}

export interface WriteFileDependencies {
  store: FileStore;
}

export function createWriteFileTool({ store }: WriteFileDependencies): DefinedTool {
  const { workspace } = store;
  const change = openFileChange<Params>({
    store,
    plan,
    edited: (params, _original, content) => ({ ...params, content }),
    title: (name) => `Confirm Write: ${name}`,
    report: (absolute, isNew) =>
      isNew ? `Successfully created and wrote to new file: ${absolute}.` : `Successfully overwrote file: ${absolute}.`,
  });
  return defineTool({
    name: 'write_file',
    displayName: 'WriteFile',
    kind: 'edit',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', minLength: 1, description: 'The path of the file to write.' },
        content: { type: 'string', description: 'The complete content of the file.' },
      },
      required: ['file_path', 'content'],
      additionalProperties: false,
    },
    validate: ({ content, modified_by_user }: Params) => {
      if (modified_by_user) return undefined;
      const placeholder = findOmissionPlaceholder(content);
      return placeholder && `content has a placeholder for omitted code: "${placeholder}". Write the complete content.`;
    },
    describe: ({ file_path }) => `Writing to ${workspace.relative(file_path)}`,
    locations: ({ file_path }) => [{ path: workspace.resolve(file_path) }],
    ...change,
  });
}

async function plan({ content }: Params, file: TextFile | undefined): Promise<PlannedChange> {
  const text = fromModelText(content);
  if (file !== undefined) return (await import('../files/file-change.ts')).planText(file, text);
  // A new file keeps the model's `\r\n` line ends; otherwise it gets those of the system.
  const written = content.includes('\r\n') ? content.toWellFormed() : withLineEnding(text, os.EOL as '\n' | '\r\n');
  return { bytes: Buffer.from(written), text };
}
