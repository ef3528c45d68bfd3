import { describe, expect, it } from 'vitest';
import { applyHunks, parsePatch } from './parse-patch.ts';

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const update = (text: string, ...lines: string[]) =>
  applyHunks(text, parsePatch(patch('*** Update File: a', ...lines))[0]!);

describe('parsePatch', () => {
  it('reads added, updated and deleted files in their order', () => {
    const files = parsePatch(
      patch(
        '*** Add File: new.txt',
        '+one',
        '+',
        '*** Update File: old.txt',
        '@@ head',
        '-a',
        '+b',
        '*** Delete File: gone',
      ),
    );
    expect(files).toEqual([
      { kind: 'add', path: 'new.txt', lines: ['one', ''], hunks: [] },
      {
        kind: 'update',
        path: 'old.txt',
        lines: [],
        hunks: [{ anchors: ['head'], old: ['a'], fresh: ['b'], isAtEnd: false }],
      },
      { kind: 'delete', path: 'gone', lines: [], hunks: [] },
    ]);
  });

  it.each([
    ['no frame', '*** Update File: a\n-x\n+y', /must start with "\*\*\* Begin Patch"/],
    ['no file', patch(), /changes no file/],
    ['a line before the first header', patch('-x'), /line 2 stands before the first/],
    ['a new line without a plus', patch('*** Add File: a', 'x'), /line 3 of the new file a must start with "\+"/],
    ['an unmarked line', patch('*** Update File: a', 'x'), /line 3, in a, must start with a space/],
    ['a move', patch('*** Update File: a', '*** Move to: b'), /unsupported: add the new file and delete the old one/],
    ['the same file twice', patch('*** Delete File: a', '*** Delete File: a'), /a occurs twice/],
    ['nothing changed', patch('*** Update File: a', ' x'), /changes nothing/],
    ['no name', patch('*** Delete File: '), /names no file/],
  ])('rejects %s', (_what, text, message) => {
    expect(() => parsePatch(text)).toThrow(message);
  });
});

describe('applyHunks', () => {
  it('replaces lines with their context, several times', () => {
    expect(update('a\nb\nc\nd\n', ' a', '-b', '+B', '@@', ' c', '-d', '+D', '+e')).toBe('a\nB\nc\nD\ne\n');
  });

  it('keeps a missing line end at the end of the file', () => {
    expect(update('a\nb', '-b', '+c')).toBe('a\nc');
  });

  it('finds the place behind its @@ lines', () => {
    const text = 'class A\n  def f\n    x\nclass B\n  def f\n    x\n';
    expect(update(text, '@@ class B', '@@ def f', '-    x', '+    y')).toBe(
      'class A\n  def f\n    x\nclass B\n  def f\n    y\n',
    );
  });

  it('adds lines behind a @@ line, and at the end of the file', () => {
    expect(update('a\nb\n', '@@ a', '+x')).toBe('a\nx\nb\n');
    expect(update('a\nb\n', '+x', '*** End of File')).toBe('a\nb\nx\n');
  });

  it.each([
    ['lines that are not there', 'a\n', ['-b', '+c'], /these lines were not found, exactly as they are:\nb\n/],
    ['other white space', 'a\n', ['- a', '+c'], /not found/],
    ['two places', 'a\nb\na\n', ['-a', '+c'], /occur 2 times; add more context or a "@@" line/],
    ['an absent @@ line', 'a\n', ['@@ z', '-a', '+c'], /no line behind the last change is "z"/],
    ['an order other than the file has', 'a\nb\n', ['-b', '+c', '@@', '-a', '+d'], /not found/],
    ['an addition without a place', 'a\n', ['+c'], /added without a place/],
  ])('rejects %s', (_what, text, lines, message) => {
    expect(() => update(text, ...lines)).toThrow(message);
  });
});
