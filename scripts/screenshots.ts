/**
 * The pictures in the README, dark and light, taken from the emulator's screen while the built program runs against a
 * scripted model: `node --conditions=castor-source scripts/screenshots.ts [name …]`.
 */

import { answer, createWorkspace, fakeModel, gate, say, startTerminal, thought } from '@castor/testkit';
import type { Script, Terminal } from '@castor/testkit';
import headless from '@xterm/headless';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EDIT_WITH_WORDS, INSTALL, PLAN, READ_AND_EXPLAIN, SHOP, TEST, WHY } from './picture-shop.ts';
import { DARK, LIGHT, toSvg } from './screen-to-svg.ts';
import type { Paper } from './screen-to-svg.ts';

const FOLDER = fileURLToPath(new URL('../docs/screens/', import.meta.url));
const SIZE = { columns: 100, rows: 30 };
const READY = 'Type your message';
/** Of the prompt that reads: the status row counts calls as well. */
const RECEIPT = /^3 calls ·/m;

/** What the model says, and how to get to the moment worth a picture. */
interface Scene {
  script(): Script;
  play(terminal: Terminal): Promise<void>;
}

async function ask(terminal: Terminal, words: string, until: string | RegExp): Promise<void> {
  terminal.type(`${words}\r`);
  await terminal.waitForText(until);
}

const SCENES: Readonly<Record<string, Scene>> = {
  answer: {
    script: () => [...READ_AND_EXPLAIN],
    async play(terminal) {
      await ask(terminal, WHY, RECEIPT);
      await terminal.waitForText(READY);
    },
  },
  edit: {
    script: () => [...READ_AND_EXPLAIN, EDIT_WITH_WORDS],
    async play(terminal) {
      await ask(terminal, WHY, RECEIPT);
      await ask(terminal, 'fix it', 'until you leave');
    },
  },
  command: {
    script: () => [say('The tests are green. The build needs its tools first.'), INSTALL],
    async play(terminal) {
      await ask(terminal, 'are we ready to ship?', 'needs its tools');
      await terminal.waitForText(READY);
      await ask(terminal, 'then build it', 'until you leave');
    },
  },
  working: {
    script: () => [answer(PLAN), answer(TEST), EDIT_WITH_WORDS, answer(thought('**Looking at the API** next'), gate())],
    async play(terminal) {
      await ask(terminal, 'fix it, and run the tests before and after', /Run a command/);
      terminal.type('1');
      // The question, not the row of the call.
      await terminal.waitForText('── Edit src/cart.ts');
      terminal.type('1');
      await terminal.waitForText('Looking at the API');
      terminal.type('\x14');
      await terminal.waitForText('Plan 1 of 4');
      terminal.type('and add a test for the API\t');
      await terminal.waitForText('says it now');
    },
  },
  menu: {
    script: () => [...READ_AND_EXPLAIN],
    async play(terminal) {
      await ask(terminal, WHY, RECEIPT);
      await terminal.waitForNoText('esc stops');
      await terminal.waitForText(READY);
      terminal.type('/m');
      await terminal.waitForText('/memory');
    },
  },
  theme: {
    script: () => [say('The rounding in money.ts is right and stays as it is.')],
    async play(terminal) {
      await ask(terminal, 'is the rounding right?', 'stays as it is');
      await terminal.waitForText(READY);
      await ask(terminal, '/theme', 'keeps what was');
    },
  },
  context: {
    script: () => [...READ_AND_EXPLAIN, answer(TEST), say('One test fails: the total may go below zero.')],
    async play(terminal) {
      await ask(terminal, WHY, RECEIPT);
      await ask(terminal, 'run the tests', 'Run a command');
      terminal.type('1');
      await terminal.waitForText('One test fails');
      await terminal.waitForText(READY);
      await ask(terminal, '/context', /^ {2}free /m);
    },
  },
  model: {
    script: () => [say('The rounding in money.ts is right and stays as it is.')],
    async play(terminal) {
      await ask(terminal, 'is the rounding right?', 'stays as it is');
      await terminal.waitForText(READY);
      await ask(terminal, '/model', 'from now on');
    },
  },
  settings: {
    script: () => [say('The rounding in money.ts is right and stays as it is.')],
    async play(terminal) {
      await ask(terminal, 'is the rounding right?', 'stays as it is');
      await terminal.waitForText(READY);
      await ask(terminal, '/settings', 'type to filter');
      terminal.type('\x1b[B\x1b[B\x1b[C');
      await terminal.waitForText(/❯ Vim mode +on/);
    },
  },
  diff: {
    script: () => [EDIT_WITH_WORDS, say('Clamped: a voucher can no longer make a basket negative.')],
    async play(terminal) {
      await ask(terminal, 'fix it', 'until you leave');
      terminal.type('1');
      await terminal.waitForText('can no longer');
      await terminal.waitForText(READY);
      await ask(terminal, '/diff', 'Changed in this session');
    },
  },
  sessions: {
    script: () => [
      say('Release 1.2 is tagged; the notes are in CHANGELOG.md.'),
      EDIT_WITH_WORDS,
      say('Every caller gets it: a basket costs nothing or more.\n\nAll tests pass.'),
      ...READ_AND_EXPLAIN,
    ],
    async play(terminal) {
      await ask(terminal, 'tag release 1.2', 'is tagged');
      await terminal.waitForNoText('esc stops');
      await terminal.waitForText(READY);
      await ask(terminal, '/clear', 'A new session has started');
      await ask(terminal, 'clamp the total of a basket at zero', 'until you leave');
      terminal.type('1');
      await terminal.waitForText(/^1 call ·/m);
      await terminal.waitForNoText('esc stops');
      await terminal.waitForText(READY);
      terminal.type('/clear\r');
      await terminal.waitForNoText(/^1 call ·/m);
      await terminal.waitForText(READY);
      await ask(terminal, WHY, RECEIPT);
      await terminal.waitForNoText('esc stops');
      await terminal.waitForText(READY);
      await ask(terminal, '/resume', /1 message$/m);
      await terminal.waitForText('All tests pass');
    },
  },
  rewind: {
    script: () => [...READ_AND_EXPLAIN, EDIT_WITH_WORDS, say('Clamped.')],
    async play(terminal) {
      await ask(terminal, WHY, RECEIPT);
      await ask(terminal, 'fix it', 'until you leave');
      terminal.type('1');
      await terminal.waitForText('Clamped.');
      await terminal.waitForText(READY);
      await ask(terminal, '/rewind', 'Rewind to before which message?');
    },
  },
};

async function takePicture(name: string, { script, play }: Scene, paper: Paper): Promise<void> {
  await using workspace = await createWorkspace({ homeFiles: SHOP });
  await using model = await fakeModel(script());
  await using terminal = await startTerminal(['-m', 'gemini-2.5-pro', '--skip-trust'], {
    ...SIZE,
    model,
    workspace,
    cwd: join(workspace.home, 'shop'),
    background: paper.background,
    env: { COLORTERM: 'truecolor', TERM_PROGRAM: '', COLORFGBG: paper === LIGHT ? '0;15' : '15;0' },
  });
  await terminal.waitForText(READY);
  await terminal.waitForText('gemini-2.5-pro');
  await play(terminal);
  const emulator = new headless.Terminal({ cols: SIZE.columns, rows: SIZE.rows, allowProposedApi: true });
  await new Promise<void>((resolve) => emulator.write(terminal.bytes, resolve));
  const file = `${FOLDER}${name}${paper === LIGHT ? '-light' : ''}.svg`;
  writeFileSync(file, toSvg(emulator, { title: `castor: ${name}`, paper }));
}

mkdirSync(FOLDER, { recursive: true });
const wanted = process.argv.slice(2);
for (const [name, scene] of Object.entries(SCENES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const paper of [DARK, LIGHT]) await takePicture(name, scene, paper);
}
