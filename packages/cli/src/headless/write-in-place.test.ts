import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeInPlace } from './write-in-place.ts';

it('writes a line in the blocks that the file has, and keeps all before them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'castor-in-place-'));
  try {
    for (const size of [0, 5, 100, 4095, 4096, 4097, 4120, 8192, 10_000]) {
      const path = join(folder, String(size));
      writeFileSync(path, 'a'.repeat(size));
      const file = openSync(path, 'a');
      const { blksize } = fstatSync(file);
      writeInPlace('the line', file);
      closeSync(file);
      const text = readFileSync(path, 'utf8');
      expect(text).toMatch(/^a*\nthe line\n$/);
      // The line is in the last block that was there, or in the one before it.
      expect(text.length).toBeLessThanOrEqual(Math.max(1, Math.ceil(size / blksize)) * blksize);
      expect(text.length).toBeGreaterThanOrEqual(size - (size % blksize) - blksize);
      expect(Math.floor((text.length - 10) / blksize)).toBe(Math.floor((text.length - 1) / blksize));
      if (size > 10) expect((text.length - 10) % blksize).not.toBe(0);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
