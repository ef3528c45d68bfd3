import { describe, expect, it } from 'vitest';
import { Chunker } from './chunking.ts';
import type { Chunking } from './chunking.ts';

function cut(chunking: Chunking, ...pushes: string[]): string[] {
  const chunker = new Chunker(chunking);
  const chunks = [...pushes.flatMap((text) => chunker.push(Buffer.from(text))), ...chunker.flush()];
  return chunks.map((chunk) => Buffer.from(chunk).toString('latin1'));
}

describe('Chunker', () => {
  it('keeps frames whole', () => {
    expect(cut('frame', 'abc', '', 'de')).toEqual(['abc', 'de']);
  });

  it('cuts at a fixed number of bytes, over the borders of frames', () => {
    expect(cut(2, 'abc', 'de', 'f', 'g')).toEqual(['ab', 'cd', 'ef', 'g']);
  });

  it('cuts inside a character', () => {
    expect(cut(1, 'é')).toEqual(['\xc3', '\xa9']);
  });

  it('cuts the same way for the same seed, and in another for another', () => {
    const body = 'x'.repeat(500);
    const sizes = cut({ seed: 7, max: 9 }, body).map((chunk) => chunk.length);
    expect(cut({ seed: 7, max: 9 }, body).map((chunk) => chunk.length)).toEqual(sizes);
    expect(cut({ seed: 8, max: 9 }, body).map((chunk) => chunk.length)).not.toEqual(sizes);
    expect(new Set(sizes.slice(0, -1))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9]));
  });

  it('refuses chunks of no bytes', () => {
    expect(() => new Chunker(0)).toThrow('A chunk has at least one byte, not 0.');
  });
});
