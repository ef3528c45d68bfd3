/**
 * Going on with a session that is on the disk: takes its lock, replays it, answers the
 * calls an earlier process left open, and says what was found. A file of another format
 * or another session is copied, never changed.
 */

import { renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import { systemClock } from '../util/clock.ts';
import { sha256 } from '../util/sha256.ts';
import type { OpenedSession, OpenSessionOptions } from './open-session.ts';
import { SessionError } from './session-error.ts';
import { sessionFileName } from './session-file.ts';
import type { SessionMetadata } from './session-file.ts';
import { findSession } from './session-find.ts';
import { toSessionHistory } from './session-history.ts';
import { createSessionId } from './session-id.ts';
import { parseSession } from './session-loader.ts';
import type { LoadedMessage, LoadedSession } from './session-loader.ts';
import { acquireLock } from './session-lock.ts';
import type { SessionLock } from './session-lock.ts';
import { describeLoaded } from './session-notices.ts';
import { readSessionFile } from './session-read.ts';
import { SessionRecorder } from './session-recorder.ts';
import { toSessionEvents } from './session-transcript.ts';
import { isWorthResuming, ownWords } from './session-worth.ts';
import { makeDirectory } from '../util/make-directory.ts';

/** Undefined when the latest is asked for and there is none. Throws SessionError. */
export async function resumeSession(
  wanted: string,
  options: OpenSessionOptions,
  directory: string,
): Promise<OpenedSession | undefined> {
  const found = await findSession(wanted, options);
  if (!found) return undefined;
  const { path, id } = found;
  if (options.fork) return forkSession(path, id, options, directory);
  if (path.endsWith('.json')) return migrate(path, id, options);
  return hold(path, id, options, 'resumed');
}

/** A new session that begins with what a file holds. Throws SessionError. */
export async function importSession(
  path: string,
  options: OpenSessionOptions,
  directory: string,
): Promise<OpenedSession> {
  const session = parseSession(readSessionFile(path));
  const messages = session.messages.filter(({ type }) => type === 'user' || type === 'gemini');
  if (!messages.some(isWorthResuming)) {
    throw new SessionError('invalid', `${path} holds no session: a file of Gemini CLI or Castor is expected.`);
  }
  const now = new Date((options.clock ?? systemClock).now()).toISOString();
  const note = { id: createSessionId(options.clock), timestamp: now, type: 'info', content: `Imported from ${path}.` };
  const sessionId = createSessionId(options.clock);
  const target = join(directory, `session-${Date.parse(now)}-${sessionId.slice(0, 8)}.jsonl`);
  const header = toHeader({ sessionId }, options, now);
  writeSession(target, [header, ...toLines([note, ...messages.filter(({ isInterrupted }) => !isInterrupted)])]);
  return hold(target, sessionId, options, 'imported');
}

async function forkSession(
  path: string,
  forkedFrom: string,
  options: OpenSessionOptions,
  directory: string,
): Promise<OpenedSession> {
  const bytes = readSessionFile(path);
  const { metadata, messages, isLegacy } = parseSession(bytes);
  const now = new Date((options.clock ?? systemClock).now()).toISOString();
  const sessionId = createSessionId(options.clock);
  const { summary } = metadata;
  const header = toHeader({ sessionId, forkedFrom, ...(summary !== undefined && { summary }) }, options, now);
  const target = join(directory, sessionFileName(sessionId, now));
  // Whole lines, as they are: the process that holds the original may be in the middle of one.
  const rest = bytes.subarray(bytes.indexOf('\n') + 1, bytes.lastIndexOf('\n'));
  writeSession(target, isLegacy ? [header, ...toLines(messages)] : [header, rest.toString('utf8')]);
  return hold(target, sessionId, options, 'forked');
}

/** Beside the old file, which stays: Gemini CLI may still want it. */
async function migrate(path: string, id: string, options: OpenSessionOptions): Promise<OpenedSession> {
  const { metadata, messages } = parseSession(readSessionFile(path));
  const target = `${path}l`;
  const isThere = statSync(target, { throwIfNoEntry: false }) !== undefined;
  if (!isThere) writeSession(target, [JSON.stringify({ kind: 'main', ...metadata }), ...toLines(messages)]);
  return hold(target, id, options, 'resumed');
}

async function hold(
  path: string,
  sessionId: string,
  options: OpenSessionOptions,
  origin: OpenedSession['origin'],
): Promise<OpenedSession> {
  const lock = takeLock(path, sessionId);
  try {
    return open({ path, lock }, parseSession(readSessionFile(path)), { ...options, sessionId }, origin);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function takeLock(path: string, sessionId: string): SessionLock {
  let lock;
  try {
    lock = acquireLock(path);
  } catch (error) {
    const message = `The session ${sessionId} cannot be locked: ${getErrorMessage(error)}`;
    throw new SessionError('invalid', message, { cause: error });
  }
  if ('release' in lock) return lock;
  throw new SessionError(
    'locked',
    `Session ${sessionId} is in use by process ${lock.pid}. Wait for it, end it, or add --fork to go on in a copy.`,
    { pid: lock.pid },
  );
}

function open(
  file: { path: string; lock: SessionLock },
  loaded: LoadedSession,
  options: OpenSessionOptions & { sessionId: string },
  origin: OpenedSession['origin'],
): OpenedSession {
  const { turns: history, ids, openCalls, awaitsAnswer } = toSessionHistory(loaded.messages);
  const recorder = new SessionRecorder({ ...options, directory: dirname(file.path), file });
  recorder.adopt(ids);
  for (const { id, status, isAnswered, response } of openCalls) {
    const isNews = !isAnswered && (status === 'not_started' || status === 'unknown');
    if (isNews && id !== undefined) recorder.recovered(id, status, response);
  }
  let isTaken = false;
  const text = awaitsAnswer ? lastWords(loaded.messages) : undefined;
  return {
    sessionId: options.sessionId,
    origin,
    recorder,
    history,
    notices: describeLoaded({ ...file, loaded, openCalls, prompt: text, root: options.root }),
    ...(text !== undefined && { interruptedPrompt: { text } }),
    takeInterrupted() {
      const last = awaitsAnswer && !isTaken ? history.pop() : undefined;
      isTaken = true;
      if (!last) return undefined;
      recorder.resent(last);
      return last.parts ?? [];
    },
    events: () => toSessionEvents(loaded.messages, openCalls),
  };
}

function lastWords(messages: readonly LoadedMessage[]): string {
  const last = messages.findLast((message) => ownWords(message) !== undefined);
  return (last && ownWords(last)) ?? '';
}

function toHeader(metadata: SessionMetadata, { root }: OpenSessionOptions, now: string): string {
  return JSON.stringify({ projectHash: sha256(root), startTime: now, lastUpdated: now, kind: 'main', ...metadata });
}

function toLines(messages: readonly LoadedMessage[]): string[] {
  return messages.flatMap(({ started = [], ...message }) => [
    JSON.stringify(message),
    ...started.flatMap(({ output, ...$callStarted }) => {
      const $callOutput = output !== undefined && { callId: $callStarted.callId, text: output };
      return [{ $callStarted }, ...($callOutput ? [{ $callOutput }] : [])].map((record) => JSON.stringify(record));
    }),
  ]);
}

/** In place only when it is whole. Throws SessionError. */
function writeSession(path: string, lines: readonly string[]): void {
  const temporary = `${path}.tmp`;
  try {
    makeDirectory(dirname(path));
    writeFileSync(temporary, `${lines.filter((line) => line !== '').join('\n')}\n`, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    throw new SessionError('invalid', `The session cannot be written to ${path}: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}
