import { describe, expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { rowWidth, stripStyles } from '../text/row-width.ts';
import { MarkdownStream, renderMarkdown } from './markdown-stream.ts';

const { theme } = chooseTheme({});
const PLAIN = { styles: createStyles(theme, 'none'), width: () => 40 };
const SPOKEN = { ...PLAIN, styles: createStyles(theme, 'none', { isSpoken: true }), isSpoken: true };
const COLOURED = { styles: createStyles(theme, 'truecolor'), width: () => 40 };

describe('renderMarkdown', () => {
  it.each([
    ['headings', '# One\n\n## Two ##\n', ['# One', '', '## Two']],
    ['lists, with their indentation', '- a\n  - b\n1. c\n', ['• a', '  • b', '1. c']],
    ['tasks', '- [ ] open\n- [x] done', ['[ ] open', '[x] done']],
    [
      'long items as a block',
      `- ${'word '.repeat(12)}`,
      ['• word word word word word word word', '  word word word word word'],
    ],
    [
      'code as it was written, with its fences where there are no colours',
      '```js\n  a();\n\n\tb();\n```\nafter',
      ['```js', '  a();', '', '    b();', '```', 'after'],
    ],
    ['a fence inside a longer one', '````\n```\nx\n```\n````', ['````', '```', 'x', '```', '````']],
    ['a fence that is never closed', '```\nx', ['```', 'x', '```']],
    ['code in a line with its marks where there are no colours', 'call `parse()` now', ['call `parse()` now']],
    ['quotes', '> said\n> > deeper', ['> said', '> > deeper']],
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
      ['Name       Size', '─────────  ────', 'a             1', 'long name    22', '', 'after'],
    ],
  ])('shows %s', (_name, markdown, rows) => {
    expect(renderMarkdown(markdown, PLAIN)).toEqual(rows);
  });

  it('shows marks where no style can, and neither where styles tell it nor to a voice', () => {
    const markdown = 'call **now** `parse()`\n```js\n  a();\n```\nafter';
    expect(renderMarkdown(markdown, COLOURED).map(stripStyles)).toEqual(['call now parse()', 'js', '  a();', 'after']);
    expect(renderMarkdown(markdown, SPOKEN)).toEqual([
      'call now parse()',
      'Code, js.',
      '  a();',
      'End of code.',
      'after',
    ]);
    expect(renderMarkdown(markdown, PLAIN)).toEqual(['call **now** `parse()`', '```js', '  a();', '```', 'after']);
  });

  it('says a table row by row where it is read aloud, and leaves lines out', () => {
    const table = '| Name | **Size** |\n|---|---|\n| a | 1 |\n| b | |\n\n---\nafter';
    expect(renderMarkdown(table, SPOKEN)).toEqual([
      'Table, 2 columns, 2 rows.',
      'Name: a; Size: 1.',
      'Name: b; Size.',
      '',
      'after',
    ]);
  });

  it.each([10, 17, 24, 40, 200])('keeps tables inside a width of %i', (width) => {
    const table = `| Description | b |\n|---|---|\n| ${'wonderful '.repeat(20)} | ${'漢字'.repeat(20)} |\n`;
    const widths = renderMarkdown(table, { ...PLAIN, width: () => width }).map(rowWidth);
    expect(Math.max(...widths)).toBeLessThanOrEqual(width);
  });

  it('tells a table line by line whose words its columns would break', () => {
    const table = '| File | Change | Risk |\n|---|---|---|\n| src/api/checkout.ts | refuse the voucher | medium |\n';
    expect(renderMarkdown(table, { ...PLAIN, width: () => 30 })).toEqual([
      'File: src/api/checkout.ts ·',
      '  Change: refuse the voucher ·',
      '  Risk: medium',
    ]);
  });

  it('parts the lines of a table where a cell takes several rows', () => {
    const table = '| a | b |\n|---|---|\n| one two three | x |\n| four | y |\n';
    expect(renderMarkdown(table, { ...PLAIN, width: () => 12 })).toEqual([
      'a        b',
      '───────  ───',
      'one two  x',
      'three',
      '───────  ───',
      'four     y',
    ]);
  });

  it('has weight instead of marks where colours are off and weight is not', () => {
    const styles = createStyles(theme, 'none', { hasWeight: true });
    const { bold, italic } = styles;
    const rows = renderMarkdown('a **b** *c* `d` ~~e~~', { ...PLAIN, styles });
    expect(rows).toEqual([`a ${bold('b')} ${italic('c')} \`d\` ${styles.strike('e')}`]);
    expect(bold('b')).not.toBe('b');
  });

  it('gives changed lines of a diff their colours, and no sign but their own', () => {
    const rows = renderMarkdown('```diff\n-a\n+b\n c\n```', COLOURED);
    expect(rows.map(stripStyles)).toEqual(['diff', '-a', '+b', ' c']);
    const { removed, added, bold, error, success } = COLOURED.styles;
    expect([rows[1], rows[2]]).toEqual([removed(`${bold(error('-'))}a`), added(`${bold(success('+'))}b`)]);
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

  const WORDS =
    'Some **bold words** and `code of two` with 漢字漢字 and [a link](https://a.example/x) or 2 * 3 [1] too. ';

  it.each([
    ['a paragraph', WORDS.repeat(8)],
    ['an item', `  - [ ] ${WORDS.repeat(6)}`],
    ['a quote', `> ${WORDS.repeat(6)}`],
    ['an indented line', `    ${WORDS.repeat(6)}`],
  ])('gives out the rows of %s while it grows, as they are in the end', (_name, text) => {
    for (const options of [PLAIN, COLOURED]) {
      const whole = renderMarkdown(`${text}\n`, options);
      for (const step of [1, 7, 50]) {
        const stream = new MarkdownStream(options);
        const rows: string[] = [];
        let mostPending = 0;
        for (let from = 0; from < text.length; from += step) {
          rows.push(...stream.write(text.slice(from, from + step)));
          mostPending = Math.max(mostPending, stream.pending().length);
        }
        expect([...rows, ...stream.write('\n')].map(stripStyles)).toEqual(whole.map(stripStyles));
        // Of some forty rows.
        expect(mostPending).toBeLessThanOrEqual(3);
      }
    }
  });

  it('holds rows back while a mark in them waits for its other half, but not for ever', () => {
    const stream = new MarkdownStream(PLAIN);
    expect(stream.write(`an **open mark ${'and words '.repeat(20)}`)).toEqual([]);
    expect(stream.write('closed** here and on into the row that follows').map(stripStyles).at(0)).toBe(
      'an **open mark and words and words and',
    );
    const never = new MarkdownStream(PLAIN);
    expect(never.write(`an **open mark ${'and words '.repeat(200)}`)[0]).toBe('an **open mark and words and words and');
  });

  it('does not take a growing line apart that may become a table or a fence', () => {
    const stream = new MarkdownStream(PLAIN);
    const head = `| ${'name '.repeat(20)}`;
    expect([stream.write(head), stream.write(`| size |\n|---|---|\n| a | 1 |\n`)]).toEqual([[], []]);
    expect(stream.end().join(' ')).toMatch(/^name .*size/);
  });

  it('gives out a word that never ends', () => {
    const stream = new MarkdownStream(PLAIN);
    const rows = Array.from({ length: 50 }, () => stream.write('x'.repeat(30))).flat();
    expect(stream.pending().length).toBeLessThanOrEqual(2);
    expect([...rows, ...stream.end()].join('')).toBe('x'.repeat(1_500));
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
