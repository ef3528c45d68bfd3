import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFile } from './read-state.ts';
import { isOwnTemporary } from './walk-rules.ts';

it('has no state for a file that is gone since it was found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'castor-state-'));
  const path = join(folder, 'a');
  writeFileSync(path, 'one');
  const found = lstatSync(path);
  expect(readFile(path, found, () => 'kept', 100)).toMatchObject({ kind: 'file', content: 'kept' });
  rmSync(folder, { recursive: true });
  expect(readFile(path, found, () => 'kept', 100)).toBeNull();
});

it.each([
  ['.castor-0123abcd-4711-0123456789abcdef01.tmp', true],
  ['.castor-undo-4711-lx2-0.tmp', true],
  ['.castor-stamp', false],
  ['.castor-notes.tmp', false],
])("knows the temporary files of Castor's own writes: %s", (name, isOwn) => {
  expect(isOwnTemporary(name)).toBe(isOwn);
});
