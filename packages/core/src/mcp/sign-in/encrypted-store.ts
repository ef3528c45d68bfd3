/**
 * Reads the file in which Gemini CLI keeps secrets where it found no keychain (`gemini-credentials.json`). Its key
 * follows from the names of the machine and the user, so the file is unreadable after either changes. Castor never
 * writes it.
 */

import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { promisify } from 'node:util';
import { builtin } from '../../util/builtin-modules.ts';
import { isRecord } from '../../util/is-record.ts';

const PASSPHRASE = 'gemini-cli-oauth';
const SERVICE = 'gemini-cli-oauth';

/** Secrets by account; undefined without a file. Throws an Error that says why the file is unreadable. */
export async function readEncryptedStore(
  file: string,
  machine = { host: hostname(), user: userInfo().username },
): Promise<Record<string, string> | undefined> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} is not readable: ${(error as Error).message}`, { cause: error });
  }
  try {
    const values: unknown = JSON.parse(await decrypt(text, `${machine.host}-${machine.user}-gemini-cli`));
    const secrets = isRecord(values) ? values[SERVICE] : undefined;
    const entries = Object.entries(isRecord(secrets) ? secrets : {});
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch (error) {
    const why = 'Gemini CLI encrypted it on a machine or for a user of another name, or it is damaged';
    throw new Error(`${file} is not readable: ${why}.`, { cause: error });
  }
}

async function decrypt(text: string, salt: string): Promise<string> {
  const [iv = '', tag = '', content = ''] = text.trim().split(':');
  const { scrypt, createDecipheriv } = builtin.crypto;
  const key = (await promisify<string, string, number, Buffer>(scrypt)(PASSPHRASE, salt, 32)) as Uint8Array;
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'hex'));
  decipher.setAuthTag(Buffer.from(tag, 'hex'));
  return Buffer.concat([decipher.update(Buffer.from(content, 'hex')), decipher.final()]).toString('utf8');
}
