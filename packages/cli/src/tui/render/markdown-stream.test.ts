import { describe, expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { stripStyles } from '../terminal/row-width.ts';
import { MarkdownStream, renderMarkdown } from './markdown-stream.ts';

const { theme } = chooseTheme({});
const PLAIN = { styles: createStyles(theme, 'none'), width: () => 40 };
const COLOURED = { styles: createStyles(theme, 'truecolor'), width: () => 40 };

describe('renderMarkdown', () => {
  it.each([
    ['headings', '# One\n\n## Two ##\n', ['One', '', 'Two']],
    ['lists, with their indentation', '- a\n  - b\n1. c\n', ['• a', '  • b', '1. c']],
    ['tasks', '- [ ] open\n- [x] done', ['• ☐ open', '• ☑ done']],
    [
      'long items as a block',
      `- ${'word '.repeat(12)}`,
      ['• word word word word word word word', '  word word word word word'],
    ],
    [
      'code as it was written, without its fences',
      '```js\n  a();\n\n\tb();\n```\nafter',
      ['  a();', '', '    b();', 'after'],
    ],
    ['a fence inside a longer one', '````\n```\nx\n```\n````', ['```', 'x', '```']],
    ['quotes', '> said\n> > deeper', ['│ said', '│ │ deeper']],
    ['rules', '---', ['─'.repeat(40)]],
    [
      'links with their address',
      '[text](https://a.example/x) and <https://b.example>',
      ['text (https://a.example/x) and', 'https://b.example'],
    ],
    ['names with underscores', 'the snake_case_name and 2 * 3 * 4', ['the snake_case_name and 2 * 3 * 4']],
    ['marks that are never closed', 'an open **bold and `code', ['an open **bold and `code']],
    ['escaped marks', String.raw`\*not italic\*`, ['*not italic*']],
    ['one empty row where there are many', 'a\n\n\n\nb', ['a', '', 'b']],
    [
      'tables',
      '| Name | Size |\n|:-----|-----:|\n| a | 1 |\n| long name | 22 |\n\nafter',
      [
        '┌───────────┬──────┐',
        '│ Name      │ Size │',
        '├───────────┼──────┤',
        '│ a         │    1 │',
        '│ long name │   22 │',
        '└───────────┴──────┘',
        '',
        'after',
      ],
    ],
  ])('shows %s', (_name, markdown, rows) => {
    expect(renderMarkdown(markdown, PLAIN)).toEqual(rows);
  });

  it('says a table row by row where it is read aloud, and leaves lines out', () => {
    const table = '| Name | **Size** |\n|---|---|\n| a | 1 |\n| b | |\n\n---\nafter';
    expect(renderMarkdown(table, { ...PLAIN, isSpoken: true })).toEqual([
      'Name: a; Size: 1.',
      'Name: b; Size.',
      '',
      'after',
    ]);
  });

  it('keeps tables inside the width', () => {
    const table = `| a | b |\n|---|---|\n| ${'long '.repeat(20)} | ${'漢字'.repeat(20)} |\n`;
    const rows = renderMarkdown(table, PLAIN);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(40);
  });

  it('styles what is marked', () => {
    expect(renderMarkdown('**b** *i* ~~s~~', COLOURED)).toEqual(['\x1b[1mb\x1b[22m \x1b[3mi\x1b[23m \x1b[9ms\x1b[29m']);
  });
});

describe('MarkdownStream', () => {
  const TEXT = '# T\n\nwords **bold** more\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```py\nprint(1)\n```\nend';

  it('gives the same rows at every split', () => {
    const whole = renderMarkdown(TEXT, PLAIN);
    for (let split = 0; split <= TEXT.length; split++) {
      const stream = new MarkdownStream(PLAIN);
      const rows = [...stream.write(TEXT.slice(0, split)), ...stream.write(TEXT.slice(split)), ...stream.end()];
      expect(rows).toEqual(whole);
    }
  });

  it('shows the unfinished line, and gives it out once it ends', () => {
    const stream = new MarkdownStream(PLAIN);
    expect([stream.write('first\nsec'), stream.pending()]).toEqual([['first'], ['sec']]);
    expect([stream.write('ond\n'), stream.pending()]).toEqual([['second'], []]);
  });

  it('looks only at what is new', () => {
    const stream = new MarkdownStream(PLAIN);
    const rows = Array.from({ length: 20_000 }, (_, index) => stream.write(`line ${index}\n`)).flat();
    expect([rows.length, rows.at(-1)]).toEqual([20_000, 'line 19999']);
  });

  it('never makes a row wider than it may be', () => {
    const text = '漢字 👨‍👩‍👧 *wörd* '.repeat(30);
    for (const width of [8, 9, 17, 40]) {
      const rows = renderMarkdown(text, { ...PLAIN, width: () => width });
      expect(rows.every((row) => stripStyles(row).length > 0)).toBe(true);
    }
  });
});
