/** The painter in a storm: whatever is written, dragged and resized, the terminal keeps every line once and in order. */

import { describe, expect, inject, it } from 'vitest';
import { Screen } from './inline-painter.fixture.ts';
import { InlinePainter } from './inline-painter.ts';
import type { Frame } from './painter.ts';
import { cutRow } from '../text/row-width.ts';

/** Of so many in endurance; a quick run takes the first two. */
function seeds(count: number): number[] {
  return Array.from({ length: inject('isEndurance') ? count : 2 }, (_, index) => index + 1);
}

function random(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  return { next, integer: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)) };
}

/** Words that come one after the other, as rows: those that are full, and the one that grows. */
class Writer {
  readonly all: string[] = [];
  private row: string[] = [];
  private width = 0;

  add(count: number, width: number): string[] {
    this.width = width;
    const fresh = Array.from({ length: count }, (_, index) => `w${String(this.all.length + index).padStart(4, '0')}`);
    this.all.push(...fresh);
    const full: string[] = [];
    for (const word of [...this.row.splice(0), ...fresh]) {
      if ([...this.row, word].join(' ').length > width) full.push(...this.end());
      this.row.push(word);
    }
    return full;
  }

  end(): string[] {
    const row = this.row.join(' ');
    this.row = [];
    return row === '' ? [] : [row];
  }

  /** Behind the words that are there a part of the next, which is not final. */
  frame(below: readonly string[]): Frame {
    const row = this.row.join(' ');
    const rows = row === '' ? below : [`${row} w`.slice(0, this.width), ...below];
    const caret = { row: rows.length - 1, column: 2 };
    return { rows, caret, ...(row !== '' && { seam: { row: 0, column: row.length } }) };
  }
}

describe('Painter in a storm', () => {
  it.each(seeds(6))(
    'loses and repeats no line while a tiny window is dragged under questions and answers (seed %i)',
    async (seed) => {
      const { integer, next } = random(seed * 104_729);
      let size = { columns: integer(20, 40), rows: integer(6, 10) };
      const screen = new Screen(size);
      const painter = new InlinePainter({ reflow: 'rows' });
      const expected: string[] = [];
      const dragged = (from: number, most: readonly [number, number]) =>
        Math.max(most[0], Math.min(most[1], Math.round(from * (0.8 + next() * 0.4))));
      for (let step = 0; step < 80; step++) {
        // Several sizes before the painter paints once.
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

  it.each(seeds(12))(
    'loses and repeats no word that arrives in another window than it was written for (seed %i)',
    async (seed) => {
      const { integer, next } = random(seed * 15_485_863);
      let told = { columns: 80, rows: 24 };
      let size = told;
      let untilTold = 0;
      const screen = new Screen(size);
      const writer = new Writer();
      const painter = new InlinePainter({ reflow: 'rows', onGrownLeft: () => writer.end().length > 0 });
      for (let step = 0; step < 120; step++) {
        if (untilTold < 0 && next() < 0.4) {
          size = { columns: integer(20, 160), rows: integer(8, 40) };
          screen.terminal.resize(size.columns, size.rows);
          untilTold = integer(0, 4);
        }
        if (untilTold-- <= 0) told = size;
        painter.resize(told);
        const lines = writer.add(integer(0, 15), told.columns - 1);
        if (next() < 0.2) lines.push(...writer.end(), '');
        const footer = `${'footer '.repeat(integer(1, 9))}${step}`;
        const frame = writer.frame(['', `~${step % 10}`, footer, '─'.repeat(told.columns - 1), '> Type']);
        await screen.write(painter.paint(lines, frame, told));
      }
      await screen.write(painter.leave());
      const words = screen
        .lines()
        .join(' ')
        .match(/w\d{4}/g);
      // The last row was not final.
      expect(words).toEqual(writer.all.slice(0, writer.all.indexOf(words?.at(-1) ?? '') + 1));
      expect(['\x1b[2J', '\x1b[3J'].filter((erase) => screen.bytes.includes(erase))).toEqual([]);
    },
  );

  it.each(seeds(10))('keeps every line once and in order through changes and resizes (seed %i)', async (seed) => {
    const { integer, next } = random(seed * 7919);
    let size = { columns: integer(40, 120), rows: integer(14, 40) };
    const screen = new Screen(size);
    const painter = new InlinePainter({ reflow: 'rows' });
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
  });
});
