/**
 * Seals exact copies of the user's files, which may hold secrets, with a key of the folder they are kept in. A search
 * through files, a backup of single files or an upload finds nothing; the owner of the folder, who has the key, does.
 */

// oxlint-disable-next-line no-restricted-imports -- every room that keeps copies of files needs it, and they share no other
import { closeSync, linkSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtin } from './builtin-modules.ts';
import { makeDirectory } from './make-directory.ts';

const KEY_FILE = '.seal';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** How many bytes a seal adds. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

export class Seal {
  private readonly folder: string;
  private key: Buffer | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Throws file-system errors where the key can be neither read nor made. */
  close(bytes: Uint8Array): Buffer {
    this.key ??= readOrCreateKey(join(this.folder, KEY_FILE));
    const nonce = builtin.crypto.randomBytes(NONCE_BYTES);
    const cipher = builtin.crypto.createCipheriv(CIPHER, this.key, nonce);
    const sealed = Buffer.concat([nonce, Buffer.alloc(TAG_BYTES), cipher.update(bytes), cipher.final()]);
    cipher.getAuthTag().copy(sealed, NONCE_BYTES);
    return sealed;
  }

  /** Undefined for bytes that this key did not seal. */
  open(sealed: Buffer): Buffer | undefined {
    try {
      this.key ??= readKey(join(this.folder, KEY_FILE));
      const decipher = builtin.crypto.createDecipheriv(CIPHER, this.key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, SEAL_BYTES));
      const bytes = decipher.update(sealed.subarray(SEAL_BYTES));
      // Proves the tag; this cipher has no bytes left to give.
      decipher.final();
      return bytes;
    } catch {
      // Damaged, cut off, or of another folder.
      return undefined;
    }
  }
}

function readKey(path: string, bytes = KEY_BYTES): Buffer {
  const found = readFileSync(path);
  if (found.length === bytes) return found;
  throw new Error(`${path} does not hold a key of ${bytes} bytes. Remove it to have a new one made.`);
}

/** Another process may create it at the same time: the first one wins. */
export function readOrCreateKey(path: string, bytes = KEY_BYTES): Buffer {
  try {
    return readKey(path, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  makeDirectory(dirname(path));
  const key = builtin.crypto.randomBytes(bytes);
  // Linked into place whole: a reader never finds a part of it.
  const own = `${path}.${process.pid}.${builtin.crypto.randomBytes(4).toString('hex')}`;
  const file = openSync(own, 'wx', 0o600);
  try {
    writeFileSync(file, key);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(own, path);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readKey(path, bytes);
  } finally {
    unlinkSync(own);
  }
}
