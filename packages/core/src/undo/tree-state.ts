/**
 * The state of one path of the workspace, as undo records, compares and restores it: its kind, mode and content, by the
 * SHA-256 of its bytes. A content that is not kept is named by the reason and the file's size and time. Pure.
 */

import { fromStoredPath, toStoredPath } from './byte-path.ts';
import type { StoredPath } from './byte-path.ts';

/** The mode of a file of which only the content is on record, and of a folder that an edit made. */
export const AS_IT_IS = -1;

export interface FileState {
  readonly kind: 'file';
  readonly mode: number;
  /** 64 hex digits, or `~<reason>:<size>:<time>`. */
  readonly content: string;
  readonly size: number;
  /** Only of a file with several names: the inode they share. */
  readonly inode?: number | undefined;
}

/** Absent paths are null. `other`: a pipe, a socket, a device, or the root of another file system. */
export type TreeState =
  | FileState
  | { readonly kind: 'folder'; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' }
  | null;

export interface TreeChange {
  /** A byte string, relative to the workspace. */
  readonly path: string;
  readonly before: TreeState;
  readonly after: TreeState;
}

/** Why a content is not kept. */
export type Unkept = 'large' | 'unreadable' | 'rebuildable' | 'full' | 'busy';

const UNKEPT: ReadonlySet<string> = new Set<Unkept>(['large', 'unreadable', 'rebuildable', 'full', 'busy']);

export function unkeptContent(reason: Unkept, size: number, changedAt: number): string {
  return `~${reason}:${size}:${changedAt}`;
}

/** Undefined for a kept content. */
export function unkeptReason(content: string): Unkept | undefined {
  if (!content.startsWith('~')) return undefined;
  const [, reason = ''] = /^~([a-z]+):/.exec(content) ?? [];
  return UNKEPT.has(reason) ? (reason as Unkept) : undefined;
}

/** Of a path that could not be looked up, for a folder above it was closed. */
export const UNKNOWN: FileState = {
  ...{ kind: 'file', mode: AS_IT_IS, size: 0 },
  content: unkeptContent('unreadable', 0, 0),
};

export function isSameState(left: TreeState, right: TreeState): boolean {
  if (left === null || right === null) return left === right;
  if (left.kind === 'file')
    return right.kind === 'file' && left.content === right.content && isSameMode(left.mode, right.mode);
  if (left.kind === 'folder') return right.kind === 'folder' && isSameMode(left.mode, right.mode);
  if (left.kind === 'link') return right.kind === 'link' && left.target === right.target;
  return right.kind === 'other';
}

function isSameMode(left: number, right: number): boolean {
  return left === right || left === AS_IT_IS || right === AS_IT_IS;
}

type StoredState =
  | null
  | readonly ['f', number, string, number, number?]
  | readonly ['d', number]
  | readonly ['l', StoredPath]
  | readonly ['o'];

export type StoredChange = readonly [path: StoredPath, before: StoredState, after: StoredState];

export function toStoredChange({ path, before, after }: TreeChange): StoredChange {
  return [toStoredPath(path), toStoredState(before), toStoredState(after)];
}

/** Undefined for anything else than a stored change. */
export function fromStoredChange(value: unknown): TreeChange | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [stored, before, after] = value as unknown[];
  const path = toPath(stored);
  const states = [before, after].map(fromStoredState);
  const isUsable = path !== undefined && !path.startsWith('/') && !path.split('/').includes('..');
  if (!isUsable || states.includes(undefined)) return undefined;
  return { path, before: states[0] as TreeState, after: states[1] as TreeState };
}

function toStoredState(state: TreeState): StoredState {
  if (state === null) return null;
  if (state.kind === 'folder') return ['d', state.mode];
  if (state.kind === 'link') return ['l', toStoredPath(state.target)];
  if (state.kind === 'other') return ['o'];
  const { mode, content, size, inode } = state;
  return inode === undefined ? ['f', mode, content, size] : ['f', mode, content, size, inode];
}

function fromStoredState(value: unknown): TreeState | undefined {
  if (value === null) return null;
  if (!Array.isArray(value)) return undefined;
  const [kind, first, content, size, inode] = value as unknown[];
  if (kind === 'o') return { kind: 'other' };
  if (kind === 'l') {
    const target = toPath(first);
    return target === undefined ? undefined : { kind: 'link', target };
  }
  if (typeof first !== 'number') return undefined;
  if (kind === 'd') return { kind: 'folder', mode: first };
  if (kind !== 'f' || typeof content !== 'string' || typeof size !== 'number') return undefined;
  return { kind: 'file', mode: first, content, size, ...(typeof inode === 'number' && { inode }) };
}

function toPath(value: unknown): string | undefined {
  const isPath = typeof value === 'string' || (typeof value === 'object' && value !== null && 'b' in value);
  return isPath ? fromStoredPath(value as StoredPath) : undefined;
}
