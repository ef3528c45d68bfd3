/** The questions of a program to the process that walks, stores and restores, and its answers. Types only: JSON, one per line. */

import type { StoredPath } from './byte-path.ts';
import type { CallSpan } from './change-evidence.ts';
import type { UnkeptPath } from './foretell-loss.ts';
import type { StoredChange, Unkept } from './tree-state.ts';
import type { WalkLimits } from './walk-rules.ts';
import type { SkipReason } from './apply-changes.ts';

export interface OpenRequest {
  readonly do: 'open';
  /** The workspace. */
  readonly root: string;
  /** The folder of the store. */
  readonly store: string;
  /** Names the manifest of this session. */
  readonly sessionId: string;
  readonly limits: WalkLimits;
  /** Absolute. */
  readonly exclude: readonly string[];
  /** The most bytes of the store, and the free bytes of the disk below which nothing is kept. */
  readonly budget: StoreBudget;
}

export interface StoreBudget {
  readonly storeBytes: number;
  readonly shareOfFree: number;
  readonly freeBytes: number;
}

export interface WalkRequest {
  readonly do: 'walk';
  /** Compares with the manifest of this session instead of the newest one. */
  readonly since?: string | undefined;
  /** Leaves the manifest of the session as it is. */
  readonly isTrial?: boolean;
  /** When the calls ran that the changes may belong to; without it all changes count as theirs. */
  readonly calls?: CallSpan | undefined;
  /** The calls were cut off with the session `since`: the process finds out when that was. */
  readonly isCutOff?: boolean;
}

/** What the last walk saw is on record. */
export interface NotedRequest {
  readonly do: 'noted';
}

export interface StatesRequest {
  readonly do: 'states';
  readonly paths: readonly StoredPath[];
}

/** What the folders hold, for telling which of them will be empty. */
export interface ChildrenRequest {
  readonly do: 'children';
  readonly paths: readonly StoredPath[];
}

/** Which contents can be read; `files` holds those outside the store. */
export interface HasRequest {
  readonly do: 'has';
  readonly contents: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

export interface ReadRequest {
  readonly do: 'read';
  readonly content: string;
  readonly file?: string | undefined;
  /** Of the workspace: the content may be there, and not be kept. */
  readonly path?: StoredPath | undefined;
}

export interface ListRequest {
  readonly do: 'list';
  readonly list: string;
}

export interface ApplyRequest {
  readonly do: 'apply';
  readonly changes: readonly StoredChange[];
  /** Files with contents that are not in the store, by hash. */
  readonly files: Readonly<Record<string, string>>;
}

/** Keeps a content; base64. */
export interface PutRequest {
  readonly do: 'put';
  readonly bytes: string;
}

export interface KeepListRequest {
  readonly do: 'keep';
  readonly changes: readonly StoredChange[];
}

export interface CollectRequest {
  readonly do: 'collect';
  /** What the points of sessions need, newest first: a list in the store, or contents. */
  readonly points: readonly (string | readonly string[])[];
  /** Sessions whose manifests stay, beside the newest one. */
  readonly sessions: readonly string[];
}

export type UndoRequest =
  | OpenRequest
  | WalkRequest
  | NotedRequest
  | StatesRequest
  | ChildrenRequest
  | HasRequest
  | ReadRequest
  | ListRequest
  | ApplyRequest
  | KeepListRequest
  | PutRequest
  | CollectRequest;

export interface ChangeSet {
  readonly count: number;
  /** All of them where they are few, else the first. */
  readonly changes: readonly StoredChange[];
  /** The content that holds all of them, where they are many. */
  readonly list?: string;
}

/** The set itself holds the changes that the calls may have made. */
export interface WalkAnswer extends ChangeSet {
  /** Made before the calls began or after they ended. */
  readonly others?: ChangeSet;
  /** Made by another program at about the time of the calls, which may have changed them too. */
  readonly unclear?: ChangeSet;
  /** Whether the times of files tell the two apart here. */
  readonly hasEvidence: boolean;
  readonly entries: number;
  readonly bytes: number;
  readonly unkept: readonly { reason: Unkept; count: number; paths: readonly UnkeptPath[] }[];
  readonly isCompared: boolean;
  /** Whether the store is near its limit. */
  readonly isNearlyFull: boolean;
  /** The session whose manifest it was compared with. */
  readonly since?: string;
}

export interface ApplyAnswer {
  readonly done: readonly StoredPath[];
  readonly skipped: readonly { path: StoredPath; reason: SkipReason; message?: string }[];
  readonly isVerified: boolean;
  readonly isDiskFull: boolean;
}

export interface CollectAnswer {
  readonly bytes: number;
  /** How many of the given points had to go. */
  readonly dropped: number;
}

export interface Answers {
  open: { manifestOf?: string; hasManifest: boolean };
  walk: WalkAnswer;
  noted: Readonly<Record<string, never>>;
  /** A pair of a path and its state, as a change from nothing. */
  states: readonly StoredChange[];
  /** For each path the names in it. */
  children: readonly (readonly StoredPath[])[];
  has: { known: readonly string[] };
  /** Base64; absent when the content is missing or damaged. */
  read: { bytes?: string };
  list: { changes?: readonly StoredChange[] };
  apply: ApplyAnswer;
  keep: { list: string };
  put: { content: string };
  collect: CollectAnswer;
}

/** A line from the process. */
export type UndoReply =
  | { id: number; value: unknown }
  | { id: number; error: string; isTooLarge?: boolean; isDiskFull?: boolean }
  | { progress: number };
