/**
 * Defines the session file: its name and the shapes of its records, as in docs/sessions.md.
 * Gemini CLI's format; fields and `$`-records unknown to it are Castor's own. Types and
 * names only: replay-session.ts reads, session-recorder.ts writes.
 */

import type { StructuredError } from '../protocol/errors.ts';
import type { PartListUnion, UsageMetadata } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';
import type { Origin } from '../protocol/origin.ts';
import type { ShownResult } from '../transcript/transcript.ts';

export interface SessionMetadata {
  sessionId: string;
  /** SHA-256 of the project's root. */
  projectHash?: string;
  startTime?: string;
  lastUpdated?: string;
  kind?: string;
  summary?: string;
  /** The session this one was copied from. */
  forkedFrom?: string;
  /** Of the session of a sub-agent: its agent, the session and the call that started it. */
  agentName?: string;
  parentSessionId?: string;
  parentCallId?: string;
  /** Of the session of a sub-agent: the folders it works in. */
  directories?: readonly string[];
  /** Of the session of a sub-agent that ended. */
  agentEnded?: { reason: string; result?: string; problem?: string; turns: number };
}

/** A call in Gemini CLI's format, inside the message that requested it. */
export interface StoredToolCall {
  id?: string;
  name?: string;
  args?: Record<string, unknown>;
  result?: PartListUnion | null;
  status?: string;
  resultDisplay?: ShownResult;
  displayName?: string;
  description?: string;
}

/** How a call ended; stored on the message that holds its response. */
export interface EndedCall {
  id: string;
  status: 'success' | 'error' | 'cancelled' | InterruptedStatus;
  durationMs?: number;
  resultDisplay?: ShownResult;
  /** Of a failed command. */
  exitCode?: number;
  /** Of a command that ended without an exit code: the signal, or empty where Castor stopped it. */
  stoppedBy?: string;
}

/** The known state of a call that the end of the process cut off. */
export type InterruptedStatus = 'not_started' | 'carried_out' | 'unknown';

export interface SessionMessage {
  id: string;
  timestamp?: string;
  /** `user`, `gemini`, `info`, `error`, `warning`; more may follow. */
  type: string;
  content?: PartListUnion;
  displayContent?: PartListUnion;
  toolCalls?: StoredToolCall[];
  thoughts?: Partial<ThoughtSummary>[];
  model?: string;
  /** Castor's own field, of a `gemini` message: the state its provider must receive back with it. */
  origin?: Origin;
  /** Castor's own field, only on messages that were sent or accepted. */
  prompt_id?: string;
  call?: EndedCall;
  /** The text was sent in one turn with the results before it. */
  isJoined?: boolean;
  /** Information for the model that needs no answer. */
  isAside?: boolean;
  /** Castor's own field, of a cut answer: the program was killed, not the answer cancelled. */
  isKilled?: boolean;
  /** Never written: a partly shown, unaccepted answer, or a shown, unsent prompt. */
  isInterrupted?: boolean;
  /** Castor's own field, of a prompt that failed in an earlier process: why no request with it was answered. */
  failure?: string;
  /** Beside it: what kind of failure it was, so that a resumed session says as much of it. */
  failureFacts?: FailureFacts;
  /** Never written, from `$cancelled`: the user cancelled the prompt whose last message this is. */
  isCancelled?: boolean;
  /** Never written: the failure was about this prompt, so that no later request contains it. */
  isRejected?: boolean;
}

export type FailureFacts = Pick<StructuredError, 'reason' | 'status' | 'attempts'>;

export interface StartedCall {
  callId: string;
  name: string;
  /** Only where they differ from those the model gave. */
  args?: Record<string, unknown>;
  /** False: the call changes nothing, whether it ran or not. */
  hasEffects?: boolean;
  /** The display of the call, only where it differs from the one derived from name and arguments. */
  displayName?: string;
  description?: string;
  /** From `$fileChange`: the files the call was about to change, in order. */
  changes?: FileChange[];
  /** From `$callOutput`: the call's output before it was cut off. */
  output?: string;
  timestamp?: string;
}

/** A file that a call is about to change. Contents by their SHA-256; null for a missing file. */
export interface FileChange {
  callId: string;
  /** Absolute, with links resolved. */
  path: string;
  before: string | null;
  after: string | null;
  /** Path of the copy of the earlier content, relative to the folder of sessions. */
  preImage?: string;
  /** Of a new file: how many of the folders above it did not exist either. */
  newFolders?: number;
}

/** Names of session files; Gemini CLI's older ones end in `.json`. */
const SESSION_FILE = /^session-.*\.jsonl?$/;

export function isSessionFileName(name: string): boolean {
  return SESSION_FILE.test(name);
}

/** Whether a file of this name may hold the session: names carry the first eight characters of the id. */
export function mayHoldSession(name: string, sessionId: string): boolean {
  return isSessionFileName(name) && name.replace(/\.jsonl?$/, '').endsWith(`-${sessionId.slice(0, 8)}`);
}

/** What the name of a session's file tells of its id: the first eight characters. */
export function shortIdOf(name: string): string | undefined {
  return /^session-\d{4}-\d\d-\d\dT\d\d-\d\d-(?:\d+-)?([A-Za-z0-9_-]{1,8})\.jsonl?$/.exec(name)?.[1];
}

/** `count` distinguishes sessions that start in the same minute with ids that begin alike. */
export function sessionFileName(sessionId: string, startTime: string, count = 1): string {
  const minute = startTime.slice(0, 16).replace(':', '-');
  return `session-${minute}-${count === 1 ? '' : `${count}-`}${sessionId.slice(0, 8)}.jsonl`;
}

/** Ids become parts of file names, so an id must not contain path characters. */
export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text) && text.length <= 128;
}

/** In Gemini CLI's token fields of a message; `cacheWrite` is Castor's own. */
export function toTokens(usage: UsageMetadata): object {
  return {
    input: usage.promptTokenCount ?? 0,
    output: usage.candidatesTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
    thoughts: usage.thoughtsTokenCount ?? 0,
    tool: usage.toolUsePromptTokenCount ?? 0,
    total: usage.totalTokenCount ?? 0,
    ...(usage.cacheWriteTokenCount && { cacheWrite: usage.cacheWriteTokenCount }),
  };
}
