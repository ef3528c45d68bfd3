import { describe, expect, it } from 'vitest';
import { mergeText } from './merge-text.ts';

const LABELS = { ours: 'here', theirs: 'branch' };
const BASE = 'a\nb\nc\nd\ne\n';

describe('mergeText', () => {
  it.each([
    ['changes of one side', BASE, 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\ne\n'],
    ['changes of both in different places', 'a\nb\nc\nd\nE\n', 'A\nb\nc\nd\ne\n', 'A\nb\nc\nd\nE\n'],
    ['the same change of both', 'a\nX\nc\nd\ne\n', 'a\nX\nc\nd\ne\n', 'a\nX\nc\nd\ne\n'],
    ['an insertion and a deletion', 'a\nb\nnew\nc\nd\ne\n', 'a\nb\nc\ne\n', 'a\nb\nnew\nc\ne\n'],
    ['a last line without an end', 'a\nb\nc\nd\ne\nf', 'A\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\nf'],
  ])('takes %s', (_name, ours, theirs, merged) => {
    expect(mergeText(BASE, ours, theirs, LABELS)).toEqual({ text: merged, conflicts: 0 });
  });

  it('marks what both changed differently', () => {
    expect(mergeText(BASE, 'a\nours\nc\nd\ne\n', 'a\ntheirs\nc\nd\ne\n', LABELS)).toEqual({
      text: 'a\n<<<<<<< here\nours\n=======\ntheirs\n>>>>>>> branch\nc\nd\ne\n',
      conflicts: 1,
    });
  });
});
