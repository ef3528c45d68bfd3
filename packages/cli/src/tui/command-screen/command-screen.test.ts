import { describe, expect, it } from 'vitest';
import { CommandScreen } from './command-screen.ts';
import { Emulator } from './emulator.ts';

const LOOK = { depth: 'none', showsColors: false, plain: (text: string) => text } as const;
const MEGABYTE = 1024 * 1024;

/** A screen, and a way to wait for what it shows. */
function open(answers: string[] = [], news: boolean[] = []) {
  let look = () => {};
  const screen = new CommandScreen({
    size: { columns: 40, rows: 5 },
    openEmulator: async (onAnswer, size) => new Emulator(size, onAnswer),
    onAnswer: (text) => answers.push(text),
    onChange: () => look(),
    onWaiting: (isNews) => news.push(isNews),
    onClosed: () => {},
  });
  const until = (text: string) =>
    new Promise<void>((resolve) => {
      look = () => screen.picture(LOOK)?.rows.some((row) => row.includes(text)) && resolve();
      look();
    });
  return { screen, until };
}

describe('CommandScreen', () => {
  it('shows what was written before it could be drawn', async () => {
    const { screen, until } = open();
    screen.write(Buffer.from('early '));
    screen.write(Buffer.from('bird'));
    await until('early bird');
    expect(screen.picture(LOOK)?.rows).toEqual(['early bird']);
    screen.close();
  });

  it('shows the end of a flood, on the screen and in the modes the program is in', async () => {
    const { screen, until } = open();
    screen.write(Buffer.from('before\r\n\x1b[?1h\x1b[?2004h\x1b[?1049h'));
    const line = Buffer.from(`${'x'.repeat(38)}\r\n`.repeat(MEGABYTE / 40));
    for (let count = 0; count < 10; count++) screen.write(line);
    screen.write(Buffer.from('\x1b[2J\x1b[Hthe end'));
    await until('the end');
    expect(screen.picture(LOOK)).toMatchObject({ rows: ['the end', '', '', '', ''], isWhole: true });
    expect(screen.keyModes).toEqual({ hasApplicationCursor: true, hasBracketedPaste: true });
    screen.close();
  });

  it('counts every line above its screen, also those of a flood that were never drawn', async () => {
    const { screen, until } = open();
    const line = Buffer.from('line\r\n'.repeat(MEGABYTE / 8));
    for (let count = 0; count < 4; count++) screen.write(line);
    screen.write(Buffer.from('the end'));
    await until('the end');
    const { rows, scrolled } = screen.picture(LOOK)!;
    expect(scrolled + rows.length).toBe((4 * MEGABYTE) / 8 + 1);
    screen.close();
  });

  it('answers a program the user types into, or that has the whole screen, so often, and no other', async () => {
    const answers: string[] = [];
    const { screen, until } = open(answers);
    screen.write(Buffer.from('one\x1b[6n'));
    await until('one');
    screen.attend(true);
    screen.write(Buffer.from(' two\x1b[6n'));
    await until('two');
    screen.attend(false);
    screen.write(Buffer.from('\x1b[?1049h\x1b[Hthree\x1b[6n'));
    await until('three');
    expect(answers).toEqual(['\x1b[1;8R', '\x1b[1;6R']);
    screen.write(Buffer.from(`${'\x1b[6n'.repeat(10_000)} four`));
    await until('four');
    expect(answers).toHaveLength(2 + 32);
    screen.close();
  });

  it('is news once when it waits, and again after the user was there', () => {
    const news: boolean[] = [];
    const { screen } = open([], news);
    for (const line of ['Name:', undefined, 'Name:']) screen.wait(line);
    screen.attend(true);
    screen.wait('Town:');
    screen.attend(false);
    screen.wait('Town:');
    expect(news).toEqual([true, false, false, false, true]);
  });
});
