/**
 * openSession: opens a new or resumed session and locks its file for this process. Decides
 * what the model, the user and the file learn about the state an earlier process left
 * behind. Closing the recorder closes the session.
 */

import { join } from 'node:path';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content, Part } from '../protocol/content.ts';
import type { Clock } from '../util/clock.ts';
import { SessionError } from './session-error.ts';
import { createSessionId } from './session-id.ts';
import { SessionRecorder } from './session-recorder.ts';

export interface OpenSessionOptions {
  home: string;
  /** The project's folder. */
  root: string;
  /** `latest`, an index of `listSessions` counted from 1, a session's id, or `claude:` or `codex:` and one of theirs. */
  resume?: string;
  /** Resume in a copy, under a new id. With `resume`. */
  fork?: boolean;
  /** The id of a new session. */
  sessionId?: string | undefined;
  /** A `.json` or `.jsonl` file to import into a new session. */
  sessionFile?: string | undefined;
  /** What the user does to send an interrupted prompt again, as a clause for the notice. */
  resendHint?: string;
  /** Called once, when recording fails and stops. */
  onProblem?: (message: string) => void;
  clock?: Clock;
}

export interface ResumedSession {
  /** The stored summary, or the user's first words; one line. */
  readonly title: string;
  /** How many messages the user wrote. */
  readonly messages: number;
  /** When it was last written to, in milliseconds since the epoch; undefined where the file does not say. */
  readonly lastUpdated: number | undefined;
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly origin: 'new' | 'resumed' | 'forked' | 'imported';
  readonly recorder: SessionRecorder;
  /** The conversation with the model so far; every call in it has a response. Empty for a new session. */
  readonly history: Content[];
  /** The number of the next prompt, which no prompt of the session has in its id yet. 0 for a new session. */
  readonly promptCount: number;
  /** What was resumed, for a surface to name it. Absent for a new session. */
  readonly resumed?: ResumedSession;
  /** Sentences for the user: what was interrupted, damaged or not found. */
  readonly notices: readonly string[];
  /** The prompt that got no answer. Absent when the session is idle. */
  readonly interruptedPrompt?: { readonly text: string };
  /**
   * Removes the unanswered turn from the history and returns it for `prompt()` to send.
   * Call it before creating the agent. Undefined when the session is idle.
   */
  takeInterrupted(): Part[] | undefined;
  /**
   * The events the session showed, for a surface to show again. Takes time linear in the session's length; `withFiles`
   * also reads the copies of edited files, so that edits have both whole versions.
   */
  events(options?: { withFiles?: boolean }): AgentEvent[];
}

/** Throws SessionError. */
export async function openSession(options: OpenSessionOptions): Promise<OpenedSession> {
  const given = [options.resume, options.sessionId, options.sessionFile].filter((value) => value !== undefined);
  if (given.length > 1) {
    throw new SessionError('invalid', 'Use only one of resume, session id and session file.');
  }
  const directory = join(await resolveProjectDirectory(options), 'chats');
  if (options.sessionFile !== undefined) {
    const { importSession } = await import('./session-resume.ts');
    return importSession(options.sessionFile, options, directory);
  }
  if (options.resume !== undefined) {
    const { resumeSession } = await import('./session-resume.ts');
    return (
      (await resumeSession(options.resume, options, directory)) ??
      openNew(options, directory, ['No previous sessions found for this project. Starting a new session.'])
    );
  }
  return openNew(options, directory);
}

async function openNew(
  options: OpenSessionOptions,
  directory: string,
  notices: readonly string[] = [],
): Promise<OpenedSession> {
  const sessionId = options.sessionId ?? createSessionId(options.clock);
  if (options.sessionId !== undefined) await (await import('./free-session-id.ts')).assertFree(sessionId, options);
  return {
    sessionId,
    origin: 'new',
    recorder: new SessionRecorder({ ...options, directory, sessionId }),
    history: [],
    promptCount: 0,
    notices,
    takeInterrupted: () => undefined,
    events: () => [],
  };
}
