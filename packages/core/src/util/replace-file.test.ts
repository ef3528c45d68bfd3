import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaceFile } from './replace-file.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'castor-replace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('replaceFile', () => {
  it('makes the folders and the file for their owner alone, and replaces it', () => {
    const folder = newFolder();
    const path = join(folder, 'a', 'b', 'file');
    replaceFile(path, 'one');
    replaceFile(path, 'two');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777, readdirSync(join(folder, 'a', 'b'))]).toEqual([
      'two',
      0o600,
      ['file'],
    ]);
  });

  it.each([
    ['its place is taken', () => {}],
    [
      'it cannot be prepared',
      () => {
        throw new Error('no');
      },
    ],
  ])('leaves nothing behind when %s', (_name, prepare) => {
    const folder = newFolder();
    mkdirSync(join(folder, 'taken', 'by'), { recursive: true });
    expect(() => replaceFile(join(folder, 'taken'), 'text', { prepare })).toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
  });

  it('passes by what a killed process of the same number left', () => {
    const folder = newFolder();
    const left = Array.from({ length: 20 }, (_, index) => `.file.${process.pid}.${index}.tmp`);
    for (const name of left) writeFileSync(join(folder, name), 'half');
    replaceFile(join(folder, 'file'), 'whole');
    expect(readdirSync(folder).toSorted()).toEqual([...left, 'file'].toSorted());
  });
});
