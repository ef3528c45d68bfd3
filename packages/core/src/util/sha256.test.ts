import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256 } from './sha256.ts';

describe('sha256', () => {
  it('agrees with the crypto module at every length around a block, and beyond ASCII', () => {
    const texts = [
      ...Array.from({ length: 140 }, (_, length) => 'a'.repeat(length)),
      '/home/björn/проект',
      '🦫'.repeat(40),
    ];
    expect(texts.map(sha256)).toEqual(texts.map((text) => createHash('sha256').update(text).digest('hex')));
  });
});
