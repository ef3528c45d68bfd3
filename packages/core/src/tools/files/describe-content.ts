/** Turns the bytes of a read file into a result: text, completely or by lines, or media. Loaded by the first read. */

import { ToolError } from '../../protocol/errors.ts';
import type { ToolResult } from '../../protocol/tools.ts';
import { detectMediaType } from './media-type.ts';
import { decodeText, toVisibleText } from './text-file.ts';

export interface LineRange {
  start_line?: number;
  end_line?: number;
}

const MAX_LINES = 2000;
const MAX_LINE_CHARACTERS = 2000;
const MAX_SVG_BYTES = 1024 * 1024;
/** Base64 turns three bytes into four, and one tool may add at most 5 MB to a request. */
const MAX_MEDIA_BYTES = 3.5 * 1024 * 1024;

/** `name` is shown; `path` decides the type together with the bytes. */
export function describeContent(params: LineRange, bytes: Buffer, name: string, path: string): ToolResult {
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

function describeText({ start_line, end_line }: LineRange, bytes: Buffer, name: string): ToolResult {
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
