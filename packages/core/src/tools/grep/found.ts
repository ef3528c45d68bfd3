/**
 * Defines found lines and formats the result of a search: one shape and one writer for
 * ripgrep and for the scan without it, so that the model cannot tell which ran.
 */

import type { ToolResult } from '../../protocol/tools.ts';
import type { Workspace } from '../files/workspace.ts';

export interface FoundLine {
  number: number;
  text: string;
  /** Whether it is a context line, not a match. */
  isContext: boolean;
}

export interface FoundFile {
  /** Relative to the searched place. */
  name: string;
  /** In file order. */
  lines: FoundLine[];
}

export interface Found {
  files: FoundFile[];
  /** The number of matching lines; with names only, of files. */
  matches: number;
  /** Whether the search stopped at a limit. */
  isLimited: boolean;
}

export interface GrepRequest {
  pattern: string;
  /** The place as the caller named it. */
  place: string;
  include?: string | undefined;
  namesOnly: boolean;
  limit: number;
}

const MAX_LINE_CHARACTERS = 2_000;
const MAX_CONTEXT_FILE_BYTES = 20 * 1024 * 1024;

export function cutLine(text: string): string {
  const line = text.replace(/\r?\n?$/, '');
  return line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}... [truncated]` : line;
}

export function toGrepResult(request: GrepRequest, found: Found): ToolResult {
  const { pattern, place, include, limit } = request;
  const filter = include === undefined ? '' : ` (filter: "${include}")`;
  const subject = `for pattern "${pattern}" in path "${place}"${filter}`;
  if (found.matches === 0) return { llmContent: `No matches found ${subject}.`, returnDisplay: 'No matches found' };
  const limited = found.isLimited ? ` (results limited to ${limit} matches for performance)` : '';
  const files = found.files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = files.map(({ name }) => name);
  const summaryNote = found.isLimited ? ' (limited)' : '';
  if (request.namesOnly) {
    return {
      llmContent: `Found ${files.length} files with matches ${subject}${limited}:\n${names.join('\n')}`,
      returnDisplay: { summary: `Found ${files.length} file(s)${summaryNote}`, files: names },
    };
  }
  const count = `${found.matches} ${found.matches === 1 ? 'match' : 'matches'}`;
  return {
    llmContent: `Found ${count} ${subject}${limited}:\n---\n${files.map(writeFile).join('\n---\n')}\n---`,
    returnDisplay: { summary: `Found ${count}${summaryNote}`, files: names },
  };
}

function writeFile({ name, lines }: FoundFile): string {
  const written = lines.map(({ number, text, isContext }) => `L${number}${isContext ? '-' : ':'} ${text}`);
  return [`File: ${name}`, ...written].join('\n');
}

/** Adds context to a search with few matches: it saves the model a read. */
export async function addContext(
  workspace: Workspace,
  found: Found,
  pathOf: (file: FoundFile) => string,
): Promise<Found> {
  const around = found.matches === 1 ? 50 : 15;
  const files = await Promise.all(found.files.map((file) => widen(workspace, file, pathOf(file), around)));
  return { ...found, files };
}

async function widen(workspace: Workspace, file: FoundFile, path: string, around: number): Promise<FoundFile> {
  const lines = await readLines(workspace, path);
  if (lines === undefined) return file;
  const matched = new Map(file.lines.map((line) => [line.number, line]));
  const wanted = new Set<number>();
  for (const { number } of file.lines) {
    const last = Math.min(lines.length, number + around);
    for (let each = Math.max(1, number - around); each <= last; each++) wanted.add(each);
  }
  const widened = [...wanted]
    .sort((a, b) => a - b)
    .map((number) => matched.get(number) ?? { number, text: cutLine(lines[number - 1] ?? ''), isContext: true });
  return { name: file.name, lines: widened };
}

/** Undefined when the file is gone, too large or not text: the matches then have no context. */
async function readLines(workspace: Workspace, path: string): Promise<string[] | undefined> {
  try {
    const file = await workspace.openForReading(path);
    try {
      const bytes = await file.readUpTo(MAX_CONTEXT_FILE_BYTES);
      return bytes && splitLines(decodeText(bytes) ?? '');
    } finally {
      file.close();
    }
  } catch {
    return undefined;
  }
}

/** Lines without their ends; a final newline starts no line. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, as ripgrep does; undefined for anything else. */
export function decodeText(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes.includes(0) ? undefined : new TextDecoder('utf-8').decode(bytes);
}
