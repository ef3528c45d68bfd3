import { describe, expect, it } from 'vitest';
import { createUnifiedDiff } from './diff.ts';
import { applyDiff, reverseDiff } from './reverse-diff.ts';

const LABELS = { fileName: 'a.txt', oldHeader: 'before', newHeader: 'after' };
const MANY = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');

describe('reverseDiff', () => {
  it.each([
    ['a changed line', 'one\ntwo\nthree\n', 'one\nTWO\nthree\n'],
    ['added lines', 'one\n', 'one\ntwo\nthree\n'],
    ['removed lines', 'one\ntwo\nthree\n', 'two\n'],
    ['all of it written', '', 'new\nfile\n'],
    ['all of it removed', 'old\n', ''],
    ['a line end that was added', 'one', 'one\n'],
    ['a line end that was removed', 'one\ntwo\n', 'one\ntwo'],
    ['empty lines', 'a\n\n\nb\n', 'a\n\nX\n\nb\n'],
    ['changes far apart', MANY, MANY.replace('line 3\n', 'three\n').replace('line 30\n', '').concat('end\n')],
    ['lines that look like a diff', '+a\n-b\n c\n', '+a\n@@ -1 +1 @@\n c\n'],
  ])('undoes and repeats %s', async (_name, before, after) => {
    const diff = await createUnifiedDiff(before, after, LABELS);
    expect(reverseDiff(after, diff)).toBe(before);
    expect(applyDiff(before, diff)).toBe(after);
  });

  it.each([
    ['\\r\\n', 'one\r\ntwo\r\nthree', 'one\r\nTWO\r\nand\r\nthree'],
    ['mixed line ends', 'one\r\ntwo\nthree\r\nfour\n', 'one\r\nTWO\nthree\r\nfour\n'],
    ['a lone \\r', 'one\rtwo\r\r\nthree\r\n', 'ONE\rtwo\r\r\nthree\r\n'],
  ])('keeps the line ends of the text: %s', async (_name, before, after) => {
    const plain = (text: string) => text.replaceAll('\r\n', '\n');
    const diff = await createUnifiedDiff(plain(before), plain(after), LABELS);
    expect(reverseDiff(after, diff)).toBe(before);
    expect(applyDiff(before, diff)).toBe(after);
    expect(applyDiff(plain(before), diff)).toBe(plain(after));
  });

  it.each([
    ['the changed line is another', 'one\nThree\nthree\n'],
    ['a line around it is another', 'ONE\nTWO\nthree\n'],
    ['there are lines before it', 'zero\none\nTWO\nthree\n'],
    ['the file is empty', ''],
  ])('gives nothing when %s', async (_name, now) => {
    const diff = await createUnifiedDiff('one\ntwo\nthree\n', 'one\nTWO\nthree\n', LABELS);
    expect(reverseDiff(now, diff)).toBeUndefined();
  });

  it('gives nothing for a diff that says nothing', () => {
    expect(reverseDiff('one\n', '--- a\n+++ a\n')).toBeUndefined();
  });
});
