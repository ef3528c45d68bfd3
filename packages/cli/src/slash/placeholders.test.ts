import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parsePlaceholders, quoteForShell } from './placeholders.ts';

describe('the placeholders of a prompt', () => {
  it('are taken apart in order', () => {
    expect(parsePlaceholders('a {{args}} b @{x y.md}!{ls {{args}} | awk "{print}"}.')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'args' },
      { kind: 'text', text: ' b ' },
      { kind: 'file', path: 'x y.md', raw: '@{x y.md}' },
      { kind: 'shell', command: 'ls {{args}} | awk "{print}"' },
      { kind: 'text', text: '.' },
    ]);
  });

  it.each(['plain { braces } and {{other}}', '', '@ {x} ! {y}'])('are not in %j', (prompt) => {
    expect(parsePlaceholders(prompt)).toEqual(prompt === '' ? [] : [{ kind: 'text', text: prompt }]);
  });

  it.each([
    ['a\n!{ls {x}', '!{ in line 2 of its prompt is not closed'],
    ['@{x', '@{ in line 1 of its prompt is not closed'],
  ])('must be closed: %j', (prompt, message) => {
    expect(() => parsePlaceholders(prompt)).toThrow(message);
  });
});

describe('quoteForShell', () => {
  it.each(['plain', "it's", '$(touch x) `y` "z" \\', 'two\nlines', '-rf', ''])('keeps %j one word', (text) => {
    const printed = execFileSync('/bin/sh', ['-c', `printf '%s|' ${quoteForShell(text)} end`], { encoding: 'utf8' });
    expect(printed).toBe(`${text}|end|`);
  });
});
