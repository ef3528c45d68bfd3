/** Ids and signatures as long and as opaque as the vendors' own, equal on every run. */

import { createHash } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function madeId(prefix: string, length: number, ...seed: readonly (string | number)[]): string {
  let made = '';
  for (let round = 0; made.length < length; round++) {
    const digest = createHash('sha256')
      .update(JSON.stringify([prefix, round, ...seed]))
      .digest();
    for (const byte of digest) made += ALPHABET[byte % ALPHABET.length];
  }
  return prefix + made.slice(0, length);
}
