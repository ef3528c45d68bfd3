/**
 * Resumes a session from disk: takes its lock, replays it, answers the calls an earlier
 * process left open, and reports its findings. A file of another format or another session
 * is copied, never changed.
 */

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { INTERRUPTED_ANSWER } from '../chat/conversation.ts';
import { systemClock } from '../util/clock.ts';
import { failedPromptsToSend } from './failed-prompts.ts';
import type { OpenedSession, OpenSessionOptions, ResumedSession } from './open-session.ts';
import { stateOf } from './pre-images.ts';
import { createEditedFile } from './edited-file.ts';
import { toHeader, toLines, writeSession } from './session-copy.ts';
import { SessionError, toSessionError } from './session-error.ts';
import { sessionFileName } from './session-file.ts';
import { findSession } from './session-find.ts';
import { toSessionHistory } from './session-history.ts';
import type { OpenCall } from './interrupted-call.ts';
import { titleOf } from './session-list.ts';
import { createSessionId } from './session-id.ts';
import { createChildTeller } from './session-children.ts';
import { replaySession } from './replay-session.ts';
import type { LoadedMessage, LoadedSession } from './replay-session.ts';
import { acquireLock } from './session-lock.ts';
import type { SessionLock } from './session-lock.ts';
import { forgetLoss, hasLoss, markLoss } from './recording-gap.ts';
import { describeLoaded } from './session-notices.ts';
import { toStoredParts } from './session-parts.ts';
import { readSessionFile } from './read-session-file.ts';
import { SessionRecorder } from './session-recorder.ts';
import { toSessionEvents } from './session-transcript.ts';
import { isCutAnswer, isWorthResuming, ownWords } from './resumable-content.ts';

const GO_ON = 'Please continue.';

/** Undefined when `latest` is requested and the project has no session. Throws SessionError. */
export async function resumeSession(
  wanted: string,
  options: OpenSessionOptions,
  directory: string,
): Promise<OpenedSession | undefined> {
  const found = await findSession(await convertForeign(wanted, options), options);
  if (!found) return undefined;
  const { path, id } = found;
  if (options.fork) return forkSession(path, id, options, directory);
  if (path.endsWith('.json')) return migrate(path, id, options);
  return hold(path, { ...options, sessionId: id }, 'resumed');
}

/** Resumes the session of a sub-agent from its file, in place. Throws SessionError. */
export function resumeChildSession(path: string, options: OwnOptions): OpenedSession {
  return hold(path, options, 'resumed');
}

/** `claude:<session>` and `codex:<session>` become a session of our own, whose id it returns. */
async function convertForeign(wanted: string, options: OpenSessionOptions): Promise<string> {
  const [, agent, name = ''] = /^(claude|codex):(.*)$/.exec(wanted.trim()) ?? [];
  if (agent !== 'claude' && agent !== 'codex') return wanted;
  const { convertForeignSession, findForeignSession } = await import('./foreign-sessions.ts');
  return convertForeignSession(findForeignSession(agent, name, options), options);
}

/** Creates a new session from the content of a file. Throws SessionError. */
export async function importSession(
  path: string,
  options: OpenSessionOptions,
  directory: string,
): Promise<OpenedSession> {
  const session = replaySession(readSessionFile(path));
  const messages = session.messages.filter(({ type }) => type === 'user' || type === 'gemini');
  if (!messages.some(isWorthResuming)) {
    throw new SessionError(
      'invalid',
      `${path} does not contain a session: expected a session file of Gemini CLI or Castor.`,
    );
  }
  const now = new Date((options.clock ?? systemClock).now()).toISOString();
  const note = { id: createSessionId(options.clock), timestamp: now, type: 'info', content: `Imported from ${path}.` };
  const sessionId = createSessionId(options.clock);
  const target = join(directory, `session-${Date.parse(now)}-${sessionId.slice(0, 8)}.jsonl`);
  const header = toHeader({ sessionId }, options, now);
  const lines = [header, ...toLines([note, ...messages.filter(({ isInterrupted }) => !isInterrupted)])];
  return holdCopy({ path: target, lines, session }, { ...options, sessionId }, 'imported');
}

function forkSession(path: string, forkedFrom: string, options: OpenSessionOptions, directory: string): OpenedSession {
  const bytes = readSessionFile(path);
  const session = replaySession(bytes);
  const { metadata, messages, isLegacy } = session;
  const now = new Date((options.clock ?? systemClock).now()).toISOString();
  const sessionId = createSessionId(options.clock);
  const { summary } = metadata;
  const header = toHeader({ sessionId, forkedFrom, ...(summary !== undefined && { summary }) }, options, now);
  const target = join(directory, sessionFileName(sessionId, now));
  // Copy whole lines unchanged: the process that holds the original may be writing one right now.
  const rest = bytes.subarray(bytes.indexOf('\n') + 1, bytes.lastIndexOf('\n'));
  const lines = isLegacy ? [header, ...toLines(messages)] : [header, rest.toString('utf8')];
  return holdCopy({ path: target, lines, session, hasLoss: hasLoss(path) }, { ...options, sessionId }, 'forked');
}

/** Writes beside the old file and keeps it: Gemini CLI may still need it. */
function migrate(path: string, sessionId: string, options: OpenSessionOptions): OpenedSession {
  const target = `${path}l`;
  const owned = { ...options, sessionId };
  if (statSync(target, { throwIfNoEntry: false })) return hold(target, owned, 'resumed');
  const session = replaySession(readSessionFile(path));
  const { metadata, messages } = session;
  const lines = [JSON.stringify({ kind: 'main', ...metadata }), ...toLines(messages)];
  return holdCopy({ path: target, lines, session }, owned, 'resumed');
}

type OwnOptions = OpenSessionOptions & { sessionId: string };

interface SessionCopy {
  path: string;
  lines: readonly string[];
  session: LoadedSession;
  hasLoss?: boolean;
}

/** On a read-only disk the session is resumed from memory. */
function holdCopy(copy: SessionCopy, options: OwnOptions, origin: OpenedSession['origin']): OpenedSession {
  const { path, lines, session } = copy;
  try {
    writeSession(path, lines);
  } catch (error) {
    if (!isUnwritable(error)) throw toSessionError(`The session cannot be written to ${path}`, error);
    return open({ path, problem: error, hasLoss: copy.hasLoss ?? false }, session, options, origin);
  }
  if (copy.hasLoss) markLoss(path);
  return hold(path, options, origin);
}

function hold(path: string, options: OwnOptions, origin: OpenedSession['origin']): OpenedSession {
  const lock = takeLock(path, options.sessionId);
  try {
    return open({ path, ...lock, hasLoss: hasLoss(path) }, replaySession(readSessionFile(path)), options, origin);
  } catch (error) {
    lock.lock?.release();
    throw error;
  }
}

/** The errors of a location without write access or space. */
const UNWRITABLE: ReadonlySet<string | undefined> = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT']);

function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has((error as NodeJS.ErrnoException).code);
}

function takeLock(path: string, sessionId: string): { lock?: SessionLock; problem?: unknown } {
  let lock;
  try {
    lock = acquireLock(path);
  } catch (error) {
    if (isUnwritable(error)) return { problem: error };
    throw toSessionError(`The session ${sessionId} cannot be locked`, error);
  }
  if ('release' in lock) return { lock };
  throw new SessionError('locked', `Session ${sessionId} is in use by process ${lock.pid}. Wait for it or end it.`, {
    pid: lock.pid,
    wanted: sessionId,
  });
}

interface HeldFile {
  path: string;
  /** Absent with `problem`: the reason why the session cannot be recorded. */
  lock?: SessionLock;
  problem?: unknown;
  hasLoss: boolean;
}

function open(
  file: HeldFile,
  found: LoadedSession,
  options: OwnOptions,
  origin: OpenedSession['origin'],
): OpenedSession {
  const cut = cutAnswerOf(found, options);
  const failed = failedPromptsToSend(found.messages, options.sessionId);
  const messages = found.messages.map((message) => failed.get(message.id) ?? message);
  const loaded = { ...found, messages: cut === undefined ? messages : [...messages.slice(0, -1), cut] };
  const {
    turns: history,
    ids,
    openCalls,
    awaitsAnswer,
  } = toSessionHistory(loaded.messages, {
    ...file,
    stateOf,
    childOf: createChildTeller(file.path, { ...loaded.metadata, sessionId: options.sessionId }),
  });
  const recorder = openRecorder(file, options);
  recorder.adopt(ids);
  for (const message of failed.values()) recorder.kept(message);
  if (cut) recorder.kept(cut);
  for (const call of openCalls) recordOpen(call, recorder);
  // By now the file records which results are unknown.
  if (file.hasLoss && recorder.isRecording) forgetLoss(file.path);
  let isTaken = false;
  const last = loaded.messages.at(-1);
  const isUnsent = last?.isInterrupted === true && last.type === 'user';
  const isCut = isCutAnswer(history.at(-1)?.parts);
  const text = awaitsAnswer || isUnsent || isCut ? lastWords(loaded.messages) : undefined;
  return {
    sessionId: options.sessionId,
    origin,
    recorder,
    history,
    promptCount: countPrompts(loaded),
    resumed: describeResumed(found),
    notices: describeLoaded({
      path: file.path,
      hasLoss: file.hasLoss,
      loaded,
      openCalls,
      prompt: text,
      root: options.root,
      resendHint: options.resendHint,
    }),
    ...(text !== undefined && { interruptedPrompt: { text } }),
    takeInterrupted() {
      if (isTaken || text === undefined) return undefined;
      isTaken = true;
      // The model reads its partial answer and continues from there.
      if (isCut && !isUnsent) return [{ text: GO_ON }];
      const turn = isUnsent ? undefined : history.pop();
      // The prompt as it was to be sent, which may contain more than the user typed.
      if (!turn) return last?.displayContent === undefined ? [{ text }] : toStoredParts(last.content);
      recorder.resent(turn, { hasPartial: last?.isInterrupted ?? false });
      return turn.parts ?? [];
    },
    events: ({ withFiles = false } = {}) =>
      toSessionEvents(loaded, openCalls, {
        root: options.root,
        ...(withFiles && { editedFile: createEditedFile(dirname(file.path)) }),
      }),
  };
}

function describeResumed(session: LoadedSession): ResumedSession {
  const messages = [...session.superseded, ...session.messages];
  const last = Date.parse(messages.at(-1)?.timestamp ?? '');
  return {
    title: titleOf({ ...session, messages }),
    messages: messages.filter((message) => ownWords(message) !== undefined).length,
    lastUpdated: Number.isNaN(last) ? undefined : last,
  };
}

function recordOpen({ id, status, isAnswered, response }: OpenCall, recorder: SessionRecorder): void {
  const isNews = !isAnswered && status !== 'finished' && status !== 'cancelled';
  if (isNews && id !== undefined) recorder.recovered(id, status, response);
}

/** The half answer that a killed process had shown, as the turn that an abort leaves; undefined without words. */
function cutAnswerOf({ messages }: LoadedSession, { clock = systemClock }: OwnOptions): LoadedMessage | undefined {
  const last = messages.at(-1);
  if (last?.type !== 'gemini' || !last.isInterrupted) return undefined;
  const parts = toStoredParts(last.content);
  if (parts.length === 0) return undefined;
  const { isInterrupted: _nowWritten, ...message } = last;
  const timestamp = new Date(clock.now()).toISOString();
  const content = [...parts, { text: INTERRUPTED_ANSWER }];
  return { ...message, id: createSessionId(clock), timestamp, content, isKilled: true };
}

function openRecorder({ path, lock, problem }: HeldFile, options: OwnOptions): SessionRecorder {
  const directory = dirname(path);
  if (lock) return new SessionRecorder({ ...options, directory, file: { path, lock } });
  const recorder = new SessionRecorder({ ...options, directory });
  recorder.stopRecording(problem);
  return recorder;
}

function lastWords(messages: readonly LoadedMessage[]): string {
  const last = messages.findLast((message) => ownWords(message) !== undefined);
  return (last && ownWords(last)) ?? '';
}

/** At least one more than the number in any id of a prompt; a run of one prompt has the session's id alone. */
function countPrompts({ superseded, messages }: LoadedSession): number {
  const ids = [...superseded, ...messages].flatMap(({ prompt_id }) => prompt_id ?? []);
  const numbers = ids.map((id) => Number(/########(\d{1,9})$/.exec(id)?.[1] ?? 0));
  return numbers.reduce((most, number) => Math.max(most, number + 1), 0);
}
