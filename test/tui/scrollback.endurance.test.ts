/** What the terminal keeps in a storm of resizes: every finished line once and in order, whatever happens to the window. */

import { answer, createWorkspace, fakeModel, gate, say, seededRandom, startTerminal, text } from '@castor/testkit';
import type { Gate, Terminal } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';
import { READY } from './open-terminal.ts';
import { variants } from '../house/variants.ts';

const isEndurance = inject('isEndurance');
const BEFORE = Array.from({ length: 60 }, (_, index) => `shell line ${index}`);

/** The numbered lines in the order the terminal holds them. */
function numbered(terminal: Terminal): string[] {
  return terminal.lines().flatMap((line) => /^(?:shell line|answer line) \d+/.exec(line)?.[0] ?? []);
}

/** The frame has been drawn for this size when its rule has this width. */
function isDrawnFor(columns: number): (terminal: Terminal) => boolean {
  return (terminal) => terminal.screen().some((line) => /^─.*─$/.test(line) && line.length === columns - 1);
}

type Size = readonly [columns: number, rows: number];

function within(value: number, least: number, most: number): number {
  return Math.round(Math.max(least, Math.min(most, value)));
}

describe('the scrollback in a storm', () => {
  it('holds every line once and in order after resizes between and during answers', async () => {
    const random = seededRandom(20_26);
    const gates: Gate[] = Array.from({ length: isEndurance ? 40 : 4 }, () => gate());
    const pieces = gates.flatMap((held, index) => [
      text(`answer line ${2 * index} of many words that fill a good part of a row\n\nanswer line ${2 * index + 1}\n\n`),
      held,
    ]);
    await using model = await fakeModel([
      answer(...pieces, text('Finished.')),
      say(`answer line ${2 * gates.length}\n\nBye.`),
    ]);
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
    for (let count = 0; count < gates.length; count++) await resize();
    terminal.type('More\r');
    await terminal.waitForText('Bye.');
    const answers = Array.from({ length: 2 * gates.length + 1 }, (_, index) => `answer line ${index}`);
    expect(numbered(terminal)).toEqual([...BEFORE, ...answers]);
    expect(['\x1b[2J', '\x1b[3J'].filter((erase) => terminal.bytes.includes(erase))).toEqual([]);
  });

  variants.each([
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
    const gates: Gate[] = Array.from({ length: isEndurance ? 24 : 4 }, () => gate());
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
    const answers = Array.from({ length: 2 * gates.length }, (_, index) => `answer line ${index}`);
    expect(all.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([...BEFORE, ...answers]);
  });

  variants.each([
    ['a terminal known by its name', { TERM_PROGRAM: 'vscode' }],
    ['one that only answers what it is', { TERM_PROGRAM: undefined }],
  ])('holds every word once and in order that arrives in another window, in %s', async (_name, env) => {
    const random = seededRandom(40);
    const gates: Gate[] = Array.from({ length: isEndurance ? 80 : 6 }, () => gate());
    const wordCount = 15 * gates.length;
    const word = (number: number) => `word${String(number).padStart(4, '0')}`;
    // Pieces end in the middle of words and of marks, and paragraphs go on over several of them.
    const answered = Array.from({ length: wordCount }, (_, index) => {
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
    expect(words).toEqual([...BEFORE, ...Array.from({ length: wordCount }, (_, index) => word(index))]);
    // The way xterm.js itself goes back over what it has broken.
    expect(terminal.bytes).toContain('\x1b[?45h');
    expect(['\x1b[2J', '\x1b[3J'].filter((erase) => terminal.bytes.includes(erase))).toEqual([]);
  });
});
