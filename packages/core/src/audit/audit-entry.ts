/** What the audit log records: decisions on calls, answers about the bounds of a sandbox, and connections. Types only. */

import type { OutgoingPurpose } from '../util/outgoing.ts';

/** Who let a call run or stopped it. */
export type Approver = 'user' | 'rule' | 'hook' | 'sandbox';

export interface DecisionEntry {
  kind: 'decision';
  session?: string | undefined;
  /** The sub-agent that made the call. */
  agent?: string | undefined;
  call: string;
  tool: string;
  decision: 'allow' | 'deny';
  approver: Approver;
  /** The answer of the user, by its name. */
  answer?: string | undefined;
  /** The tool that the deciding rule is about, and where the rule is written. */
  rule?: string | undefined;
  source?: string | undefined;
  mode?: string | undefined;
  /** The profile of the sandbox; absent without one. */
  profile?: string | undefined;
  /** What settings, grants and answers open for commands. */
  grants?: readonly string[] | undefined;
  /** The SHA-256 of the arguments as JSON with sorted keys. The arguments themselves are never recorded. */
  arguments: string;
}

export interface GrantEntry {
  kind: 'grant';
  session?: string | undefined;
  call?: string | undefined;
  /** What was asked about: `write /path`, `host example.org`, `leave the sandbox`. */
  what: string;
  answer: string;
}

export interface ConnectionEntry {
  kind: 'connection';
  session?: string | undefined;
  call?: string | undefined;
  host: string;
  port: number;
  why: OutgoingPurpose;
  via?: string | undefined;
  /** Why it was not opened. */
  refusal?: string | undefined;
}

/** A process that may not work without the log. */
export interface StartEntry {
  kind: 'start';
  session?: undefined;
}

export type AuditEntry = DecisionEntry | GrantEntry | ConnectionEntry | StartEntry;

/** What the log itself adds: a signature of all lines before, and what it found when it went on. */
export type LogEntry =
  | { kind: 'signature'; key: string; signature: string }
  | { kind: 'torn'; bytes: number; sha256: string }
  | { kind: 'headless' };

/** A line of the log. */
export type AuditLine = { seq: number; at: string; pid: number; prev: string; hash: string } & (AuditEntry | LogEntry);
