/** read_file: reads a file's text, completely or by lines, or its media. */

import { ToolError } from '../../protocol/errors.ts';
import type { DefinedTool } from '../../protocol/tools.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import { isMissing, readShown, readUnsaved } from '../files/file-store.ts';
import type { OpenedFile } from '../files/opened-file.ts';
import { fingerprint } from '../files/read-ledger.ts';
import type { ReadLedger } from '../files/read-ledger.ts';
import type { Workspace } from '../files/workspace.ts';

const DESCRIPTION =
  'Reads a file: text (by lines with start_line and end_line), images, PDF, audio and video. Long text is truncated, and the result says how to read the rest.';

export interface ReadFileDependencies {
  workspace: Workspace;
  ledger: ReadLedger;
}

export function createReadFileTool({ workspace, ledger }: ReadFileDependencies): DefinedTool {
  return defineTool({
    name: 'read_file',
    displayName: 'ReadFile',
    kind: 'read',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', minLength: 1, description: 'The path of the file to read.' },
        start_line: { type: 'integer', minimum: 1, description: 'The first line to read, from 1.' },
        end_line: { type: 'integer', minimum: 1, description: 'The last line to read, inclusive.' },
      },
      required: ['file_path'],
      additionalProperties: false,
    },
    validate: ({ file_path, start_line, end_line }) => {
      if (file_path.trim() === '') return "The 'file_path' parameter must be non-empty.";
      if (start_line !== undefined && end_line !== undefined && start_line > end_line) {
        return 'start_line cannot be greater than end_line.';
      }
      return undefined;
    },
    describe: ({ file_path }) => workspace.relative(file_path),
    locations: ({ file_path, start_line }) => [
      { path: workspace.resolve(file_path), ...(start_line !== undefined && { line: start_line }) },
    ],
    async execute(params, { signal }) {
      const named = workspace.resolve(params.file_path);
      workspace.ignore.refresh();
      refuseIgnored(workspace, named, params.file_path);
      const { path, bytes } = await readNow(workspace, params.file_path, named, signal);
      throwIfAborted(signal);
      const { describeContent } = await import('../files/describe-content.ts');
      const result = describeContent(params, bytes, workspace.relative(params.file_path), path);
      ledger.record(path, fingerprint(bytes));
      return { ...result, data: { path, bytes: bytes.length, ...result.data } };
    },
  });
}

/** The file on disk with the unsaved text of an editor, or a file that only the editor has. */
async function readNow(
  workspace: Workspace,
  given: string,
  named: string,
  signal: AbortSignal,
): Promise<{ path: string; bytes: Buffer }> {
  let file: OpenedFile;
  try {
    file = await workspace.openForReading(given);
  } catch (error) {
    const path = isMissing(error) ? await workspace.checkPath(given) : undefined;
    const bytes = path === undefined ? undefined : await readUnsaved(workspace, path);
    if (path === undefined || !bytes) throw error;
    return { path, bytes };
  }
  try {
    // Check both the name and its target, so that a link cannot bypass the ignore rules.
    if (file.path !== named) refuseIgnored(workspace, file.path, given);
    throwIfAborted(signal);
    return { path: file.path, bytes: await readShown(workspace, file, file.path) };
  } finally {
    file.close();
  }
}

function refuseIgnored(workspace: Workspace, absolute: string, given: string): void {
  if (!workspace.ignore.isIgnored(absolute, 'file')) return;
  throw new ToolError(`File path '${given}' is ignored by configured ignore patterns.`, 'invalid_tool_params');
}
