import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blameFullDisk, isFullDisk } from './full-disk.ts';

it('knows a full disk by its code, and by the words of git', () => {
  expect(isFullDisk(Object.assign(new Error('write'), { code: 'EDQUOT' }))).toBe(true);
  expect(isFullDisk(new Error('git add failed: error: unable to write file a: No space left on device'))).toBe(true);
  expect(isFullDisk(new Error('The folder a does not exist.'))).toBe(false);
});

it('does not believe the words of a test where there is room, and leaves nothing behind', ({ skip }) => {
  const own = mkdtempSync(join(tmpdir(), 'castor-full-disk-'));
  try {
    const output = join(own, 'check.txt');
    writeFileSync(output, 'FAIL it says "No space left on device"\n');
    const here = { own, folders: [own, undefined, join(own, 'gone')], outputs: [output, join(own, 'none')] };
    if (process.getBuiltinModule('node:fs').statfsSync(own).bavail < 100_000) skip('There is little room here.');
    expect(() => blameFullDisk(here)).not.toThrow();
    expect(readdirSync(own)).toEqual(['check.txt']);
    // A disk that has no room at all.
    expect(() => blameFullDisk({ ...here, folders: ['/proc'] })).toThrow('no space left on device: /proc');
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
});
