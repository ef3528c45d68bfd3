/**
 * Lists the sessions of a project to choose from. Reads the beginning of each file, and the
 * end of long ones: the cost grows with the number of sessions, not with their length.
 * Leaves out files without content to resume.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { findSessionFiles } from './project-sessions.ts';
import type { ProjectSessions } from './project-sessions.ts';
import { shortIdOf } from './session-file.ts';
import type { SessionMessage } from './session-file.ts';
import { replaySession } from './replay-session.ts';
import type { LoadedSession } from './replay-session.ts';
import { asideWords, isWorthResuming, ownWords } from './resumable-content.ts';
import { toOneLine } from '../util/short-text.ts';

export interface SessionSummary {
  id: string;
  /** The stored summary, or the user's first words; one line, at most 100 characters. */
  title: string;
  /** Milliseconds since the epoch. */
  startTime: number;
  lastUpdated: number;
  path: string;
}

/** Most sessions show their topic within the first piece. */
const PIECES = [4096, 65_536];
const TAIL = 8192;
const TITLE_LENGTH = 100;

/** Oldest first; for a session in two files, the newer file. Never throws. */
export async function listSessions({ home, root }: ProjectSessions): Promise<SessionSummary[]> {
  const newest = new Map<string, SessionSummary>();
  for (const path of findSessionFiles({ home, root })) {
    const summary = summarizeSession(path);
    const other = summary && newest.get(summary.id);
    if (summary && !(other && other.lastUpdated > summary.lastUpdated)) newest.set(summary.id, summary);
  }
  return [...newest.values()].sort((one, other) => one.startTime - other.startTime);
}

/** Undefined for a file without a session to resume. */
export function summarizeSession(path: string): SessionSummary | undefined {
  let file: number | undefined;
  try {
    // Opening a pipe would block.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    return stat.isFile() ? summarize(path, file, stat) : undefined;
  } catch {
    // Removed in the meantime, or unreadable.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function summarize(path: string, file: number, { size, mtimeMs }: { size: number; mtimeMs: number }) {
  for (const length of [...PIECES, size]) {
    const head = readAt(file, 0, Math.min(length, size));
    const isWhole = head.length >= size;
    const session = replaySession(head);
    if (!isWhole && session.metadata.sessionId === undefined) continue;
    const words = findWords(session) ?? (isWhole ? undefined : findCutWords(head));
    if (words === undefined && !isWhole) continue;
    const tail = isWhole ? head : readAt(file, Math.max(0, size - TAIL), Math.min(TAIL, size));
    return toSummary(path, session, { words, tail, mtimeMs });
  }
  return undefined;
}

function toSummary(
  path: string,
  session: LoadedSession,
  { words, tail, mtimeMs }: { words: string | undefined; tail: Buffer; mtimeMs: number },
): SessionSummary | undefined {
  const { kind, startTime } = session.metadata;
  // The name still tells the session of a file whose first line is damaged.
  const id = session.metadata.sessionId ?? shortIdOf(basename(path));
  const isEmpty = words === undefined && !session.messages.some(isWorthResuming);
  if (id === undefined || kind === 'subagent' || isEmpty) return undefined;
  const summary = findSummary(tail) ?? session.metadata.summary;
  return {
    id,
    title: toTitle(summary || words || firstOf(session.messages, asideWords) || 'Empty conversation'),
    startTime: toTime(startTime) ?? mtimeMs,
    lastUpdated: (session.isLegacy ? toTime(session.metadata.lastUpdated) : findLastTime(tail)) ?? mtimeMs,
    path,
  };
}

/** What names a session: its stored summary, or the user's first words. */
export function titleOf(session: LoadedSession): string {
  const words = session.metadata.summary || findWords(session) || firstOf(session.messages, asideWords);
  return toTitle(words || 'Empty conversation');
}

function findWords({ messages }: LoadedSession): string | undefined {
  return firstOf(messages, ownWords);
}

function firstOf(
  messages: readonly SessionMessage[],
  wordsOf: (message: SessionMessage) => string | undefined,
): string | undefined {
  for (const message of messages) {
    const words = wordsOf(message);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** The beginning of a message that is longer than the bytes read. */
function findCutWords(head: Buffer): string | undefined {
  const text = head.toString('utf8');
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const cut = /"type":"user".{0,200}?"text":"((?:[^"\\]|\\.)*)/.exec(line)?.[1];
  const words = cut === undefined ? undefined : unescape(cut);
  const message: SessionMessage = { id: '', type: 'user', content: words ?? '', prompt_id: '' };
  return ownWords(message);
}

/** Finds the last timestamp without parsing the lines before it. */
function findLastTime(tail: Buffer): number | undefined {
  const key = '"timestamp":"';
  const index = tail.lastIndexOf(key);
  return index < 0 ? undefined : toTime(tail.toString('utf8', index + key.length).split('"')[0]);
}

function findSummary(tail: Buffer): string | undefined {
  if (!tail.includes('{"$set":')) return undefined;
  const patches = tail
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"$set":'));
  return replaySession(Buffer.from(patches.join('\n'))).metadata.summary;
}

function unescape(escaped: string): string | undefined {
  try {
    return JSON.parse(`"${escaped}"`) as string;
  } catch {
    // Cut in the middle of an escape sequence.
    return escaped;
  }
}

/** In ASCII, as Gemini CLI shows it, unless that leaves nothing. */
function toTitle(text: string): string {
  const line = toOneLine(text.replace(/[^\x20-\x7E\s]+/g, '')) || toOneLine(text.replace(/\p{C}+/gu, ' '));
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 3)}...` : line;
}

function toTime(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}
