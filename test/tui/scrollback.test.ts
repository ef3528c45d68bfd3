/** What the terminal keeps: every finished line once and in order, whatever happens to the window. */

import { answer, createWorkspace, fakeModel, gate, say, seededRandom, startTerminal, text } from '@castor/testkit';
import type { Gate, Terminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const READY = 'Type your message';
const BEFORE = Array.from({ length: 60 }, (_, index) => `shell line ${index}`);

/** The numbered lines in the order the terminal holds them. */
function numbered(terminal: Terminal): string[] {
  return terminal.lines().flatMap((line) => /^(?:shell line|answer line) \d+/.exec(line)?.[0] ?? []);
}

/** The frame has been drawn for this size when its rule has this width. */
function isDrawnFor(columns: number): (terminal: Terminal) => boolean {
  return (terminal) => terminal.screen().some((line) => /^─+$/.test(line) && line.length === columns - 1);
}

type Size = readonly [columns: number, rows: number];

function within(value: number, least: number, most: number): number {
  return Math.round(Math.max(least, Math.min(most, value)));
}

describe('the scrollback', () => {
  it('holds every line once and in order after forty resizes, between and during answers', async () => {
    const random = seededRandom(20_26);
    const gates: Gate[] = Array.from({ length: 20 }, () => gate());
    const pieces = gates.flatMap((held, index) => [
      text(`answer line ${2 * index} of many words that fill a good part of a row\n\nanswer line ${2 * index + 1}\n\n`),
      held,
    ]);
    await using model = await fakeModel([answer(...pieces, text('Finished.')), say('answer line 40\n\nBye.')]);
    await using terminal = await startTerminal([], { model, before: BEFORE.map((line) => `${line}\r\n`).join('') });
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    const resize = async () => {
      const columns = 50 + Math.floor(random() * 90);
      await terminal.resize(columns, 16 + Math.floor(random() * 30));
      await terminal.waitUntil(isDrawnFor(columns));
    };
    for (const [index, held] of gates.entries()) {
      await held.reached;
      await terminal.waitUntil((seen) => seen.lines().includes(`answer line ${2 * index + 1}`));
      await resize();
      held.release();
    }
    await terminal.waitForText('Finished.');
    for (let count = 0; count < 20; count++) await resize();
    terminal.type('More\r');
    await terminal.waitForText('Bye.');
    const answers = Array.from({ length: 41 }, (_, index) => `answer line ${index}`);
    expect(numbered(terminal)).toEqual([...BEFORE, ...answers]);
    expect(['\x1b[2J', '\x1b[3J'].filter((erase) => terminal.bytes.includes(erase))).toEqual([]);
  });

  it.each([
    ['a tiny window that jumps', 7, (random: () => number) => [[20 + random() * 20, 6 + random() * 5]] as const],
    [
      'a window that is dragged',
      11,
      (random: () => number, [columns, rows]: Size) =>
        Array.from({ length: 5 }, (_, step) => [
          columns + (step + 1) * Math.round((random() - 0.5) * 8),
          rows + (step + 1) * Math.round((random() - 0.5) * 4),
        ]),
    ],
  ])('holds every line of a growing paragraph once in %s', async (_name, seed, sizes) => {
    const random = seededRandom(seed);
    const gates: Gate[] = Array.from({ length: 12 }, () => gate());
    const pieces = gates.flatMap((held, index) => [
      text(
        `answer line ${2 * index}\n\n- answer line ${2 * index + 1} with **bold 漢字** words that are not at their `,
      ),
      held,
      text('end yet, and then they are.\n\n'),
    ]);
    // What is on its way while the window changes lands anywhere, in any program: nothing ticks.
    const homeFiles = { '.gemini/settings.json': '{"ui": {"showSpinner": false}}' };
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel([answer(...pieces, text('Finished.'))]);
    const before = BEFORE.map((line) => `${line}\r\n`).join('');
    await using terminal = await startTerminal([], { model, workspace, before });
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    let size: Size = [80, 24];
    for (const [index, held] of gates.entries()) {
      await held.reached;
      await terminal.waitUntil((seen) => seen.lines().some((line) => line.includes(`answer line ${2 * index + 1}`)));
      for (const next of sizes(random, size)) {
        size = [within(next[0], 20, 120), within(next[1], 6, 40)];
        await terminal.resize(...size);
      }
      await terminal.waitUntil(isDrawnFor(size[0]));
      held.release();
    }
    await terminal.resize(100, 30);
    await terminal.waitForText('Finished.');
    const all =
      terminal
        .lines()
        .join('\n')
        .match(/(?:shell|answer)\s+line\s+\d+/g) ?? [];
    const answers = Array.from({ length: 24 }, (_, index) => `answer line ${index}`);
    expect(all.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([...BEFORE, ...answers]);
  });

  it.each([
    ['a terminal known by its name', { TERM_PROGRAM: 'vscode' }],
    ['one that only answers what it is', { TERM_PROGRAM: undefined }],
  ])('holds every word once and in order that arrives in another window, in %s', async (_name, env) => {
    const random = seededRandom(40);
    const gates: Gate[] = Array.from({ length: 40 }, () => gate());
    const word = (number: number) => `word${String(number).padStart(4, '0')}`;
    // Pieces end in the middle of words and of marks, and paragraphs go on over several of them.
    const answered = Array.from({ length: 600 }, (_, index) => {
      return (index % 7 === 3 ? `**${word(index)}**` : word(index)) + (index % 40 === 39 ? '\n\n' : ' ');
    }).join('');
    const length = Math.ceil(answered.length / gates.length);
    const pieces = gates.flatMap((held, index) => [held, text(answered.slice(index * length, (index + 1) * length))]);
    await using model = await fakeModel([answer(...pieces, text('Finished.'))]);
    await using terminal = await startTerminal([], {
      model,
      env,
      before: BEFORE.map((line) => `${line}\r\n`).join(''),
    });
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    for (const [index, held] of gates.entries()) {
      const size = [30 + Math.floor(random() * 130), 12 + Math.floor(random() * 40)] as const;
      await held.reached;
      await terminal.reshape(...size);
      held.release();
      const whole =
        answered
          .slice(0, (index + 1) * length)
          .match(/word\d{4}(?=\**\s)/g)
          ?.at(-1) ?? '';
      await terminal.waitUntil(({ bytes }) => bytes.includes(whole));
      await terminal.resize(...size);
      await terminal.waitUntil(isDrawnFor(size[0]));
    }
    await terminal.waitUntil((seen) => seen.lines().some((line) => line.includes('Finished.')));
    const words = terminal
      .lines()
      .join(' ')
      .match(/shell line \d+|word\d{4}/g);
    expect(words).toEqual([...BEFORE, ...Array.from({ length: 600 }, (_, index) => word(index))]);
    // The way xterm.js itself goes back over what it has broken.
    expect(terminal.bytes).toContain('\x1b[?45h');
    expect(['\x1b[2J', '\x1b[3J'].filter((erase) => terminal.bytes.includes(erase))).toEqual([]);
  });

  it('breaks no row in two where the terminal counts emoji in its own way', async () => {
    const words = Array.from({ length: 120 }, (_, index) => `w${index} 👨‍👩‍👧`).join(' ');
    await using model = await fakeModel([say(`${words}\n\nFinished.`)]);
    await using terminal = await startTerminal([], { model });
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    await terminal.waitUntil((seen) => seen.lines().includes('Finished.'));
    const rows = terminal.lines().filter((line) => line.includes('👨‍👩‍👧'));
    expect(rows.join(' ')).toBe(words);
    // The emulator gives each of the three a cell.
    const cells = rows.map((row) => row.replaceAll('👨‍👩‍👧', 'xxx').length);
    expect(cells.filter((count) => count > 79)).toEqual([]);
  });

  it('gives back what was written where it is copied: code, and prose as raw markdown', async () => {
    const code = `const words = '${'so many of them '.repeat(8)}';`;
    const prose = `A **long** line, ${'and it goes on '.repeat(12)}to its end.`;
    await using model = await fakeModel([say(`\`\`\`js\n${code}\n\`\`\`\n`), say(`${prose}\n\nThe end.`)]);
    await using terminal = await startTerminal([], { model });
    await terminal.waitForText(READY);
    terminal.type('Code\r');
    await terminal.waitUntil((seen) => seen.lines().includes(code));
    await terminal.waitForText(READY);
    terminal.type('\x1bm');
    await terminal.waitForText('as raw markdown');
    terminal.type('Prose\r');
    await terminal.waitUntil((seen) => seen.lines().includes('The end.'));
    expect(terminal.lines()).toContain(prose);
  });

  it('costs at most two and a half times the bytes of a long answer', async () => {
    const paragraph = 'The quick brown fox jumps over the lazy dog, and **then** it does `so()` again.';
    const words = Array.from({ length: 2_500 }, (_, index) => `${index}. ${paragraph}\n${index % 5 === 4 ? '\n' : ''}`);
    await using model = await fakeModel([say([...words, 'The last line.'])]);
    await using terminal = await startTerminal([], { model });
    await terminal.waitForText(READY);
    const before = terminal.bytes.length;
    terminal.type('Go\r');
    await terminal.waitForText('The last line.');
    // What is seen may be the beginning of a frame whose end is still on its way.
    await terminal.waitUntil(({ bytes }) => bytes.lastIndexOf('\x1b[?2026l') > bytes.lastIndexOf('\x1b[?2026h'));
    const sent = Buffer.byteLength(terminal.bytes.slice(before));
    const received = Buffer.byteLength(words.join(''));
    expect(received).toBeGreaterThan(200_000);
    expect(sent / received).toBeLessThan(2.5);
    // Whole frames only: a terminal that knows the marks never shows half of one.
    expect(terminal.bytes.split('\x1b[?2026h').length).toBe(terminal.bytes.split('\x1b[?2026l').length);
  });

  it.each([
    [12, 5],
    [30, 8],
    [200, 50],
  ])('shows a prompt that can be used in %i by %i cells', async (columns, rows) => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([
      say('Words 漢字 👨‍👩‍👧 and\ttabs.\n\n| a | b |\n|---|---|\n| long cell | 漢字 |\n'),
    ]);
    await using terminal = await startTerminal([], { model, workspace, columns, rows });
    await terminal.waitForText('>');
    terminal.type('Hi\r');
    await terminal.waitUntil((seen) => seen.lines().some((line) => line.includes('Words')));
    terminal.type('abc');
    await terminal.waitForText('> abc');
    expect(terminal.screen().length).toBeLessThanOrEqual(rows);
  });
});
