import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createUnifiedDiff } from '../tools/files/diff.ts';
import { fingerprint } from '../tools/files/read-ledger.ts';
import { createEditedFile } from './edited-file.ts';
import { PreImages } from './pre-images.ts';

const BEFORE = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');
const AFTER = BEFORE.replace('line 20\n', 'LINE\n');

describe('the versions of an edited file', () => {
  const chats = mkdtempSync(join(tmpdir(), 'castor-edited-'));
  afterEach(() => rm(chats, { recursive: true, force: true }));

  const diffOf = async (before: string, after: string, isNewFile = false) => ({
    fileDiff: await createUnifiedDiff(before, after, { fileName: 'a', oldHeader: 'x', newHeader: 'y' }),
    fileName: 'a',
    filePath: '/a',
    isNewFile,
  });
  const changeOf = (preImage?: string) => ({
    callId: 'c',
    path: '/a',
    before: 'x',
    after: 'y',
    ...(preImage && { preImage }),
  });

  it('are whole where a copy of the file before the edit exists', async () => {
    const bytes = Buffer.from(BEFORE);
    const preImage = await new PreImages(chats, 's').keep(bytes, fingerprint(bytes));
    const shown = createEditedFile(chats)(await diffOf(BEFORE, AFTER), changeOf(preImage));
    expect(shown).toMatchObject({ originalContent: BEFORE, newContent: AFTER });
  });

  it('have the line ends of the file', async () => {
    const bytes = Buffer.from(`\uFEFF${BEFORE.replaceAll('\n', '\r\n')}`);
    const preImage = await new PreImages(chats, 's').keep(bytes, fingerprint(bytes));
    const shown = createEditedFile(chats)(await diffOf(BEFORE, AFTER), changeOf(preImage));
    const [originalContent, newContent] = [BEFORE, AFTER].map((text) => text.replaceAll('\n', '\r\n'));
    expect(shown).toMatchObject({ originalContent, newContent });
  });

  it('are whole for a file that the call created', async () => {
    const shown = createEditedFile(chats)(await diffOf('', 'new\nfile', true), undefined);
    expect(shown).toMatchObject({ originalContent: null, newContent: 'new\nfile' });
  });

  it.each([
    ['without a copy', undefined],
    ['with a copy that is gone', `s/pre-images/${'0'.repeat(64)}`],
  ])('are the lines around the change %s', async (_name, preImage) => {
    const shown = createEditedFile(chats)(await diffOf(BEFORE, AFTER), changeOf(preImage));
    const around = (line: string) => `line 17\nline 18\nline 19\n${line}\nline 21\nline 22\nline 23\n`;
    expect(shown).toMatchObject({ originalContent: around('line 20'), newContent: around('LINE') });
  });
});
