/** ContentIndex against a Map, over many contents, removals and returns. */

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { ContentIndex } from './content-index.ts';

const hashOf = (number: number) => createHash('sha256').update(String(number)).digest('hex');

it('finds what a map finds, also after removals and while it grows', () => {
  const index = new ContentIndex(3000);
  const map = new Map<string, number>();
  const set = (hash: string, block: number) => {
    if (block % 2 === 0) index.set(hash, block);
    else index.setBytes(new DataView(new Uint8Array(Buffer.from(`00${hash}`, 'hex')).buffer), 1, block);
    map.set(hash, block);
  };
  for (let number = 0; number < 5000; number++) {
    set(hashOf(number), number % 97);
    if (number % 3 === 0) {
      index.delete(hashOf(number / 3));
      map.delete(hashOf(number / 3));
    }
    if (number % 10 === 0) set(hashOf(number), 0);
  }
  index.deleteWhere((block) => block === 5);
  for (const [hash, block] of map) if (block === 5) map.delete(hash);
  set(hashOf(5), 6);
  const all = Array.from({ length: 6000 }, (_, number) => hashOf(number));
  expect(all.map((hash) => [index.has(hash), index.get(hash)])).toEqual(
    all.map((hash) => [map.has(hash), map.get(hash)]),
  );
});
