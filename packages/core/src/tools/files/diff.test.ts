import { createTwoFilesPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { createDiffStat, createSnippet, createUnifiedDiff, findLineSplices } from './diff.ts';
import { applyToText } from './text-file.ts';

const LABELS = { fileName: 'f', oldHeader: 'Current', newHeader: 'Proposed' };

/** The reference, without its index lines. */
function reference(before: string, after: string): string {
  return createTwoFilesPatch('f', 'f', before, after, 'Current', 'Proposed', { context: 3 }).replace(
    /^Index: .*\n=+\n/,
    '',
  );
}

describe('createUnifiedDiff', () => {
  const numbers = Array.from({ length: 60 }, (_, index) => `line ${index}\n`);
  const changed = numbers.toSpliced(20, 2, 'new\n').toSpliced(50, 0, 'more\n', 'and more\n');
  it.each([
    ['a change', 'a\nb\nc\n', 'a\nB\nc\n'],
    ['two changes far apart', numbers.join(''), changed.join('')],
    ['a new file', '', 'a\nb\n'],
    ['an emptied file', 'a\nb\n', ''],
    ['a missing last line end', 'a\nb', 'a\nb\n'],
    ['a repeated line', 'x\n'.repeat(9), 'x\n'.repeat(10)],
    ['an addition at the end', numbers.join(''), `${numbers.join('')}last\n`],
  ])('says what the reference says of %s', async (_, before, after) => {
    expect(await createUnifiedDiff(before, after, LABELS)).toBe(reference(before, after));
  });

  it('keeps a name with a line break on its line', async () => {
    const diff = await createUnifiedDiff('', 'a\n', { ...LABELS, fileName: 'one\n+two' });
    expect(diff.split('\n').slice(0, 3)).toEqual([
      '--- "one\\n+two"\tCurrent',
      '+++ "one\\n+two"\tProposed',
      expect.stringMatching(/^@@ /),
    ]);
  });
});

describe('createSnippet', () => {
  it('shows five lines around each change, and dots between', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `${index}`);
    const after = lines.with(10, 'ten').with(30, 'thirty');
    expect(await createSnippet(lines.join('\n'), after.join('\n'))).toBe(
      [...after.slice(5, 16), '...', ...after.slice(25, 36)].join('\n'),
    );
  });
});

describe('createDiffStat', () => {
  it('tells the model from the user', async () => {
    expect(await createDiffStat('a\n', 'a\nbb\n', 'a\nccc\n')).toEqual({
      model_added_lines: 1,
      model_removed_lines: 0,
      model_added_chars: 2,
      model_removed_chars: 0,
      user_added_lines: 1,
      user_removed_lines: 1,
      user_added_chars: 3,
      user_removed_chars: 2,
    });
  });
});

describe('findLineSplices', () => {
  it('turns any text into any other', async () => {
    let seed = 5;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    const text = () =>
      Array.from({ length: random(30) }, () => ['a\n', 'b\n', '\n', 'long line\n', 'tail'][random(5)]!).join('');
    for (let round = 0; round < 300; round++) {
      const [before, after] = [text(), text()];
      expect(applyToText(before, await findLineSplices(before, after))).toBe(after);
    }
  });
});
