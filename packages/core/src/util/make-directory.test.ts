import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeDirectory } from './make-directory.ts';

const folder = mkdtempSync(join(tmpdir(), 'castor-make-directory-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('makeDirectory', () => {
  it('makes what is missing, for the owner alone, and leaves what is there', () => {
    makeDirectory(join(folder, 'a', 'b', 'c'));
    makeDirectory(join(folder, 'a', 'b', 'c'));
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'a', 'b', 'c')).isDirectory()).toBe(true);
  });

  it('fails where a file is in the way', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeDirectory(join(folder, 'file'))).toThrow('EEXIST');
    expect(() => makeDirectory(join(folder, 'file', 'below'))).toThrow('ENOTDIR');
  });

  it.runIf(process.platform === 'linux')('fails, and ends, where nothing can be made', () => {
    expect(() => makeDirectory('/proc/nobody/.gemini/tmp')).toThrow('ENOENT');
  });
});
