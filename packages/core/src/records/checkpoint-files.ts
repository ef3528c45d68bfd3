/**
 * Saves, lists and reads conversations under a name the user chose, in Gemini CLI's format:
 * `checkpoint-<encoded name>.json` in the project's folder, `{history, authType}`; `origins`,
 * by the index of the turn, is Castor's own. The name is encoded, so that it cannot point
 * outside the folder. Throws SessionError.
 */

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Content } from '../protocol/content.ts';
import { originOf, withOrigin } from '../protocol/origin.ts';
import { replaceFile } from '../util/replace-file.ts';
import { SessionError, toSessionError } from './session-error.ts';
import { toStoredParts } from './session-parts.ts';
import { storedOriginOf, toStoredOrigin } from './stored-origin.ts';
import { isRecord } from '../util/is-record.ts';

export interface SavedCheckpoint {
  history: Content[];
  /** The authentication type at the time of saving. */
  authType?: string | undefined;
}

export interface CheckpointSummary {
  tag: string;
  /** Milliseconds since the epoch. */
  savedAt: number;
}

const FILE = /^checkpoint-(.+)\.json$/;
const MAX_BYTES = 1024 * 1024 * 1024;

/** Never overwrites an existing checkpoint of the same name. */
export function saveCheckpoint(folder: string, tag: string, checkpoint: SavedCheckpoint): string {
  const path = pathOf(folder, tag);
  if (isThere(path)) {
    throw new SessionError(
      'exists',
      `The conversation "${tag}" already exists. Delete it first, or choose another name.`,
    );
  }
  try {
    const origins = originsOf(checkpoint.history);
    replaceFile(path, `${JSON.stringify({ ...checkpoint, ...(origins && { origins }) }, null, 2)}\n`);
  } catch (error) {
    throw toSessionError(`The conversation cannot be saved to ${path}`, error);
  }
  return path;
}

/** Oldest first. A missing folder holds none. */
export function listCheckpoints(folder: string): CheckpointSummary[] {
  const found = namesIn(folder).flatMap((name) => {
    const tag = decode(FILE.exec(name)?.[1]);
    const stat = tag === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
    return tag !== undefined && stat?.isFile() ? [{ tag, savedAt: stat.mtimeMs }] : [];
  });
  return found.sort((one, other) => one.savedAt - other.savedAt);
}

/** Older files hold only the turns. */
export function readCheckpoint(folder: string, tag: string): SavedCheckpoint {
  const path = pathOf(folder, tag);
  if (!isThere(path)) throw notFound(tag);
  let value: unknown;
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error('it is not a regular file, or too large');
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw toSessionError(`The conversation ${path} is not readable`, error);
  }
  const turns = isRecord(value) ? value['history'] : value;
  const origins = isRecord(value) && isRecord(value['origins']) ? value['origins'] : {};
  const history = Array.isArray(turns) ? turns.flatMap((turn, index) => toTurn(turn, origins[index])) : [];
  if (history.length === 0) throw new SessionError('invalid', `${path} does not contain a conversation.`);
  const authType = isRecord(value) ? value['authType'] : undefined;
  return { history, ...(typeof authType === 'string' && { authType }) };
}

export function deleteCheckpoint(folder: string, tag: string): void {
  const path = pathOf(folder, tag);
  if (!isThere(path)) throw notFound(tag);
  try {
    rmSync(path);
  } catch (error) {
    throw toSessionError(`The conversation "${tag}" cannot be deleted`, error);
  }
}

/** Undefined without any: the file is then Gemini CLI's to the byte. */
function originsOf(history: readonly Content[]): object | undefined {
  const found = history.flatMap((content, index) => {
    const origin = originOf(content);
    return origin ? [[index, origin] as const] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function toTurn(turn: unknown, stored: unknown): Content[] {
  if (!isRecord(turn) || (turn['role'] !== 'user' && turn['role'] !== 'model')) return [];
  const parts = toStoredParts(turn['parts']);
  if (parts.length === 0) return [];
  const origin = storedOriginOf({ content: turn['parts'], origin: toStoredOrigin(stored) }, parts);
  return [withOrigin({ role: turn['role'], parts }, origin)];
}

function pathOf(folder: string, tag: string): string {
  const name = `checkpoint-${encodeURIComponent(tag.toWellFormed())}.json`;
  // The length limit of file systems.
  if (name.length > 250) throw new SessionError('invalid', `The name "${tag.slice(0, 40)}…" is too long.`);
  return join(folder, name);
}

function decode(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    // Not encoded: the file name is the tag.
    return name;
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw toSessionError(`${path} is not accessible`, error);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A missing folder holds no checkpoints.
    return [];
  }
}

function notFound(tag: string): SessionError {
  return new SessionError('not_found', `Unknown conversation "${tag}". To list conversations: /chat list`);
}
