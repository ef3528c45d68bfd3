/** The sentences about sessions and saved conversations that do not exist or have no usable name. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { saveCheckpoint } from './checkpoint-files.ts';
import { deleteSession } from './session-delete.ts';

const base = mkdtempSync(join(tmpdir(), 'castor-refusals-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const project = { home: base, root: base };

it.each([
  ['', 'Invalid session "": use its number or its id.'],
  ['latest', 'Invalid session "latest": use its number or its id.'],
  ['17', 'No previous sessions found for this project'],
])('castor sessions delete %j says what it needs', async (wanted, sentence) => {
  await expect(deleteSession(wanted, project)).rejects.toThrow(sentence);
});

it('a conversation is not saved under a name the disk cannot hold', () => {
  const save = () => saveCheckpoint(base, 'x'.repeat(400), { history: [] });
  expect(save).toThrow('is too long.');
});
