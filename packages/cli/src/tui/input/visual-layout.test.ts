import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import type { WidthProfile } from '../text/graphemes.ts';
import { DEFAULT_WIDTHS, graphemeWidth, nextBoundary } from '../text/graphemes.ts';
import { countRows, fromVisual, layoutLines, rowText, toVisual } from './visual-layout.ts';
import { PROBE_BYTES, toWidthProfile } from './width-probe.ts';

function rowsOf(line: string, columns: number): string[] {
  const layout = layoutLines([line], { columns });
  return Array.from({ length: countRows(layout) }, (_, row) => rowText(layout, row));
}

describe('layoutLines', () => {
  it.each<[string, string, number, string[]]>([
    ['keeps words whole', 'one two three', 8, ['one two ', 'three']],
    ['cuts a word that is longer than a row', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['puts a wide character that does not fit on the next row', 'abc漢', 4, ['abc', '漢']],
    ['cuts no joined emoji', '👨‍👩‍👧👨‍👩‍👧', 3, ['👨‍👩‍👧', '👨‍👩‍👧']],
    ['has a row for an empty line', '', 4, ['']],
    ['shows what would speak to the terminal as signs', 'a\x1b[31m\u202eb', 20, ['a␛[31m\ufffdb']],
    ['shows that something is hidden', 'a\u{e0068}\u{e0069}b\u200bc\ufeff', 20, ['a\ufffdb\ufffdc\ufffd']],
    [
      'leaves joiners and flags alone',
      'می\u200cخواهم 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      20,
      ['می\u200cخواهم 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ],
    ['shows a tab as blanks', 'a\tb', 20, ['a    b']],
  ])('%s', (_, line, columns, rows) => {
    expect(rowsOf(line, columns)).toEqual(rows);
  });

  it('finds the way from every place to a cell and back', () => {
    const lines = ['one two 漢字 three', '', '👨‍👩‍👧 ก็ क्षि e\u0301', 'abcdefghijklmnop'];
    const layout = layoutLines(lines, { columns: 6 });
    for (const [row, line] of lines.entries()) {
      for (let column = 0; ; column = nextBoundary(line, column)) {
        expect(fromVisual(layout, toVisual(layout, { row, column }))).toEqual({ row, column });
        if (column === line.length) break;
      }
    }
  });

  it('lays out again what a change of one line gives, like the whole', () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index} ${'word '.repeat(index % 9)}`);
    const layout = layoutLines(lines, { columns: 12 });
    const changed = [...lines.slice(0, 50), 'new', 'lines here', ...lines.slice(51)];
    expect(layoutLines(changed, { columns: 12 }, layout)).toEqual(layoutLines(changed, { columns: 12 }));
    expect(layoutLines(changed, { columns: 12 }, layout).starts[150]).toBe(layout.starts[149]);
  });
});

describe('a long line', () => {
  it.each([0, 1, 500, 3000, 9999, 10_000])(
    'is laid out like the whole when it changes at %i',
    { tags: 'wide' },
    (at) => {
      const line = 'words 漢字 of e\u0301very 👨‍👩‍👧 kind '.repeat(500).slice(0, 10_000);
      const layout = layoutLines([line], { columns: 20 });
      for (const changed of [
        line.slice(0, at),
        `${line.slice(0, at)} new ${line.slice(at)}`,
        line.slice(0, at) + line.slice(at + 7),
      ]) {
        const lines = [changed];
        expect(layoutLines(lines, { columns: 20 }, layout)).toEqual(layoutLines(lines, { columns: 20 }));
      }
    },
  );
});

const CORPUS: [string, string][] = [
  ['Korean', '안녕하세요 세계'],
  ['decomposed Korean', '안녕'.normalize('NFD')],
  ['Japanese', '日本語のテキスト、カタカナ'],
  ['Chinese', '你好，世界！漢字'],
  ['Thai', 'สวัสดีชาวโลก น้ำ'],
  ['Hindi', 'नमस्ते दुनिया हिन्दी'],
  ['accents', 'e\u0301a\u0308 naïve'],
  ['emoji', 'a😀b👨‍👩‍👧c👍🏽d❤️e🇯🇵f'],
];

describe('the caret against a real terminal', () => {
  it.each(CORPUS)('stands where the terminal draws it in %s', async (_, line) => {
    const terminal = createTerminal();
    const widths = await probe(terminal);
    const layout = layoutLines([line], { columns: 70, widths });
    for (let column = 0; column < line.length;) {
      column = nextBoundary(line, column);
      await write(terminal, `\r\x1b[K${rowText(layoutLines([line.slice(0, column)], layout.options), 0)}`);
      expect(terminal.buffer.active.cursorX).toBe(toVisual(layout, { row: 0, column }).cell);
    }
  });

  it('learns from the terminal that it joins nothing and draws emoji in one cell', async () => {
    expect(await probe(createTerminal())).toEqual({ emoji: 1, joins: false, variation: 1, spacingMarks: 1 });
  });

  it.each<[string, WidthProfile, number]>([
    ['👨‍👩‍👧', DEFAULT_WIDTHS, 2],
    ['👨‍👩‍👧', { ...DEFAULT_WIDTHS, joins: false }, 6],
    ['👍🏽', DEFAULT_WIDTHS, 2],
    ['❤️', DEFAULT_WIDTHS, 2],
    ['❤️', { ...DEFAULT_WIDTHS, variation: 1 }, 1],
    ['🇯🇵', DEFAULT_WIDTHS, 2],
    ['हि', DEFAULT_WIDTHS, 2],
    ['हि', { ...DEFAULT_WIDTHS, spacingMarks: 0 }, 1],
    ['漢', DEFAULT_WIDTHS, 2],
  ])('counts %s with a profile', (grapheme, widths, cells) => {
    expect(graphemeWidth(grapheme, widths)).toBe(cells);
  });

  it('keeps the default for a terminal that draws as the standard says', () => {
    expect(toWidthProfile([3, 3, 3, 3])).toBe(DEFAULT_WIDTHS);
  });
});

function createTerminal() {
  return new headless.Terminal({ cols: 80, rows: 5, allowProposedApi: true });
}

function write(terminal: InstanceType<typeof headless.Terminal>, text: string): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve));
}

async function probe(terminal: InstanceType<typeof headless.Terminal>): Promise<WidthProfile> {
  const columns: number[] = [];
  const listener = terminal.onData((answer) => columns.push(Number(/;(\d+)R/.exec(answer)![1])));
  await write(terminal, PROBE_BYTES);
  listener.dispose();
  expect(terminal.buffer.active.getLine(0)!.translateToString(true)).toBe('');
  return toWidthProfile(columns);
}
