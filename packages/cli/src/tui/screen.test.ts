import { describe, expect, it } from 'vitest';
import { Screen } from './screen.ts';
import type { Size } from './terminal/painter.ts';

/** A window behind a multiplexer: what it has become is one thing, what it has told another. */
function openWindow() {
  let size: Size = { columns: 80, rows: 24 };
  let listener: () => void = () => {};
  let asked = Promise.withResolvers<void>();
  const written: string[] = [];
  const screen = new Screen({
    terminal: {
      get size() {
        return size;
      },
      measure: () => size,
      write: (bytes) => void (bytes !== '' && written.push(bytes)),
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
    askPlaces: () => {
      asked.resolve();
      asked = Promise.withResolvers();
    },
  });
  const tell = (next: Size) => {
    size = next;
    const question = asked.promise;
    listener();
    return question;
  };
  const answer = (end: Size) => {
    const question = asked.promise;
    screen.noteCursor({ row: 3, column: 2 });
    screen.noteCursor({ row: end.rows, column: end.columns });
    return question;
  };
  return { screen, written, tell, answer };
}

describe('a screen whose window changes', () => {
  it('draws nothing until the terminal itself says that it has the size that was told', async () => {
    const { screen, written, tell, answer } = openWindow();
    screen.drawNow();
    written.length = 0;
    await tell({ columns: 60, rows: 20 });
    screen.drawNow();
    const again = answer({ columns: 40, rows: 10 });
    screen.drawNow();
    await again;
    expect(written).toEqual([]);
    void answer({ columns: 60, rows: 20 });
    expect(written.join('')).toContain('for 60');
    screen.close();
  });

  it('takes an answer to an earlier question for what it is', async () => {
    const { screen, written, tell, answer } = openWindow();
    screen.drawNow();
    written.length = 0;
    await tell({ columns: 60, rows: 20 });
    screen.noteCursor({ row: 3, column: 2 });
    const question = tell({ columns: 50, rows: 20 });
    // The last answer of before: who still owes one is not asked.
    screen.noteCursor({ row: 20, column: 60 });
    await question;
    expect(written).toEqual([]);
    void answer({ columns: 50, rows: 20 });
    expect(written.join('')).toContain('for 50');
    screen.close();
  });
});
