import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { Painter } from './painter.ts';
import type { Frame, Size } from './painter.ts';
import { cutRow } from './row-width.ts';

/** A real terminal: what it shows and keeps, as lines a person would copy. */
class Screen {
  readonly terminal: InstanceType<typeof headless.Terminal>;
  bytes = '';

  constructor({ columns, rows }: Size) {
    this.terminal = new headless.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  }

  async write(text: string): Promise<void> {
    this.bytes += text;
    await new Promise<void>((resolve) => this.terminal.write(text, resolve));
  }

  lines(): string[] {
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index++) {
      const line = active.getLine(index);
      if (!line) continue;
      if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += line.translateToString(true);
      else lines.push(line.translateToString(true));
    }
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  cursor() {
    const { cursorX, cursorY, baseY } = this.terminal.buffer.active;
    return { column: cursorX, row: baseY + cursorY };
  }
}

function random(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  return { next, integer: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)) };
}

describe('Painter', () => {
  it('writes lines above a frame that stays at the bottom', async () => {
    const size = { columns: 40, rows: 10 };
    const screen = new Screen(size);
    const painter = new Painter();
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
    const painter = new Painter();
    await screen.write(painter.paint(['x'], { rows: ['rule', '> abc', 'rule'], caret: { row: 1, column: 5 } }, size));
    expect(screen.cursor()).toEqual({ row: 2, column: 5 });
  });

  it('says nothing when nothing changed', () => {
    const painter = new Painter();
    const frame = { rows: ['> a'], caret: { row: 0, column: 3 } };
    painter.paint([], frame, { columns: 40, rows: 10 });
    expect(painter.paint([], frame, { columns: 40, rows: 10 })).toBe('');
  });

  it('sends only the new end of a row that grew', () => {
    const painter = new Painter();
    const size = { columns: 80, rows: 10 };
    painter.paint([], { rows: ['\x1b[31mabc\x1b[0m def'] }, size);
    const bytes = painter.paint([], { rows: ['\x1b[31mabc\x1b[0m def ghi'] }, size);
    expect(bytes).toBe('\x1b[?2026h\x1b[8G ghi\r\x1b[?2026l');
  });

  it('does not write a row again that was shown before it was final', () => {
    const painter = new Painter();
    const size = { columns: 80, rows: 10 };
    const below = ['rule', '> ', 'footer'];
    const caretAt = (row: number) => ({ row, column: 2 });
    painter.paint([], { rows: ['a paragraph that is', 'not at its', ...below], caret: caretAt(3) }, size);
    const bytes = painter.paint(
      ['a paragraph that is', 'not at its end'],
      { rows: ['next', ...below], caret: caretAt(2) },
      size,
    );
    // One row comes in above what stays: no other is touched.
    expect(bytes).toBe('\x1b[?2026h\r\n\n\x1b[3A\r\x1b[1L\x1b[1A\x1b[11G end\r\nnext\x1b[2B\x1b[3G\x1b[?2026l');
  });

  it('writes text whole where the terminal counts other cells than we do', async () => {
    // To this terminal the sign is one cell wide, to us two.
    const size = { columns: 80, rows: 10 };
    const screen = new Screen(size);
    const painter = new Painter();
    const below = ['\x1b[34m👍\x1b[0m status', '> '];
    for (const answer of ['ok 👍', 'ok 👍 go', 'ok 👍 good', 'ok 👍 good, all done']) {
      await screen.write(painter.paint([], { rows: [answer, ...below] }, size));
    }
    await screen.write(painter.paint(['ok 👍 good, all done'], { rows: ['\x1b[34m✕\x1b[0m status', '>'] }, size));
    await screen.write(painter.paint([], { rows: ['\x1b[34m👍\x1b[0m stat', '>'] }, size));
    expect(screen.lines()).toEqual(['ok 👍 good, all done', '👍 stat', '>']);
  });

  it('leaves nothing of the frame behind', async () => {
    const size = { columns: 40, rows: 10 };
    const screen = new Screen(size);
    const painter = new Painter();
    await screen.write(painter.paint(['kept'], { rows: ['a', 'b', 'c'] }, size));
    await screen.write(`${painter.leave()}bye\r\n`);
    expect(screen.lines()).toEqual(['kept', 'bye']);
  });

  it('leaves nothing of a question in the scrollback when the window gets lower than it', async () => {
    const screen = new Screen({ columns: 80, rows: 20 });
    const painter = new Painter({ reflow: 'text' });
    const question = (height: number) => ({ rows: ['? May it run?', '1. Yes', '2. No', '3. Never'].slice(-height) });
    await screen.write(painter.paint(['first', 'second'], question(4), { columns: 80, rows: 20 }));
    for (const rows of [3, 12, 2, 20]) {
      screen.terminal.resize(80, rows);
      await screen.write(painter.paint([], question(rows - 1), { columns: 80, rows }));
      expect(screen.lines()).toEqual(['first', 'second', ...question(rows - 1).rows]);
    }
  });

  it('lets growing rows stay that are out of reach, and says how many', async () => {
    const screen = new Screen({ columns: 60, rows: 12 });
    const painter = new Painter({ reflow: 'rows' });
    const growing = ['a paragraph that has come', 'to its second row'];
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    const frame = { rows: [...growing, '─'.repeat(59), '>'], caret: { row: 3, column: 1 }, growing: 2 };
    await screen.write(painter.paint(lines, frame, { columns: 60, rows: 12 }));
    expect(painter.resize({ columns: 60, rows: 10 })).toBe(0);
    await screen.write(painter.paint([], frame, { columns: 60, rows: 12 }));
    screen.terminal.resize(20, 4);
    expect(painter.resize({ columns: 20, rows: 4 })).toBe(2);
    await screen.write(painter.paint(['and its end'], { rows: ['>'] }, { columns: 20, rows: 4 }));
    expect(screen.lines()).toEqual([...lines, ...growing, 'and its end', '>']);
  });

  it('takes away what a lower window pushed out of reach when the terminal brings it back', async () => {
    const screen = new Screen({ columns: 60, rows: 20 });
    const painter = new Painter({ reflow: 'rows' });
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const question = ['? May it run?', ...Array.from({ length: 9 }, (_, index) => `output ${index} ${'x'.repeat(40)}`)];
    await screen.write(painter.paint(lines, { rows: question }, { columns: 60, rows: 20 }));
    screen.terminal.resize(30, 6);
    painter.resize({ columns: 30, rows: 6 }, screen.terminal.buffer.active.cursorY);
    await screen.write(painter.paint([], { rows: ['? May it run?'] }, { columns: 30, rows: 6 }));
    expect(screen.lines()).toContain(question[1]);
    // Through a window so low that nothing is empty below the question.
    for (const [columns, rows] of [[30, 1] as const, [60, 20] as const]) screen.terminal.resize(columns, rows);
    painter.resize({ columns: 60, rows: 20 }, screen.terminal.buffer.active.cursorY);
    await screen.write(painter.paint([], { rows: ['>'] }, { columns: 60, rows: 20 }));
    expect(screen.lines()).toEqual([...lines, '>']);
  });

  it('takes nothing away above a line that was written since', async () => {
    const screen = new Screen({ columns: 60, rows: 20 });
    const painter = new Painter({ reflow: 'rows' });
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    await screen.write(painter.paint(lines, { rows: ['a', 'b', 'c', 'd', '>'] }, { columns: 60, rows: 20 }));
    screen.terminal.resize(60, 3);
    painter.resize({ columns: 60, rows: 3 }, screen.terminal.buffer.active.cursorY);
    await screen.write(painter.paint(['kept'], { rows: ['>'] }, { columns: 60, rows: 3 }));
    for (const rows of [2, 20]) screen.terminal.resize(60, rows);
    painter.resize({ columns: 60, rows: 20 }, screen.terminal.buffer.active.cursorY);
    await screen.write(painter.paint([], { rows: ['>'] }, { columns: 60, rows: 20 }));
    expect(screen.lines()).toEqual([...lines, 'a', 'b', 'kept', '>']);
  });

  it('deletes the old frame of another size, because tmux keeps what is erased from its first cell on', () => {
    const painter = new Painter({ reflow: 'text' });
    painter.paint([], { rows: ['a', 'b', 'c'] }, { columns: 40, rows: 10 });
    const bytes = painter.paint([], { rows: ['a'] }, { columns: 40, rows: 4 });
    expect([bytes.includes('\x1b[4M'), bytes.includes('\x1b[J')]).toEqual([true, false]);
  });

  it('draws the frame again after a window that came back to its size', async () => {
    const size = { columns: 40, rows: 10 };
    const screen = new Screen(size);
    const painter = new Painter({ reflow: 'text' });
    const frame = { rows: ['rule', '> /', 'about', 'help'], caret: { row: 1, column: 3 } };
    await screen.write(painter.paint(['first'], frame, size));
    for (const rows of [3, 10]) screen.terminal.resize(40, rows);
    painter.disturb();
    await screen.write(painter.paint([], frame, size));
    expect(screen.lines()).toEqual(['first', ...frame.rows]);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'loses and repeats no line while a tiny window is dragged under questions and answers (seed %i)',
    async (seed) => {
      const { integer, next } = random(seed * 104_729);
      let size = { columns: integer(20, 40), rows: integer(6, 10) };
      const screen = new Screen(size);
      const painter = new Painter({ reflow: 'rows' });
      const expected: string[] = [];
      const dragged = (from: number, most: readonly [number, number]) =>
        Math.max(most[0], Math.min(most[1], Math.round(from * (0.8 + next() * 0.4))));
      for (let step = 0; step < 80; step++) {
        // Several sizes before we are heard once.
        for (let count = integer(0, 3); count > 0; count--) {
          size = {
            columns: dragged(size.columns, [20, 40]),
            rows: Math.max(6, Math.min(10, size.rows + integer(-3, 3))),
          };
          screen.terminal.resize(size.columns, size.rows);
        }
        const fresh = Array.from(
          { length: integer(0, 2) },
          () => `#${expected.length} ${'漢字 word '.repeat(integer(0, 5))}end`,
        );
        expected.push(...fresh);
        const rows = Array.from(
          { length: integer(3, size.rows - 1) },
          (_, row) => `~${row} ${'y'.repeat(integer(0, 40))}`,
        );
        const frame = next() < 0.5 ? { rows } : { rows: [...rows.slice(0, 2), '> '], caret: { row: 2, column: 2 } };
        await screen.write(painter.paint(fresh, frame, size));
        expect(screen.lines().filter((line) => line.startsWith('#'))).toEqual(expected);
      }
    },
  );

  it.each(Array.from({ length: 10 }, (_, seed) => seed + 1))(
    'keeps every line once and in order through changes and resizes (seed %i)',
    async (seed) => {
      const { integer, next } = random(seed * 7919);
      let size = { columns: integer(40, 120), rows: integer(14, 40) };
      const screen = new Screen(size);
      const painter = new Painter({ reflow: 'rows' });
      const expected: string[] = [];
      for (let index = 0; index < 5; index++) {
        expected.push(`shell ${index}`);
        await screen.write(`shell ${index}\r\n`);
      }
      let frame: Frame = { rows: [] };
      let tail: string[] = [];
      for (let step = 0; step < 80; step++) {
        if (next() < 0.35) {
          size = { columns: integer(40, 120), rows: integer(14, 40) };
          screen.terminal.resize(size.columns, size.rows);
        }
        // Rows of the frame that became final, as they were or longer.
        const final = tail.slice(0, integer(0, tail.length)).map((row) => (next() < 0.5 ? row : `${row} and more`));
        expected.push(...final);
        const fresh = Array.from({ length: next() < 0.5 ? integer(0, 4) : 0 }, () => {
          const line = `#${expected.length} ${'wörd 漢字 '.repeat(integer(0, next() < 0.1 ? 40 : 3))}end`;
          expected.push(line);
          return next() < 0.5 ? `\x1b[1m${line}\x1b[0m` : line;
        });
        const rule = '─'.repeat(size.columns - 1);
        tail = Array.from(
          { length: integer(0, 2) },
          (_, row) => `~tail ${step} ${row} ${'x'.repeat(integer(0, 60))}${next() < 0.3 ? ' ✓ 漢字 ☑' : ''}`,
        );
        frame = {
          rows: [...tail, rule, `> ${'k'.repeat(integer(0, 8))}`, `~footer ${step}`],
          caret: { row: tail.length + 1, column: 2 },
        };
        await screen.write(painter.paint([...final, ...fresh], frame, size));
        const shown = screen.lines();
        const frameRows = frame.rows.map((row) => cutRow(row, size.columns - 1).trimEnd());
        expect(shown.slice(-frameRows.length)).toEqual(frameRows);
        expect(shown.slice(0, -frameRows.length)).toEqual(expected);
        expect(screen.cursor().column).toBe(2);
      }
      expect(['\x1b[2J', '\x1b[3J'].filter((erase) => screen.bytes.includes(erase))).toEqual([]);
    },
  );
});
