/**
 * The session file: its name and the shapes of its records, as docs/sessions.md states
 * them. Gemini CLI's format; fields and `$`-records it does not know are Castor's own.
 * Types and names: reading is replay-session.ts, writing session-recorder.ts.
 */

import type { PartListUnion, UsageMetadata } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';
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
}

/** A call as Gemini CLI keeps it inside the message that asked for it. */
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

/** How a call ended; on the message that holds its response. */
export interface EndedCall {
  id: string;
  status: 'success' | 'error' | 'cancelled' | InterruptedStatus;
  durationMs?: number;
  resultDisplay?: ShownResult;
  /** Of a command that failed. */
  exitCode?: number;
  /** Of a command that ended without an exit code: the signal, or empty where Castor stopped it. */
  stoppedBy?: string;
}

/** What is known of a call that a stop of the program cut off. */
export type InterruptedStatus = 'not_started' | 'carried_out' | 'unknown';

export interface SessionMessage {
  id: string;
  timestamp?: string;
  /** `user`, `gemini`, `info`, `error`, `warning`; others may come. */
  type: string;
  content?: PartListUnion;
  displayContent?: PartListUnion;
  toolCalls?: StoredToolCall[];
  thoughts?: Partial<ThoughtSummary>[];
  model?: string;
  /** Ours, and only on what was really sent or accepted. */
  prompt_id?: string;
  call?: EndedCall;
  /** The words went out in one turn with the results before them. */
  isJoined?: boolean;
  /** Information for the model that needs no answer. */
  isAside?: boolean;
  /** Never written: an answer that was shown in part and not accepted, or words that were shown and not sent. */
  isInterrupted?: boolean;
  /** Never written: why no request with these words was answered. */
  failure?: string;
}

export interface StartedCall {
  callId: string;
  name: string;
  /** Only where they differ from those the model gave. */
  args?: Record<string, unknown>;
  /** False: the call changes nothing, whether it ran or not. */
  hasEffects?: boolean;
  /** What was shown of the call, only where its name and arguments do not say the same. */
  displayName?: string;
  description?: string;
  /** From `$fileChange`: the files it was about to change, in order. */
  changes?: FileChange[];
  /** From `$callOutput`: what it printed before it was cut off. */
  output?: string;
  timestamp?: string;
}

/** A file that is about to be changed by a call. Contents by their SHA-256; null where there is no file. */
export interface FileChange {
  callId: string;
  /** Absolute, without links. */
  path: string;
  before: string | null;
  after: string;
  /** Where what was there before is kept, below the folder of sessions. */
  preImage?: string;
}

/** Names of files a session may be in; Gemini CLI's older ones end in `.json`. */
const SESSION_FILE = /^session-.*\.jsonl?$/;

export function isSessionFileName(name: string): boolean {
  return SESSION_FILE.test(name);
}

/** Whether a file of this name may hold the session: names carry the first eight characters of the id. */
export function mayHoldSession(name: string, sessionId: string): boolean {
  return isSessionFileName(name) && name.replace(/\.jsonl?$/, '').endsWith(`-${sessionId.slice(0, 8)}`);
}

/** `count` tells sessions apart that begin in one minute with ids that begin alike. */
export function sessionFileName(sessionId: string, startTime: string, count = 1): string {
  const minute = startTime.slice(0, 16).replace(':', '-');
  return `session-${minute}-${count === 1 ? '' : `${count}-`}${sessionId.slice(0, 8)}.jsonl`;
}

/** Ids become parts of file names, so nothing that could be a path is one. */
export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text) && text.length <= 128;
}

/** As Gemini CLI counts them in a message. */
export function toTokens(usage: UsageMetadata): object {
  return {
    input: usage.promptTokenCount ?? 0,
    output: usage.candidatesTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
    thoughts: usage.thoughtsTokenCount ?? 0,
    tool: usage.toolUsePromptTokenCount ?? 0,
    total: usage.totalTokenCount ?? 0,
  };
}
