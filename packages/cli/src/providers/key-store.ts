/**
 * Stores keys for `castor login`: in the keyring of the system, or as plain text in a file that only its owner can read.
 * The file lists what is stored and where, so that a start asks the keyring only for a key that is there. A key belongs
 * to the address it was entered for and is never sent to another.
 */

import { chmodSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { debugLogger } from '@castor/core';
import { isRecord, replaceFile, userDirectory } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';

export type KeyPlace = 'keyring' | 'file';

export interface StoredKey {
  id: string;
  place: KeyPlace;
  /** The scheme, host and port of the provider when the key was stored. */
  origin: string;
  /** When it was stored, as a date. */
  date?: string | undefined;
}

interface Entry extends Omit<StoredKey, 'id'> {
  /** Only in the file. */
  key?: string | undefined;
}

const SERVICE = 'castor';
const OTHERS_MAY_READ = 0o077;

export function keyFile(home: string): string {
  return join(userDirectory(home), 'castor-keys.json');
}

/** What is stored, without the keys. Throws an ExitError for an unusable file. */
export function listStoredKeys(home: string): StoredKey[] {
  return Object.entries(readEntries(home)).map(([id, { key: _key, ...entry }]) => ({ id, ...entry }));
}

export interface FoundKey {
  value: string;
  source: string;
}

/** Undefined where none is stored for this provider at this address. Throws an ExitError for a place that fails. */
export async function readStoredKey(home: string, id: string, baseUrl: string): Promise<FoundKey | undefined> {
  const entry = readEntries(home)[id];
  if (entry === undefined || entry.origin !== originOf(baseUrl)) return undefined;
  const value = entry.place === 'file' ? entry.key : await readKeyring(id);
  debugLogger.hide(value);
  const source = entry.place === 'file' ? keyFile(home) : 'the keyring (castor login)';
  return value ? { value, source } : undefined;
}

/** Whether the system has a keyring that answers; a variable of Gemini CLI prefers the file. */
export async function hasKeyring(environment: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const { openKeyring } = await import('../keyring.ts');
  return (await openKeyring(environment)) !== undefined;
}

/** Throws an Error when the place rejects it. */
export async function storeKey(
  home: string,
  stored: { id: string; baseUrl: string; key: string; place: KeyPlace },
): Promise<void> {
  const { id, baseUrl, key, place } = stored;
  if (place === 'keyring') await (await openStore()).write(SERVICE, id, key);
  const date = new Date().toISOString().slice(0, 10);
  const entry: Entry = { place, origin: originOf(baseUrl), date, ...(place === 'file' && { key }) };
  writeEntries(home, { ...repairEntries(home), [id]: entry });
}

/** Resolves to whether there was one. */
export async function forgetStoredKey(home: string, id: string): Promise<boolean> {
  // One that is no JSON may hold the key: only its deletion is a logout.
  const { [id]: entry, ...rest } = repairEntries(home, { isReplaced: false });
  if (entry === undefined) return false;
  if (entry.place === 'keyring') await (await openStore()).remove(SERVICE, id);
  writeEntries(home, rest);
  return true;
}

async function readKeyring(id: string): Promise<string | undefined> {
  try {
    return await (await openStore()).read(SERVICE, id);
  } catch {
    const words = `the keyring of the system did not answer, and the key of ${id} is stored in it. Unlock it, or store the key again with: castor login ${id}`;
    throw new ExitError(ExitCode.Unauthorized, words);
  }
}

/** Throws where no keyring answers. */
async function openStore() {
  const { openKeyring } = await import('../keyring.ts');
  const store = await openKeyring({});
  if (!store) throw new Error('The keyring of the system did not answer.');
  return store;
}

/**
 * For a change of the file: makes one that others may read private to its owner, and moves one that is no JSON aside, so
 * that the commands that change it can be the cure. Throws an ExitError for one that the system does not let us read.
 */
function repairEntries(home: string, { isReplaced } = { isReplaced: true }): Record<string, Entry> {
  const path = keyFile(home);
  try {
    return readEntries(home);
  } catch (error) {
    if (!(error instanceof KeyFileError) || error.kind === 'unreadable') throw error;
    chmodSync(path, 0o600);
    if (error.kind === 'open') return repairEntries(home, { isReplaced });
    if (!isReplaced) throw error;
    renameSync(path, `${path}.broken`);
    return {};
  }
}

function readEntries(home: string): Record<string, Entry> {
  const path = keyFile(home);
  let text: string;
  try {
    const { mode } = statSync(path);
    if (process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0) {
      const words = `${path} holds keys and other users may read it. Run: chmod 600 ${path}`;
      throw new KeyFileError(ExitCode.Unauthorized, words, 'open');
    }
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (error instanceof ExitError) throw error;
    throw unusable(path, (error as NodeJS.ErrnoException).code ?? 'unreadable', 'unreadable');
  }
  try {
    const parsed: unknown = JSON.parse(text);
    const keys = isRecord(parsed) && isRecord(parsed['keys']) ? parsed['keys'] : {};
    return Object.fromEntries(Object.entries(keys).flatMap(([id, entry]) => (isEntry(entry) ? [[id, entry]] : [])));
  } catch {
    throw unusable(path, 'invalid JSON', 'broken');
  }
}

function isEntry(value: unknown): value is Entry {
  return (
    isRecord(value) &&
    (value['place'] === 'keyring' || value['place'] === 'file') &&
    typeof value['origin'] === 'string'
  );
}

/** Why the file cannot be used: others may read it, it is no JSON, or the system does not let us read it. */
type KeyFileProblem = 'open' | 'broken' | 'unreadable';

class KeyFileError extends ExitError {
  readonly kind: KeyFileProblem;

  constructor(exitCode: ExitCode, message: string, kind: KeyFileProblem) {
    super(exitCode, message);
    this.kind = kind;
  }
}

function unusable(path: string, reason: string, kind: KeyFileProblem): KeyFileError {
  return new KeyFileError(
    ExitCode.Settings,
    `${path} is not readable (${reason}). Delete it and store your keys again with: castor login <provider>`,
    kind,
  );
}

function writeEntries(home: string, keys: Record<string, Entry>): void {
  replaceFile(keyFile(home), `${JSON.stringify({ version: 1, keys }, null, 2)}\n`);
}

function originOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.origin ?? baseUrl;
}
