/**
 * Runs a search with ripgrep: its arguments, its process, and its streamed JSON events. It
 * keeps only what will be shown, and ends ripgrep as soon as it has enough. ripgrep gets
 * no configuration, environment or input of the user.
 */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../../protocol/errors.ts';
import { createCollector } from './collector.ts';
import type { Collector } from './collector.ts';
import type { Found } from './found.ts';
import type { GrepSearch } from './search.ts';
import { runChild } from '../run-child.ts';
import type { HeldPlace } from '../files/search-scope.ts';

/** Of a longer JSON event only the beginning and the line number are read. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;
const EVENT_HEAD_BYTES = 16_384;
const LINE_NUMBER = '},"line_number":';

/** Most searches finish sooner. */
const GUARD_AFTER_MS = 500;

/** The path of the packaged binary; undefined when there is none for this platform. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    await access(rgPath);
    return rgPath;
  } catch {
    // Unsupported platform, or not installed: the scan without ripgrep is used.
    return undefined;
  }
}

/** Throws ToolError of type grep_execution_error for a pattern ripgrep rejects and for a search that takes too long. */
export async function searchWithRipgrep(command: string, search: GrepSearch, held: HeldPlace): Promise<Found> {
  const collector = createCollector(search);
  const isDirectory = search.path === search.directory;
  const toAbsolute = (path: string) => (isDirectory ? join(search.directory, path) : search.path);
  const events = createEventReader((event) => record(collector, event, toAbsolute));
  const outcome = await runChild({
    command,
    args: [...(await toArguments(search)), '--', isDirectory ? '.' : held.path],
    cwd: isDirectory ? held.path : search.directory,
    env: {},
    signal: search.signal,
    timeoutMs: search.timeoutMs,
    onPid: search.onPid,
    guard: search.guard,
    guardAfterMs: GUARD_AFTER_MS,
    onStdout(chunk) {
      events.push(chunk);
      return !collector.flush();
    },
  });
  if (outcome.ended === 'timeout') {
    const seconds = Math.round(search.timeoutMs / 1000);
    throw new ToolError(
      `The search was ended after ${seconds} seconds. Search a smaller directory or use a narrower pattern.`,
      'grep_execution_error',
    );
  }
  // Messages about single files are off, so the rest concerns the search itself.
  if (outcome.code === 2 && outcome.stderr.trim() !== '') {
    throw new ToolError(`The search failed: ${outcome.stderr.trim()}`, 'grep_execution_error');
  }
  if (outcome.ended === undefined && outcome.code === null) {
    throw new ToolError(`The search was ended by ${outcome.signal}.`, 'grep_execution_error');
  }
  return collector.found();
}

async function toArguments(search: GrepSearch): Promise<string[]> {
  const { namesOnly, maxPerFile, keepLines } = search;
  const perFile = namesOnly && keepLines === undefined ? 1 : maxPerFile;
  // ripgrep resolves patterns of an ignore file passed by name from the working directory; our rules filter the results anyway.
  const geminiIgnore = join(search.directory, '.geminiignore');
  const useGeminiIgnore = !search.noIgnore && search.directory === search.root && (await isThere(geminiIgnore));
  return [
    ...[
      '--json',
      '--no-config',
      '--no-messages',
      '--hidden',
      '--no-require-git',
      '--crlf',
      '--threads',
      '4',
      '--engine',
      'auto',
    ],
    ...(search.caseSensitive ? ['--case-sensitive'] : ['--ignore-case']),
    ...(search.fixedStrings ? ['--fixed-strings'] : []),
    ...(search.before > 0 ? ['--before-context', String(search.before)] : []),
    ...(search.after > 0 ? ['--after-context', String(search.after)] : []),
    // With lines to filter out, ripgrep's own count would include them.
    ...(perFile !== undefined && keepLines === undefined ? ['--max-count', String(perFile)] : []),
    ...(search.noIgnore ? ['--no-ignore'] : []),
    ...(search.gitIgnore ? [] : ['--no-ignore-vcs']),
    ...(useGeminiIgnore ? ['--ignore-file', geminiIgnore] : []),
    ...(search.include === undefined ? [] : ['--glob', search.include]),
    ...search.excludedDirectories.flatMap((name) => ['--glob', `!${name}/`]),
    ...search.excludedFiles.flatMap((name) => ['--glob', `!${name}`]),
    ...['--regexp', search.pattern],
  ];
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

interface TextOrBytes {
  text?: string;
  bytes?: string;
}

interface RipgrepEvent {
  type: string;
  data: {
    path?: TextOrBytes | null;
    lines?: TextOrBytes;
    line_number?: number | null;
    /** Set at the end of a file that is not text. */
    binary_offset?: number | null;
  };
}

/** Assembles whole events from bytes in any chunking. The longest parsed event bounds the memory. */
function createEventReader(onEvent: (event: RipgrepEvent) => void): { push(chunk: Buffer): void } {
  let pending: Buffer[] = [];
  let size = 0;
  let oversized: OversizedEvent | undefined;

  function take(piece: Buffer): void {
    if (oversized) {
      oversized.push(piece);
      return;
    }
    pending.push(piece);
    size += piece.length;
    if (size <= MAX_EVENT_BYTES) return;
    oversized = createOversizedEvent();
    for (const each of pending) oversized.push(each);
    pending = [];
  }

  function finish(): void {
    if (oversized) {
      const event = oversized.toEvent();
      if (event) onEvent(event);
    } else if (size > 0) {
      const [first] = pending;
      const line = pending.length === 1 && first ? first : Buffer.concat(pending);
      onEvent(JSON.parse(line.toString('utf8')) as RipgrepEvent);
    }
    pending = [];
    size = 0;
    oversized = undefined;
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        take(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
    },
  };
}

interface OversizedEvent {
  push(piece: Buffer): void;
  toEvent(): RipgrepEvent | undefined;
}

/**
 * Reads the event of a very long line: its beginning, and the line number after the text.
 * A quotation mark inside the text is escaped, so the marker cannot occur in it.
 */
function createOversizedEvent(): OversizedEvent {
  let head = '';
  let recent = '';
  let number: number | undefined;
  return {
    push(piece) {
      if (head.length < EVENT_HEAD_BYTES) head += piece.toString('latin1', 0, EVENT_HEAD_BYTES - head.length);
      if (number !== undefined) return;
      const text = recent + piece.toString('latin1');
      const marker = text.indexOf(LINE_NUMBER);
      const digits = marker < 0 ? undefined : /^\d+(?=\D)/.exec(text.slice(marker + LINE_NUMBER.length));
      if (digits) number = Number(digits[0]);
      recent = marker < 0 ? text.slice(-LINE_NUMBER.length) : text.slice(marker, marker + 64);
    },
    toEvent() {
      const utf8 = Buffer.from(head, 'latin1').toString('utf8');
      const parts = /^\{"type":"(\w+)","data":\{"path":(\{.*?\}),"lines":\{"text":"([^]*)$/.exec(utf8);
      if (!parts || number === undefined) return undefined;
      const text = (parts[3] ?? '').replace(/\\(?:u.{0,3}|)$/, '').replaceAll('\uFFFD', '');
      const path = JSON.parse(parts[2] ?? '{}') as TextOrBytes;
      const lines = { text: JSON.parse(`"${text}"`) as string };
      return { type: parts[1] ?? '', data: { path, lines, line_number: number } };
    },
  };
}

function record(collector: Collector, { type, data }: RipgrepEvent, toAbsolute: (path: string) => string): void {
  if (type === 'begin') collector.begin(toAbsolute(decode(data.path)));
  else if (type === 'end' && typeof data.binary_offset === 'number') collector.drop();
  else if (type === 'match' || type === 'context') {
    collector.add({ number: data.line_number ?? 0, text: decode(data.lines), isContext: type === 'context' });
  }
}

function decode(value: TextOrBytes | null | undefined): string {
  if (typeof value?.text === 'string') return value.text;
  return Buffer.from(value?.bytes ?? '', 'base64').toString('utf8');
}
