import { describe, expect, it } from 'vitest';
import { parseWords } from './parse-words.ts';

const KNOWN = { command: 'hooks', flags: ['--json'], valued: { '--name': [], '--scope': ['user', 'workspace'] } };

describe('parseWords', () => {
  it.each<[string, string[], object]>([
    ['tells operands, flags and values apart', ['a', '--json', '--name', 'n', '-b'], { operands: ['a', '-b'] }],
    ['takes every word behind -- for an operand', ['--', '--json', '--'], { operands: ['--json', '--'], flags: [] }],
    ['takes a value behind an equals sign, with more of them in it', ['--name=a=b'], { values: { '--name': 'a=b' } }],
    ['takes the last of two values', ['--name', 'a', '--name', 'b'], { values: { '--name': 'b' } }],
  ])('%s', (_, argv, expected) => {
    const words = parseWords(argv, KNOWN);
    if (typeof words === 'string') throw new Error(words);
    const { operands, flags, values } = words;
    expect({ operands, flags: [...flags], values: Object.fromEntries(values) }).toMatchObject(expected);
  });

  it.each([
    [['--jsno'], '--jsno is an unknown option of castor hooks.'],
    [['--json=yes'], '--json takes no value.'],
    [['--toString', 'x'], '--toString is an unknown option of castor hooks.'],
    [['--name'], '--name needs a value.'],
    [['--scope', 'all'], '--scope must be user or workspace, not "all".'],
  ])('refuses %j with a sentence', (argv, sentence) => {
    expect(parseWords(argv, KNOWN)).toBe(sentence);
  });
});
