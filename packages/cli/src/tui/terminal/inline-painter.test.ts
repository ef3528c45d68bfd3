import { describe, expect, it } from 'vitest';
import { Screen } from './inline-painter.fixture.ts';
import { InlinePainter } from './inline-painter.ts';
import type { Frame, Size } from './painter.ts';
import { rowWidth } from '../text/row-width.ts';

describe('InlinePainter', () => {
  it('loses no line where a terminal that has said nothing is wide again when what was meant for it narrow arrives', async () => {
    const [wide, narrow] = [80, 30].map((columns) => ({ columns, rows: 24 })) as [Size, Size];
    const frameOf = ({ columns }: Size): Frame => ({
      rows: ['─'.repeat(columns - 1), '> '],
      caret: { row: 1, column: 2 },
    });
    const screen = new Screen(wide);
    const painter = new InlinePainter({ reflow: 'either' });
    await screen.write(painter.paint(['one', 'two', 'three'], frameOf(wide), wide));
    await screen.write(painter.paint([], frameOf(narrow), narrow));
    expect(screen.lines()).toEqual(['one', 'two', 'three', '─'.repeat(29), '>']);
  });

  it('writes lines above a frame that stays at the bottom', async () => {
    const size = { columns: 40, rows: 10 };
    const screen = new Screen(size);
    const painter = new InlinePainter();
    await screen.write('before\r\n');
    await screen.write(painter.paint([], { rows: ['>', 'footer'], caret: { row: 0, column: 2 } }, size));
    for (let index = 0; index < 30; index++) {
      await screen.write(painter.paint([`line ${index}`], { rows: ['>', `footer ${index}`] }, size));
    }
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    expect(screen.lines()).toEqual(['before', ...lines, '>', 'footer 29']);
  });

  it('puts the cursor at the caret', async () => {
    const size = { columns: 40, rows: 10 };
    const screen = new Screen(size);
    const painter = new InlinePainter();
    await screen.write(painter.paint(['x'], { rows: ['rule', '> abc', 'rule'], caret: { row: 1, column: 5 } }, size));
    expect(screen.cursor()).toEqual({ row: 2, column: 5 });
  });

  it('says nothing when nothing changed', () => {
    const painter = new InlinePainter();
    const frame = { rows: ['> a'], caret: { row: 0, column: 3 } };
    painter.paint([], frame, { columns: 40, rows: 10 });
    expect(painter.paint([], frame, { columns: 40, rows: 10 })).toBe('');
  });

  it('sends only the new end of a row that grew', () => {
    const painter = new InlinePainter();
    const size = { columns: 80, rows: 10 };
    painter.paint([], { rows: ['\x1b[31mabc\x1b[0m def'] }, size);
    const bytes = painter.paint([], { rows: ['\x1b[31mabc\x1b[0m def ghi'] }, size);
    expect(bytes).toBe('\x1b[?2026h\x1b7\x1b[?7l\x1b[8G ghi\x1b[?7h\x1b8\x1b[?2026l');
  });

  it('does not write again what was shown when it was final already', () => {
    const painter = new InlinePainter({ reflow: 'text' });
    const size = { columns: 80, rows: 10 };
    const below = ['rule', '> '];
    painter.paint([], { rows: ['a paragraph that is', 'not at its e', ...below], seam: { row: 1, column: 10 } }, size);
    const bytes = painter.paint(
      ['a paragraph that is', 'not at its \x1b[1mend\x1b[0m'],
      { rows: ['next', ...below], seam: { row: 0, column: 4 } },
      size,
    );
    // From where the cursor rests; the frame is drawn below, and the cursor put behind what is final now.
    const frame = '\x1bD\x1bD\x1b[2A\x1b7\x1b[?7l\r\nrule\r\n>\x1b[?7h\x1b8';
    expect(bytes).toBe(`\x1b[?2026h\x1b[J \x1b[1mend\x1b[m\r\nnext${frame}\x1b[?2026l`);
  });

  it('writes text whole where the terminal counts other cells than we do', async () => {
    // To this terminal the sign is one cell wide, to us two.
    const size = { columns: 80, rows: 10 };
    const screen = new Screen(size);
    const painter = new InlinePainter();
    const below = ['\x1b[34m👍\x1b[0m status', '> '];
    for (const answer of ['ok 👍', 'ok 👍 go', 'ok 👍 good', 'ok 👍 good, all done']) {
      await screen.write(painter.paint([], { rows: [answer, ...below] }, size));
    }
    await screen.write(painter.paint(['ok 👍 good, all done'], { rows: ['\x1b[34m✕\x1b[0m status', '>'] }, size));
    await screen.write(painter.paint([], { rows: ['\x1b[34m👍\x1b[0m stat', '>'] }, size));
    expect(screen.lines()).toEqual(['ok 👍 good, all done', '👍 stat', '>']);
  });

  it.each(['rows', 'text', 'either', 'none'] as const)(
    'writes each letter once behind signs that the terminal counts otherwise, while the user types (%s)',
    async (reflow) => {
      const size = { columns: 60, rows: 12 };
      const screen = new Screen(size);
      const painter = new InlinePainter({ reflow });
      // The heart is one cell here and the family three; for us each is two.
      const rows = ['A \u2764\ufe0f and one two three', 'B 👨‍👩‍👧 and one two three', 'C plain one two'];
      for (const [index, row] of rows.entries()) {
        const words = row.split(' ');
        for (let end = 0; end <= words.length; end++) {
          const final = words.slice(0, end).join(' ');
          const below = [`${final} ${words[end]?.slice(0, 1) ?? ''}`.trim(), '', `loading ${end}`, '> k'];
          const frame = { rows: below, caret: { row: 3, column: 3 }, seam: { row: 0, column: rowWidth(final) } };
          await screen.write(painter.paint(end === 0 && index > 0 ? [rows[index - 1] ?? ''] : [], frame, size));
          // Rows come and go under what is final.
          await screen.write(painter.paint([], { ...frame, rows: [final, ...below.slice(1)] }, size));
          const more = {
            rows: [final, '', 'queued', ...below.slice(2)],
            caret: { row: 4, column: 3 },
            seam: frame.seam,
          };
          await screen.write(painter.paint([], more, size));
        }
      }
      await screen.write(painter.paint(rows.slice(-1), { rows: ['> k'], caret: { row: 0, column: 3 } }, size));
      expect(screen.lines()).toEqual([...rows, '> k']);
    },
  );

  it('leaves nothing of the frame behind', async () => {
    const size = { columns: 40, rows: 10 };
    const screen = new Screen(size);
    const painter = new InlinePainter();
    await screen.write(painter.paint(['kept'], { rows: ['a', 'b', 'c'] }, size));
    await screen.write(`${painter.leave()}bye\r\n`);
    expect(screen.lines()).toEqual(['kept', 'bye']);
  });

  it('leaves nothing of a question in the scrollback when the window gets lower than it', async () => {
    const screen = new Screen({ columns: 80, rows: 20 });
    const painter = new InlinePainter({ reflow: 'text' });
    const question = (height: number) => ({ rows: ['? May it run?', '1. Yes', '2. No', '3. Never'].slice(-height) });
    await screen.write(painter.paint(['first', 'second'], question(4), { columns: 80, rows: 20 }));
    for (const rows of [3, 12, 2, 20]) {
      screen.terminal.resize(80, rows);
      await screen.write(painter.paint([], question(rows - 1), { columns: 80, rows }));
      expect(screen.lines()).toEqual(['first', 'second', ...question(rows - 1).rows]);
    }
  });

  it.each(['rows', 'text', 'either', 'none'] as const)(
    'lets what is final already stay when the window changes, and takes the rest of its row away (%s)',
    async (reflow) => {
      const screen = new Screen({ columns: 60, rows: 12 });
      const painter = new InlinePainter({ reflow, onGrownLeft: () => true });
      const frame = { rows: ['a paragraph that has come', 'to its second ro', '', '>'], seam: { row: 1, column: 13 } };
      await screen.write(painter.paint(['before'], frame, { columns: 60, rows: 12 }));
      screen.terminal.resize(70, 9);
      const next = { rows: ['row, and on', '', '>'] };
      await screen.write(painter.paint([], next, { columns: 70, rows: 9 }));
      expect(screen.lines()).toEqual(['before', 'a paragraph that has come', 'to its second', ...next.rows]);
    },
  );

  it('writes nothing over what is final when a lower window has dropped the rows below it', async () => {
    const screen = new Screen({ columns: 60, rows: 12 });
    const painter = new InlinePainter({ reflow: 'text' });
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    const frame = (tick: string) => ({
      rows: ['final and no', '', `${tick} Thinking`, '>'],
      seam: { row: 0, column: 5 },
    });
    await screen.write(painter.paint(lines, frame('|'), { columns: 60, rows: 12 }));
    screen.terminal.resize(60, 6);
    // It is not told yet.
    await screen.write(painter.paint([], frame('/'), { columns: 60, rows: 12 }));
    expect(screen.lines().slice(0, 13)).toEqual([...lines, 'final and no']);
    await screen.write(painter.paint(['final and now'], { rows: ['>'] }, { columns: 60, rows: 12 }));
    expect(screen.lines()).toEqual([...lines, 'final and now', '>']);
  });

  it('deletes the old frame of another size, because tmux keeps what is erased from its first cell on', () => {
    const painter = new InlinePainter({ reflow: 'text' });
    painter.paint([], { rows: ['a', 'b', 'c'] }, { columns: 40, rows: 10 });
    const bytes = painter.paint([], { rows: ['a'] }, { columns: 40, rows: 4 });
    expect([bytes.includes('\x1b[999M'), bytes.includes('\x1b[J')]).toEqual([true, false]);
  });

  it('draws the frame again after a window that came back to its size', async () => {
    const size = { columns: 40, rows: 10 };
    const screen = new Screen(size);
    const painter = new InlinePainter({ reflow: 'text' });
    const frame = { rows: ['rule', '> /', 'about', 'help'], caret: { row: 1, column: 3 } };
    await screen.write(painter.paint(['first'], frame, size));
    for (const rows of [3, 10]) screen.terminal.resize(40, rows);
    painter.disturb();
    await screen.write(painter.paint([], frame, size));
    expect(screen.lines()).toEqual(['first', ...frame.rows]);
  });
});
