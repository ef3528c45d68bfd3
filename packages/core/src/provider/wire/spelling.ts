/**
 * Spells tool names and call ids as a protocol accepts them, and names back. Deterministic: equal names and ids have equal
 * spellings in every request, which prompt caches require.
 */

import { builtin } from '../../util/builtin-modules.ts';

const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const LEGAL_ID = /^[A-Za-z0-9_-]{1,40}$/;
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 8;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A name that every provider accepts; one that had to be changed ends in a hash of the original. */
export function spellName(name: string): string {
  if (LEGAL_NAME.test(name)) return name;
  const hash = hashOf(name, HASH_LENGTH);
  const legal = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1);
  return `${legal}_${hash}`;
}

/** Maps spelled names back to the declared ones. An unknown name is returned as it is. */
export function createNameReader(declared: Iterable<string>): (spelled: string) => string {
  const changed = new Map<string, string>();
  for (const name of declared) {
    const spelled = spellName(name);
    if (spelled !== name) changed.set(spelled, name);
  }
  return (spelled) => changed.get(spelled) ?? spelled;
}

/** An id of at most 40 letters, digits, `_` and `-`; with `length`, exactly so many letters and digits. */
export function spellCallId(id: string, length?: number): string {
  if (length !== undefined) return new RegExp(`^[A-Za-z0-9]{${length}}$`).test(id) ? id : hashOf(id, length);
  return LEGAL_ID.test(id) ? id : hashOf(id, 32);
}

/** Base 62, from SHA-256. */
function hashOf(text: string, length: number): string {
  const digest = builtin.crypto.createHash('sha256').update(text).digest();
  let value = BigInt(`0x${digest.toString('hex')}`);
  let hash = '';
  while (hash.length < length) {
    hash += ALPHABET[Number(value % 62n)];
    value /= 62n;
  }
  return hash;
}
