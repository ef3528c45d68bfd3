import { describe, expect, it } from 'vitest';
import { Screen } from './screen.ts';
import type { Size } from '../terminal/painter.ts';

/** A window behind a multiplexer: what it has become is one thing, what it has told another. */
function openWindow() {
  let told: Size = { columns: 80, rows: 24 };
  let measured = told;
  let listener: () => void = () => {};
  let written = Promise.withResolvers<string>();
  const screen = new Screen({
    terminal: {
      get size() {
        return told;
      },
      measure: () => measured,
      write: (bytes) => void (bytes !== '' && written.resolve(bytes)),
      onResize(next) {
        listener = next;
        return () => {};
      },
      drained: () => undefined,
    },
    reflow: 'text',
    settleMs: 0,
    draw: ({ columns }) => ({ lines: [], frame: { rows: [`for ${columns}`, '>'], caret: { row: 1, column: 1 } } }),
    onResize: () => {},
  });
  return {
    screen,
    become: (next: Size) => void (measured = next),
    tell: (next: Size) => {
      told = next;
      listener();
    },
    /** What is written next. */
    next: () => {
      written = Promise.withResolvers();
      return written.promise;
    },
  };
}

describe('a screen whose window changes', () => {
  it('draws nothing for a size the terminal no longer has, and then for the one it has', async () => {
    const { screen, become, tell, next } = openWindow();
    screen.drawNow();
    const frame = next();
    become({ columns: 40, rows: 10 });
    tell({ columns: 60, rows: 20 });
    screen.drawNow();
    tell({ columns: 40, rows: 10 });
    screen.drawNow();
    expect(await frame).toContain('for 40');
    screen.close();
  });

  it('draws when the terminal never tells of the size it has', async () => {
    const { screen, become, tell, next } = openWindow();
    screen.drawNow();
    const frame = next();
    become({ columns: 40, rows: 10 });
    tell({ columns: 60, rows: 20 });
    expect(await frame).toContain('for 60');
    screen.close();
  });
});
