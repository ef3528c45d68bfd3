import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IgnoreRules } from './ignore-rules.ts';

let root: string;
let rules: IgnoreRules;
const inside = (name: string) => path.join(root, name);
const ignored = (...names: string[]) => names.filter((name) => rules.isIgnored(inside(name), 'file'));

beforeEach(async () => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'castor-ignore-')));
  mkdirSync(inside('.git/info'), { recursive: true });
  mkdirSync(inside('src/deep'), { recursive: true });
  writeFileSync(inside('.gitignore'), '*.log\n');
  rules = await IgnoreRules.load(root);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('IgnoreRules', () => {
  it.each([
    ['.gitignore of the top', '.gitignore', '*.txt\n', ['a.txt', 'src/a.txt', 'src/deep/a.txt']],
    ['.gitignore between', 'src/.gitignore', '*.txt\n', ['a.log', 'src/a.log', 'src/a.txt', 'src/deep/a.txt']],
    ['.gitignore beside the file', 'src/deep/.gitignore', '!*.log\n', ['a.log', 'src/a.log']],
    [
      'the exclude file',
      '.git/info/exclude',
      'a.txt\n',
      ['a.log', 'a.txt', 'src/a.log', 'src/a.txt', 'src/deep/a.txt'],
    ],
    ['.geminiignore', '.geminiignore', 'src/\n', ['a.log', 'src/a.log', 'src/a.txt', 'src/deep/a.txt']],
  ])('counts a change of %s after a refresh, and not before', (_, file, text, expected) => {
    const names = ['a.log', 'a.txt', 'src/a.log', 'src/a.txt', 'src/deep/a.txt'];
    const before = ignored(...names);
    writeFileSync(inside(file), text);
    expect(ignored(...names)).toEqual(before);
    rules.refresh();
    expect(ignored(...names)).toEqual(expected);
  });

  it('counts a change of the same length, and that a file went away', () => {
    expect(ignored('a.log', 'a.txt')).toEqual(['a.log']);
    writeFileSync(inside('.gitignore'), '*.txt\n');
    rules.refresh();
    expect(ignored('a.log', 'a.txt')).toEqual(['a.txt']);
    rmSync(inside('.gitignore'));
    rules.refresh();
    expect(ignored('a.log', 'a.txt')).toEqual([]);
  });

  it('judges for each kind of rule apart, also after a refresh', () => {
    writeFileSync(inside('.geminiignore'), '*.txt\n');
    for (const _round of [1, 2]) {
      rules.refresh();
      const which = (query: { git: boolean; gemini: boolean }) =>
        ['a.log', 'a.txt'].filter((name) => rules.isIgnored(inside(name), 'file', query));
      expect(which({ git: true, gemini: false })).toEqual(['a.log']);
      expect(which({ git: false, gemini: true })).toEqual(['a.txt']);
      expect(which({ git: false, gemini: false })).toEqual([]);
    }
  });
});
