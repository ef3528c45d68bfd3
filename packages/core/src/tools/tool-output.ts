/**
 * Prepares a result for the model: bounds the text, keeps the whole text in a file, and
 * converts it to a functionResponse. Every cut is stated in the text. If the file cannot
 * be written, only the copy is lost, never the call.
 */

import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Blob, Part, PartListUnion } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { OutputTruncation } from '../protocol/tool-calls.ts';
import { TextPieces } from './files/text-pieces.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { toParts } from '../util/part-list.ts';

export const DEFAULT_OUTPUT_THRESHOLD = 40_000;

/** For tools that limit their own output; the most one of them may add to a request. */
const HARD_LIMIT = 800_000;
/** The share of a window that one result may fill. */
const WINDOW_SHARE = 0.1;
/** Windows of this size hold any result within the other limits. */
const LARGE_WINDOW = 1_000_000;
/** A shorter result would be useless; the compressor handles a full context. */
const MINIMUM_THRESHOLD = 1_000;
const CHARACTERS_PER_TOKEN = 4;
const HEAD_SHARE = 0.2;
const MAX_FILE_NAMES = 20;
/** Characters written to a file at once. */
const PIECE = 64 * 1024;
const MAX_BYTES_PER_CHARACTER = 3;

export interface OutputRoom {
  configured?: number;
  /** The model's window in tokens. */
  window?: number;
  remainingTokens?: number;
}

/** The maximum characters of a result: the configured number, or less in a small window or when it is nearly full. */
export function outputThreshold(options: OutputRoom = {}): number {
  const configured = Math.min(options.configured ?? DEFAULT_OUTPUT_THRESHOLD, shareOf(options.window));
  const remaining = (options.remainingTokens ?? Infinity) * CHARACTERS_PER_TOKEN;
  return Math.max(Math.min(configured, remaining), Math.min(configured, MINIMUM_THRESHOLD));
}

/** The maximum characters of a result of a tool that limits its own output. */
export function hardOutputLimit(window: number): number {
  return Math.max(Math.min(HARD_LIMIT, shareOf(window)), MINIMUM_THRESHOLD);
}

function shareOf(window = Infinity): number {
  return window >= LARGE_WINDOW ? Infinity : Math.floor(window * WINDOW_SHARE * CHARACTERS_PER_TOKEN);
}

export interface OutputBounds {
  /** From `outputThreshold`. */
  threshold: number;
  /** From `hardOutputLimit`. */
  hardLimit?: number;
  /** The project's temporary folder; read when a text is saved. */
  readonly tempDirectory: string;
  sessionId: string;
}

export interface OutputOf {
  toolName: string;
  callId: string;
  /** Whether the tool belongs to an MCP server. */
  isMcp?: boolean;
}

export interface BoundedOutput {
  content: PartListUnion;
  /** The file with the whole text, when the content was shortened. */
  outputFile?: string;
  truncation?: OutputTruncation;
}

/** Shortens text over the limit to its head and tail and saves the whole in a file. Media stays unchanged. */
export async function boundOutput(content: PartListUnion, of: OutputOf, bounds: OutputBounds): Promise<BoundedOutput> {
  const limit = of.toolName === 'run_shell_command' || of.isMcp ? bounds.threshold : (bounds.hardLimit ?? HARD_LIMIT);
  const parts = toParts(content);
  const text = TextPieces.ofLines(textsOf(parts));
  if (text.length <= limit) return { content };
  const saved = await saveOutput(text, of, bounds);
  const shortened = shorten(text, limit, saved);
  const others = parts.filter((part) => part.text === undefined);
  return {
    content: others.length === 0 ? shortened : [{ text: shortened }, ...others],
    ...('path' in saved && { outputFile: saved.path }),
    truncation: { originalLength: text.length, shownLength: shortened.length, threshold: limit },
  };
}

export type Saved = { path: string } | { problem: string };

function shorten(text: TextPieces, limit: number, saved: Saved): string {
  const head = cutAt(text, Math.floor(limit * HEAD_SHARE));
  const tailStart = cutAt(text, text.length - (limit - head));
  const where =
    'path' in saved ? `For full output see: ${saved.path}` : `The full output could not be saved: ${saved.problem}`;
  return [
    `Output too large. Showing first ${head} and last ${text.length - tailStart} characters. ${where}`,
    `${text.slice(0, head)}\n`,
    `... [${tailStart - head} characters omitted] ...\n`,
    text.slice(tailStart),
  ].join('\n');
}

/** The index, or the one before it when it would split a character. */
function cutAt(text: Pick<string, 'charCodeAt'>, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/** Saves a text in a file of the session. Never throws. */
export async function saveOutput(
  text: Iterable<string>,
  of: OutputOf,
  bounds: Omit<OutputBounds, 'threshold'>,
): Promise<Saved> {
  try {
    const directory = join(bounds.tempDirectory, 'tool-outputs', `session-${toFileName(bounds.sessionId)}`);
    makeDirectory(directory);
    const path = await writeNewFile(directory, outputFileName(of), text);
    return { path };
  } catch (error) {
    return { problem: getErrorMessage(error) };
  }
}

/** Never follows a link and never overwrites a file: the folder may be shared. */
async function writeNewFile(directory: string, name: string, text: Iterable<string>): Promise<string> {
  for (let count = 1; ; count++) {
    const path = join(directory, count === 1 ? `${name}.txt` : `${name}_${count}.txt`);
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        await writePieces(file, text);
      } finally {
        await file.close();
      }
      return path;
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EEXIST';
      if (!taken || count === MAX_FILE_NAMES) throw error;
    }
  }
}

/** Writes through one small buffer: encoding a long text at once would double the memory. */
async function writePieces(file: FileHandle, texts: Iterable<string>): Promise<void> {
  const bytes = Buffer.allocUnsafeSlow(PIECE * MAX_BYTES_PER_CHARACTER);
  for (const text of texts) {
    for (let start = 0; start < text.length;) {
      const end = cutAt(text, start + PIECE);
      await file.writeFile(bytes.subarray(0, bytes.write(text.slice(start, end))));
      start = end;
    }
  }
}

function outputFileName({ toolName, callId }: OutputOf): string {
  const tool = toFileName(toolName);
  const id = toFileName(callId);
  return (id.startsWith(tool) ? id : `${tool}_${id}`).slice(0, 200);
}

function toFileName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_-]/g, '_');
}

/** Marks text from outside as untrusted, so that the model does not treat it as instructions. */
export function wrapUntrusted(text: string): string {
  const escaped = text.replace(/<(?=\s{0,9}\/\s{0,9}untrusted_context\b)/gi, '&lt;');
  return `<untrusted_context>\n${escaped}\n</untrusted_context>`;
}

export interface ResponseOf {
  callId: string;
  /** The tool name the model called. */
  toolName: string;
  /** Whether the model reads pictures and documents inside a response; otherwise they are sent next to it. */
  mediaInResponses: boolean;
}

export interface ConvertedResponse {
  /** The functionResponse first, then the parts sent next to it. */
  responseParts: Part[];
  /** Audio and video, which a response cannot contain; to be sent as separate user content. */
  injectedParts: Part[];
}

/** Converts a tool's result to the service's format. */
export function toFunctionResponse(of: ResponseOf, content: PartListUnion): ConvertedResponse {
  const parts = toParts(content);
  const [only] = parts;
  if (parts.length === 1 && only?.functionResponse)
    return { responseParts: [passThrough(of, only)], injectedParts: [] };

  const injectedParts = parts.filter(({ inlineData }) => isPlayed(inlineData));
  const inline = parts.filter(({ inlineData }) => inlineData && !isPlayed(inlineData));
  const files = parts.filter(({ fileData }) => fileData);
  const nested = of.mediaInResponses && inline.length > 0;
  const binaries = inline.length + files.length + injectedParts.length;
  const output = joinTexts(parts) ?? (binaries > 0 ? `Binary content provided (${binaries} item(s)).` : '');
  const response: Part = {
    functionResponse: {
      id: of.callId,
      name: of.toolName,
      response: { output: output.toWellFormed() },
      ...(nested && { parts: inline.flatMap(({ inlineData }) => (inlineData ? [{ inlineData }] : [])) }),
    },
  };
  return { responseParts: [response, ...(nested ? [] : inline), ...files], injectedParts };
}

export function toErrorResponse(of: Pick<ResponseOf, 'callId' | 'toolName'>, message: string): Part[] {
  const response = { error: message.toWellFormed() };
  return [{ functionResponse: { id: of.callId, name: of.toolName, response } }];
}

/** Overwrites the id and name with those of the call, so that response and call always match. */
function passThrough(of: ResponseOf, part: Part): Part {
  const { response } = part.functionResponse ?? {};
  return {
    functionResponse: { ...part.functionResponse, id: of.callId, name: of.toolName, response: response ?? {} },
  };
}

function isPlayed(blob: Blob | undefined): boolean {
  return /^(audio|video)\//.test(blob?.mimeType ?? '');
}

function joinTexts(parts: readonly Part[]): string | undefined {
  const texts = textsOf(parts);
  return texts.length === 0 ? undefined : texts.join('\n');
}

function textsOf(parts: readonly Part[]): string[] {
  return parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
}
