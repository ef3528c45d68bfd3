/**
 * The lines of a recording: one JSON object each, in the order in which things happened. What begins and what ends are two lines, so that
 * the file shows which requests and calls ran at the same time. Types, and the parser that names what is wrong with a file.
 */

import type { ToolResult } from '../protocol/tools.ts';
import { isRecord } from '../util/is-record.ts';

export const RECORDING_FORMAT = 'castor-recording/1';

export interface StartLine {
  type: 'start';
  format: typeof RECORDING_FORMAT;
  castor: string;
  /** Milliseconds since the epoch; `at` of the other lines counts from here. */
  started: number;
  /** Where all random choices of the run come from. */
  seed: number;
  argv: string[];
  stdin: string;
  /** The name of the workspace's folder. */
  folder: string;
  /** The name of its folder for temporary files. */
  slug: string;
  isGitRepository: boolean;
  timezone: string;
  /** Without the values of secrets. */
  environment: Record<string, string>;
  /** Files of the workspace by name only. */
  names: string[];
}

/** The content of a file: text, or base64 where it is not UTF-8; neither for a file that is gone. */
export interface FileContent {
  path: string;
  text?: string;
  base64?: string;
}

/** A file that was there at the start. */
export interface FileLine extends FileContent {
  type: 'file';
  root: 'workspace' | 'home';
}

export interface RequestLine {
  type: 'request';
  id: number;
  at: number;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface ResponseLine {
  type: 'response';
  id: number;
  at: number;
  status?: number;
  statusText?: string;
  headers?: Record<string, string | string[]>;
  /** When each piece arrived, and its text. */
  chunks: [at: number, text: string][];
  /** How the request or its answer failed. */
  error?: { message: string; reason: string; code?: string };
  /** The run was interrupted before the answer ended. */
  isOpen?: true;
}

export interface CallLine {
  type: 'call';
  id: number;
  at: number;
  tool: string;
  args: Record<string, unknown>;
}

export interface ResultLine {
  type: 'result';
  id: number;
  at: number;
  result?: ToolResult;
  error?: { message: string; type?: string };
  /** What it printed while it ran. */
  output?: string;
  /** The files it changed; only of tools that a replay does not run. */
  changes?: FileContent[];
}

/** What stands for a secret in the other lines, and the variable that had it. */
export interface SecretLine {
  type: 'secret';
  standIn: string;
  variable?: string;
}

/** A wait that ended by itself. */
export interface SleepLine {
  type: 'sleep';
  ms: number;
}

export interface EndLine {
  type: 'end';
  at: number;
  exitCode: number;
  /** Everything that differs from the start. */
  changes: FileContent[];
}

export type RecordingLine =
  | StartLine
  | FileLine
  | RequestLine
  | ResponseLine
  | CallLine
  | ResultLine
  | SecretLine
  | SleepLine
  | EndLine;

const TYPES: ReadonlySet<unknown> = new Set<RecordingLine['type']>([
  ...(['start', 'file', 'request', 'response', 'call', 'result', 'secret', 'sleep', 'end'] as const),
]);

export interface Recording {
  start: StartLine;
  lines: RecordingLine[];
  /** Absent when the run was interrupted or died. */
  end: EndLine | undefined;
}

/** Throws an Error that names the file and the line. The cut last line of a run that died is left out. */
export function parseRecording(text: string, name: string): Recording {
  const rows = text.split('\n');
  const lines = rows.flatMap((row, index): RecordingLine[] => {
    if (row.trim() === '') return [];
    try {
      const value: unknown = JSON.parse(row);
      if (isRecord(value) && TYPES.has(value['type'])) return [value as unknown as RecordingLine];
    } catch (error) {
      if (index === rows.length - 1) return [];
      throw new Error(`${name}:${index + 1}: the line is not valid JSON (${(error as Error).message}).`, {
        cause: error,
      });
    }
    throw new Error(`${name}:${index + 1}: the line is not part of a recording.`);
  });
  const [start] = lines;
  if (start?.type !== 'start') throw new Error(`${name} is not a recording.`);
  const format: string = start.format;
  if (format !== RECORDING_FORMAT)
    throw new Error(`${name} has the format ${format}, and this version reads ${RECORDING_FORMAT}.`);
  return { start, lines, end: lines.findLast((line) => line.type === 'end') };
}

export function toContent(path: string, bytes: Buffer | undefined): FileContent {
  if (bytes === undefined) return { path };
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { path, text } : { path, base64: bytes.toString('base64') };
}

export function toBytes({ text, base64 }: FileContent): Buffer | undefined {
  if (text !== undefined) return Buffer.from(text);
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}
