/**
 * Keeps copies of files from before a session changed them, in the session's own folder,
 * named by the fingerprint of their content, readable by the owner only and removed with the
 * session. Each content is stored once; a copy that does not match its fingerprint counts as
 * missing. A failed copy does not prevent the change.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_FILE_BYTES } from '../tools/files/file-store.ts';
import { fingerprint } from '../tools/files/read-ledger.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { Seal, SEAL_BYTES } from '../util/sealed-bytes.ts';
import { replaceFile } from '../util/replace-file.ts';
import type { FileChange } from './session-file.ts';

/** Per session. */
const MAX_KEPT_BYTES = 200 * 1024 * 1024;
const REFERENCE = /^[A-Za-z0-9_-]+\/pre-images\/([0-9a-f]{64})$/;

/** Sealed: a copy holds whatever the file held. Copies of earlier versions are plain. */
const SUFFIX = '.sealed';

export class PreImages {
  private readonly seal: Seal;
  private readonly chats: string;
  private readonly folder: string;
  private bytes: number | undefined;

  /** `chats`: the folder of the session's file. */
  constructor(chats: string, sessionId: string) {
    this.chats = chats;
    this.seal = new Seal(chats);
    this.folder = join(sessionId, 'pre-images');
  }

  /** Returns the copy's path relative to the folder of sessions; undefined when no copy was made. */
  async keep(bytes: Uint8Array, print: string): Promise<string | undefined> {
    const path = join(this.chats, this.folder, `${print}${SUFFIX}`);
    const reference = `${this.folder.replaceAll('\\', '/')}/${print}`;
    try {
      const found = await stat(path).catch(() => undefined);
      if (found?.size === bytes.length + SEAL_BYTES) return reference;
      this.bytes ??= this.measure();
      if (this.bytes + bytes.length > MAX_KEPT_BYTES) return undefined;
      replaceFile(path, this.seal.close(bytes), { isSynced: false });
      this.bytes += bytes.length;
      return reference;
    } catch {
      // For example on a full disk: the change is still recorded, only without its pre-image.
      return undefined;
    }
  }

  private measure(): number {
    const folder = join(this.chats, this.folder);
    makeDirectory(folder);
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}

/** Undefined when the copy is missing or does not match its fingerprint. */
export function readPreImage(chats: string, reference: string): Buffer | undefined {
  const [, print] = REFERENCE.exec(reference) ?? [];
  if (print === undefined) return undefined;
  const bytes = readCopy(join(chats, reference));
  return bytes && fingerprint(bytes) === print ? bytes : undefined;
}

/** A copy by its path without the suffix, in whichever form it is kept; unchecked. */
export function readCopy(path: string): Buffer | undefined {
  const sealed = readRegularFile(`${path}${SUFFIX}`);
  return sealed ? new Seal(join(path, '..', '..', '..')).open(sealed) : readRegularFile(path);
}

/** Whether the file is in the state before the change, after the change, or in another one. */
export function stateOf({ path, before, after }: FileChange): 'before' | 'after' | 'other' {
  const bytes = readRegularFile(path);
  const now = bytes ? fingerprint(bytes) : isAbsent(path) ? null : undefined;
  if (now === after) return 'after';
  return now === before ? 'before' : 'other';
}

function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // A foreign folder: its contents are unknown.
    return false;
  }
}

/** Never blocks: the path comes from a file, and may be a pipe by now. */
function readRegularFile(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(file);
    return found.isFile() && found.size <= MAX_FILE_BYTES ? readFileSync(file) : undefined;
  } catch {
    // Missing or unreadable: the caller decides what that means.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
