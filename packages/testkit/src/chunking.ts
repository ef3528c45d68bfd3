/**
 * Decides where the bytes of a body are cut. It owns the sizes only; the writer decides when the rest must be flushed
 * (before a gate, before an ending).
 */

import { seededRandom } from './seeded-random.ts';

/**
 * `frame`: one write per frame. A number: chunks of that many bytes, over frame
 * borders. A seed: chunks of 1 to `max` (default 64) bytes, the same on each run.
 */
export type Chunking = 'frame' | number | { readonly seed: number; readonly max?: number };

const DEFAULT_LONGEST_CHUNK = 64;

export class Chunker {
  private readonly nextSize: (() => number) | undefined;
  private size = 0;
  private waiting: Uint8Array = new Uint8Array(0);

  constructor(chunking: Chunking) {
    this.nextSize = sizes(chunking);
    this.size = this.nextSize?.() ?? 0;
  }

  /** The chunks that these bytes complete. */
  push(bytes: Uint8Array): Uint8Array[] {
    if (!this.nextSize) return bytes.length === 0 ? [] : [bytes];
    const all = this.waiting.length === 0 ? bytes : Buffer.concat([this.waiting, bytes]);
    const chunks: Uint8Array[] = [];
    let start = 0;
    while (all.length - start >= this.size) {
      chunks.push(all.subarray(start, start + this.size));
      start += this.size;
      this.size = this.nextSize();
    }
    this.waiting = all.subarray(start);
    return chunks;
  }

  /** The rest, however short. */
  flush(): Uint8Array[] {
    const rest = this.waiting;
    this.waiting = new Uint8Array(0);
    return rest.length === 0 ? [] : [rest];
  }
}

function sizes(chunking: Chunking): (() => number) | undefined {
  if (chunking === 'frame') return undefined;
  if (typeof chunking === 'number') {
    if (!Number.isInteger(chunking) || chunking < 1)
      throw new RangeError(`A chunk has at least one byte, not ${chunking}.`);
    return () => chunking;
  }
  const random = seededRandom(chunking.seed);
  const longest = chunking.max ?? DEFAULT_LONGEST_CHUNK;
  return () => 1 + Math.floor(random() * longest);
}
