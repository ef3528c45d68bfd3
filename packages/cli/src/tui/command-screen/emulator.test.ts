import { describe, expect, it } from 'vitest';
import type { ScreenLook, ScreenPicture } from './screen-rows.ts';
import { windowOf } from './screen-window.ts';
import { Emulator } from './emulator.ts';

const LOOK: ScreenLook = { depth: 'truecolor', showsColors: true, plain: (text) => text, hasCursor: true };
const SIZE = { columns: 20, rows: 4 };

async function show(text: string, look: Partial<ScreenLook> = {}): Promise<ScreenPicture & { answers: string }> {
  let answers = '';
  const emulator = new Emulator(SIZE, (answer) => (answers += answer));
  await new Promise<void>((resolve) => emulator.write(Buffer.from(text), resolve));
  const picture = emulator.picture({ ...LOOK, ...look });
  emulator.dispose();
  return { ...picture, answers };
}

describe('the screen of a command', () => {
  it.each([
    ['a line that is drawn again', '10%\r20%\r30% done', ['30% done'], { row: 0, column: 8 }],
    ['moves of the cursor', 'one\r\ntwo\x1b[A\rONE\r\n\n', ['ONE', 'two', ''], { row: 2, column: 0 }],
    ['a cleared screen', 'old\r\nold\x1b[2J\x1b[Hnew', ['new'], { row: 0, column: 3 }],
    ['more lines than it has', '1\r\n2\r\n3\r\n4\r\n5', ['2', '3', '4', '5'], { row: 3, column: 1 }],
    ['wide characters as two cells', '漢😀\x1b[1;5Hx', ['漢😀x'], { row: 0, column: 5 }],
    ['a line that is as wide as the screen', 'x'.repeat(20), ['x'.repeat(20)], { row: 0, column: 19 }],
    ['a tab', 'a\tb', ['a       b'], { row: 0, column: 9 }],
  ])('shows %s as a terminal does', async (_what, text, rows, cursor) => {
    expect(await show(text)).toMatchObject({ rows, cursor, showsCursor: true, isWhole: false });
  });

  it.each([
    ['a title', '\x1b]0;owned\x07'],
    ['the clipboard', '\x1b]52;c;b3duZWQ=\x1b\\'],
    ['a device string', '\x1bPowned\x1b\\'],
    ['the mouse', '\x1b[?1000h\x1b[?1006h'],
    ['a bell', '\x07'],
    ['a link', '\x1b]8;;http://owned\x1b\\'],
    ['an image', '\x1b_Gowned\x1b\\'],
    ['controls of eight bits', '\u009b31m\u009d0;owned\u009c'],
    ['marks that turn the text', '\u202e\u2066\u200b'],
  ])('gives nothing out of %s', async (_what, text) => {
    expect((await show(`a${text}b`, { depth: 'none' })).rows).toEqual(['ab']);
  });

  it.each(['b', 'I', 'L', 'M', 'P', 'S', 'T', 'X', 'Z', '@', ' @', ' A', "'}", "'~"])(
    'does not do what CSI %s asks for as often as a file may say',
    async (final) => {
      expect((await show(`a\x1b[2147483647${final}b`)).rows).toEqual(['ab']);
    },
  );

  it('has so many marks on a character and no more', async () => {
    const marks = '\u0301'.repeat(1_000_000);
    const { rows } = await show(`a${marks}`);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(400);
  });

  const styled = '\x1b[1;31mred\x1b[0m \x1b[38;5;208mpale\x1b[48;2;1;2;3mx\x1b[m\x1b[7mi\x1b[m\x1b[8mh\x1b[m.\r\n';
  it.each<[string, Partial<ScreenLook>, string]>([
    ['all of it', {}, '\x1b[1;31mred\x1b[m \x1b[38;5;208mpale\x1b[m\x1b[38;5;208;48;2;1;2;3mx\x1b[m\x1b[7mi\x1b[m .'],
    [
      'what sixteen colours can',
      { depth: 'ansi16' },
      '\x1b[1;31mred\x1b[m \x1b[91mpale\x1b[m\x1b[91;40mx\x1b[m\x1b[7mi\x1b[m .',
    ],
    ['no colour', { showsColors: false }, '\x1b[1mred\x1b[m palex\x1b[7mi\x1b[m .'],
    ['no look at all', { depth: 'none' }, 'red palexi .'],
    ['what is plain in a look of ours', { depth: 'none', plain: (text) => `<${text}>` }, '<red palexi .>'],
  ])('shows of the looks %s', async (_what, look, row) => {
    expect((await show(styled, look)).rows[0]).toBe(row);
  });

  it.each<[string, string, Partial<ScreenLook>, string[], boolean]>([
    ['stands below all else', 'ab', {}, ['ab'], true],
    ['stands above other rows', 'ab\r\ncd\x1b[1;2H', {}, ['a\x1b[7mb\x1b[m', 'cd'], false],
    ['stands on a blank', 'ab\r\ncd\x1b[1;4H', {}, ['ab \x1b[7m \x1b[m', 'cd'], false],
    ['is not to be seen', 'ab\r\ncd\x1b[1;2H', { hasCursor: false }, ['ab', 'cd'], true],
    ['is hidden', 'ab\r\ncd\x1b[1;2H\x1b[?25l', {}, ['ab', 'cd'], false],
    ['cannot be drawn', 'ab\r\ncd\x1b[1;2H', { depth: 'none' }, ['ab', 'cd'], true],
    ['is in the whole screen', '\x1b[?1049h\x1b[Hab', {}, ['ab\x1b[7m \x1b[m', '', '', ''], false],
  ])('leaves the cursor to the terminal or draws it where it %s', async (_where, text, look, rows, showsCursor) => {
    expect(await show(text, look)).toMatchObject({ rows, showsCursor });
  });

  it.each([
    ['is one that left the top', `${'x\r\n'.repeat(9)}`, 6],
    ['is one, however many rows it took', `${'x'.repeat(25)}\r\n${'y\r\n'.repeat(4)}`, 2],
    ['is gone when the program clears its screen', `${'x\r\n'.repeat(9)}\x1b[H\x1b[2J\x1b[3Jnew`, 0],
    ['is none of the whole screen', `\x1b[?1049h${'x\r\n'.repeat(9)}`, 0],
  ])('counts lines: each %s', async (_what, text, scrolled) => {
    expect((await show(text)).scrolled).toBe(scrolled);
  });

  it('answers what a program asks its terminal', async () => {
    expect((await show('ab\x1b[6n')).answers).toBe('\x1b[1;3R');
  });
});

describe('the part of a screen that fits', () => {
  const rows = ['1', '2', '3', '4', '5'];
  const at = (row: number) => ({ row, column: 0 });
  const picture = { rows, showsCursor: true, isWhole: false, scrolled: 2 };

  it.each<[string, Partial<ScreenPicture> & Pick<ScreenPicture, 'cursor'>, string[], number, number]>([
    ['is the end of a log', { cursor: at(4) }, ['3', '4', '5'], 2, 4],
    ['is the top of what is drawn', { cursor: at(1) }, ['1', '2', '3'], 1, 0],
    ['holds the cursor', { cursor: at(3) }, ['2', '3', '4'], 2, 0],
    ['is the top of a whole screen', { cursor: at(0), isWhole: true }, ['1', '2', '3'], 0, 0],
    ['is where the cursor of a whole screen is', { cursor: at(4), isWhole: true }, ['3', '4', '5'], 2, 0],
  ])('%s', (_what, change, expected, row, hidden) => {
    expect(windowOf({ ...picture, ...change }, 3)).toEqual({ rows: expected, cursor: at(row), hidden });
  });
});
