/** A new file that waits to be put in place, and what happens to the old one meanwhile. */

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { releaseFolder } from './held-folder.ts';
import { lstatOf } from './read-state.ts';
import { writeFile } from './write-exactly.ts';

const before = process.cwd();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-write-'));
  process.chdir(folder);
  writeFileSync('file', 'old');
});

afterEach(() => {
  releaseFolder();
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const ready = () =>
  writeFile('file', { kind: 'file', mode: 0o640, content: '', size: 3 }, Buffer.from('new'), lstatOf('file'))!;

it('replaces the file when it is put in place, also after its folder was let go', async () => {
  const file = ready();
  expect(readFileSync('file', 'utf8')).toBe('old');
  releaseFolder();
  await file.put();
  expect([readFileSync('file', 'utf8'), lstatOf('file')!.mode & 0o777]).toEqual(['new', 0o640]);
  expect(readdirSync('.')).toEqual(['file']);
});

it.each(['put', 'putNow'] as const)('leaves what the user wrote in the meantime: %s', async (how) => {
  const file = ready();
  writeFileSync('file', 'of the user');
  await expect((async () => file[how]())()).rejects.toThrow('it changed at this moment');
  expect([readFileSync('file', 'utf8'), readdirSync('.')]).toEqual(['of the user', ['file']]);
});
