/** read_file: reads a file's text, completely or by lines, or its media. */

import { ToolError } from '../../protocol/errors.ts';
import type { DefinedTool, ToolResult } from '../../protocol/tools.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import { readBounded } from '../files/file-store.ts';
import { detectMediaType } from '../files/media-type.ts';
import { fingerprint } from '../files/read-ledger.ts';
import type { ReadLedger } from '../files/read-ledger.ts';
import { decodeText, toVisibleText } from '../files/text-file.ts';
import type { Workspace } from '../files/workspace.ts';

const DESCRIPTION =
  'Reads a file: text (by lines with start_line and end_line), images, PDF, audio and video. Long text is truncated, and the result says how to read the rest.';

interface Params {
  file_path: string;
  start_line?: number;
  end_line?: number;
}

export interface ReadFileDependencies {
  workspace: Workspace;
  ledger: ReadLedger;
}

const MAX_LINES = 2000;
const MAX_LINE_CHARACTERS = 2000;
const MAX_SVG_BYTES = 1024 * 1024;
/** Base64 turns three bytes into four, and one tool may add at most 5 MB to a request. */
const MAX_MEDIA_BYTES = 3.5 * 1024 * 1024;

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
      const file = await workspace.openForReading(params.file_path);
      const { path } = file;
      let bytes: Buffer;
      try {
        // Check both the name and its target, so that a link cannot bypass the ignore rules.
        if (path !== named) refuseIgnored(workspace, path, params.file_path);
        throwIfAborted(signal);
        bytes = await readBounded(file, path);
      } finally {
        file.close();
      }
      throwIfAborted(signal);
      const result = describe(params, bytes, workspace.relative(params.file_path), path);
      ledger.record(path, fingerprint(bytes));
      return { ...result, data: { path, bytes: bytes.length, ...result.data } };
    },
  });
}

function refuseIgnored(workspace: Workspace, absolute: string, given: string): void {
  if (!workspace.ignore.isIgnored(absolute, 'file')) return;
  throw new ToolError(`File path '${given}' is ignored by configured ignore patterns.`, 'invalid_tool_params');
}

function describe(params: Params, bytes: Buffer, name: string, path: string): ToolResult {
  const type = detectMediaType(path, bytes);
  switch (type.kind) {
    case 'text':
      return describeText(params, bytes, name);
    case 'svg':
      if (bytes.length > MAX_SVG_BYTES) {
        const message = `Cannot display content of SVG file larger than 1MB: ${name}`;
        return { llmContent: message, returnDisplay: `Skipped large SVG file (>1MB): ${name}` };
      }
      return describeText(params, bytes, name);
    case 'binary':
      return {
        llmContent: `Cannot display content of binary file: ${name}`,
        returnDisplay: `Skipped binary file: ${name}`,
      };
    case 'image':
    case 'pdf':
    case 'audio':
    case 'video':
      refuseLargeMedia(bytes, name);
      return {
        llmContent: { inlineData: { data: bytes.toString('base64'), mimeType: type.mimeType } },
        returnDisplay: `Read ${type.kind} file: ${name}`,
      };
  }
}

function refuseLargeMedia(bytes: Buffer, name: string): void {
  if (bytes.length <= MAX_MEDIA_BYTES) return;
  const megabytes = (bytes.length / (1024 * 1024)).toFixed(2);
  throw new ToolError(
    `File too large to send: ${name} has ${megabytes} MB, and the limit for images, PDF, audio and video is 3.5 MB. Make a smaller copy first.`,
    'file_too_large',
  );
}

function describeText({ start_line, end_line }: Params, bytes: Buffer, name: string): ToolResult {
  const text = toVisibleText(decodeText(bytes).text);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const total = lines.length;
  const from = (start_line ?? 1) - 1;
  if (from > 0 && from >= total) {
    throw new ToolError(
      `start_line ${from + 1} is beyond the end of ${name}, which has ${total} lines.`,
      'invalid_tool_params',
    );
  }
  const to = Math.min(total, end_line ?? from + MAX_LINES);
  const isWhole = from === 0 && to === total;
  const shown = lines.slice(from, to);
  const shortened = shown.map(shortenLine);
  const areShortened = shortened.some((line, index) => line !== shown[index]);
  if (isWhole && !areShortened) return { llmContent: text, returnDisplay: '', data: { totalLines: total } };
  return {
    llmContent: `${describeCut(from + 1, to, total)}${shortened.join('\n')}${to < total || text.endsWith('\n') ? '\n' : ''}`,
    returnDisplay: isWhole
      ? `Read all ${total} lines from ${name} (some lines were shortened)`
      : `Read lines ${from + 1}-${to} of ${total} from ${name}${areShortened ? ' (some lines were shortened)' : ''}`,
    data: { totalLines: total, firstLine: from + 1, lastLine: to },
  };
}

function describeCut(first: number, last: number, total: number): string {
  const action =
    last < total
      ? `Action: To continue reading, call read_file again with start_line: ${last + 1} (and end_line, if you need only a part).\n`
      : '';
  return `IMPORTANT: The file content has been truncated.\nStatus: Showing lines ${first}-${last} of ${total} total lines.\n${action}\n--- FILE CONTENT (truncated) ---\n`;
}

function shortenLine(line: string): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  return `${line.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}... [truncated]`;
}
