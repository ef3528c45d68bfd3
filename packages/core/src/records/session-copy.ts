/**
 * Writes a whole session file at once: a copy, an import, or turns loaded from elsewhere.
 * The file gets its name only when it is complete. Changes no other file.
 */

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import type { Content } from '../protocol/content.ts';
import { systemClock } from '../util/clock.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { sha256 } from '../util/sha256.ts';
import type { OpenSessionOptions } from './open-session.ts';
import { toSessionError } from './session-error.ts';
import { sessionFileName } from './session-file.ts';
import type { SessionMetadata } from './session-file.ts';
import { createSessionId } from './session-id.ts';
import type { LoadedMessage } from './replay-session.ts';
import { WrittenTurns } from './written-turns.ts';

/** Creates a new session with these turns, to be resumed by its id. Throws SessionError. */
export async function createSessionFrom(
  history: readonly Content[],
  options: Pick<OpenSessionOptions, 'home' | 'root' | 'clock'>,
  metadata: Pick<SessionMetadata, 'forkedFrom' | 'summary'> = {},
): Promise<string> {
  const directory = join(await resolveProjectDirectory(options), 'chats');
  const now = new Date((options.clock ?? systemClock).now()).toISOString();
  const sessionId = createSessionId(options.clock);
  const path = join(directory, sessionFileName(sessionId, now));
  const written = new WrittenTurns(options.clock ?? systemClock);
  // Copies: a turn that occurs twice is two messages.
  const messages = history.map((content) => ({
    ...written.toMessage({ ...content }, { prompt_id: sessionId }),
    ...startedOf(content),
  }));
  try {
    writeSession(path, [toHeader({ sessionId, ...metadata }, options, now), ...toLines(messages)]);
  } catch (error) {
    throw toSessionError(`The session cannot be written to ${path}`, error);
  }
  return sessionId;
}

/** Every call of a history from elsewhere has a result or was cut off, so it had started. */
function startedOf({ parts = [] }: Content): Pick<LoadedMessage, 'started'> {
  const calls = parts.flatMap(({ functionCall: { id: callId, name } = {} }) =>
    callId !== undefined && name !== undefined ? [{ callId, name }] : [],
  );
  return calls.length === 0 ? {} : { started: calls };
}

export function toHeader(metadata: SessionMetadata, { root }: { root: string }, now: string): string {
  return JSON.stringify({ projectHash: sha256(root), startTime: now, lastUpdated: now, kind: 'main', ...metadata });
}

export function toLines(messages: readonly LoadedMessage[]): string[] {
  return messages.flatMap(({ started = [], ...message }) => [
    JSON.stringify(message),
    ...started.flatMap(({ output, changes = [], ...$callStarted }) => {
      const $callOutput = output !== undefined && { callId: $callStarted.callId, text: output };
      const files = changes.map(($fileChange) => ({ $fileChange }));
      return [{ $callStarted }, ...files, ...($callOutput ? [{ $callOutput }] : [])].map((record) =>
        JSON.stringify(record),
      );
    }),
  ]);
}

/** Renames the file into place only when it is complete. Throws file-system errors. */
export function writeSession(path: string, lines: readonly string[]): void {
  // Named after the session: that is how retention finds the leftovers of a killed process.
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    makeDirectory(dirname(path));
    writeFileSync(temporary, `${lines.filter((line) => line !== '').join('\n')}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    // Remove an incomplete session.
    removeQuietly(temporary);
    throw error;
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // On a read-only disk no file was created.
  }
}
