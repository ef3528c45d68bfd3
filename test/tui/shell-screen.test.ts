/** The screens of commands that run: drawn as a terminal draws them, and kept away from the terminal itself. */

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, fakeModel, say, startTerminal } from '@castor/testkit';
import type { FakeModel, Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';
import { sharedTerminal } from './shared-terminal.ts';
import type { OpenTerminalOptions } from './open-terminal.ts';

const FOCUS_OUT = '\x1b[O';
const TAB = '\t';
const SHIFT_TAB = '\x1b[Z';
const CTRL_B = '\x02';
const PROGRAM = `${process.execPath} ${fileURLToPath(new URL('full-screen-program.mjs', import.meta.url))}`;

const open = (script: Script, options: OpenTerminalOptions = {}) =>
  openTerminal({ args: ['--yolo'], columns: 100, rows: 30, script, ...options });

const inTerminal = sharedTerminal({ args: ['--yolo'], columns: 100, rows: 30 });

const shell = (command: string) => call('run_shell_command', { command });
const lastBody = (model: Pick<FakeModel, 'requests'>) => JSON.stringify(model.requests.at(-1)?.body);
/** The cell under the cursor of the program, as it is drawn. */
const DRAWN_CURSOR = '\x1b[7mX\x1b[';

describe('a program that has the whole screen', () => {
  it('is drawn in the size it is shown in, typed into, resized and left', async () => {
    await inTerminal([shell(PROGRAM), say('Done.')], async ({ terminal, model, output }) => {
      terminal.type('Go\r');
      // Beside the prompt, where only a part of it has room.
      await terminal.waitForText(/^ +(?:└ )?size 97x25$/m);
      await terminal.waitForText(/^ +(?:└ )?cursor X$/m);
      expect(output()).not.toContain(DRAWN_CURSOR);
      terminal.type(TAB);
      await terminal.waitForText(/^size 97x25\nkeys ""\ncursor X\npale\n{21}the bottom\n/m);
      await terminal.waitUntil(() => output().includes(DRAWN_CURSOR));
      expect(terminal.cursor().isVisible).toBe(false);
      terminal.type('\x1b[A');
      await terminal.waitForText(String.raw`keys "\u001bOA"`);
      terminal.type('\t\x03');
      await terminal.waitForText(String.raw`keys "\u001bOA\t\u0003"`);
      terminal.type('\x1b');
      await terminal.waitForText(String.raw`\t\u0003\u001b"`);
      terminal.type('\x1b[200~two\nlines\x1b[201~');
      await terminal.waitForText(String.raw`\u001b[200~two\rlines\u001b[201~"`);
      await terminal.resize(80, 20);
      await terminal.waitForText(/^size 77x15\n[^]*\nthe bottom\n/m);
      terminal.type(SHIFT_TAB);
      await terminal.waitForText(READY);
      await terminal.waitForText(/^ +(?:└ )?size 77x15$/m);
      terminal.type(TAB);
      await terminal.waitForText('back to the prompt');
      terminal.type('q');
      await terminal.waitForText('Done.');
      expect(lastBody(model)).toContain('it was left');
      await terminal.resize(100, 30);
    });
  });

  it('speaks to its own terminal only', { tags: 'wide' }, async () => {
    await inTerminal([shell(PROGRAM), say('Done.')], async ({ terminal }) => {
      terminal.type('Go\r');
      await terminal.waitForText(/^ +(?:└ )?size 97x25$/m);
      terminal.type(TAB);
      await terminal.waitForText(/^the bottom$/m);
      expect([terminal.modes().isAlternate, terminal.modes().hasMouse, terminal.title().includes('hostile')]).toEqual([
        false,
        false,
        false,
      ]);
      terminal.type('q');
      await terminal.waitForText('Done.');
      // oxlint-disable-next-line no-control-regex -- what a terminal is told is looked for
      expect(terminal.bytes).not.toMatch(/hostile|aG9zdGlsZQ|\x1bP|\x1b\[\?10(49|03|06)h|\x07{2}/);
    });
  });

  it('goes on in the background, where it is drawn and typed into as well', { tags: 'wide' }, async () => {
    await using opened = await open([shell(PROGRAM), say('It runs on.')]);
    const { terminal } = opened;
    terminal.type('Go\r');
    await terminal.waitForText(/^ +(?:└ )?size 97x25$/m);
    terminal.type(CTRL_B);
    await terminal.waitForText('It runs on.');
    terminal.type(CTRL_B);
    await terminal.waitForText(/^size 97x25\nkeys ""\n[^]*\nthe bottom\n/m);
    terminal.type('\x1b[B');
    await terminal.waitForText(String.raw`keys "\u001bOB"`);
    terminal.type('q');
    await terminal.waitForText('exit code 0');
  });

  it('is drawn in its colours', { tags: 'wide' }, async () => {
    await inTerminal([shell(PROGRAM), say('Done.')], async ({ terminal, output }) => {
      terminal.type('Go\r');
      await terminal.waitForText(/^ +(?:└ )?pale$/m);
      expect(output()).toContain('\x1b[38;2;9;8;7mpale');
      terminal.type(TAB);
      await terminal.waitForText('back to the prompt');
      terminal.type('q');
      await terminal.waitForText('Done.');
    });
  });

  it('is drawn without them where the settings say so', { tags: 'wide' }, async () => {
    const settings = { tools: { shell: { showColor: false } } };
    await using opened = await open([shell(PROGRAM), say('Done.')], { settings });
    const { terminal } = opened;
    terminal.type('Go\r');
    await terminal.waitForText(/^ +(?:└ )?pale$/m);
    expect(terminal.bytes).not.toContain('\x1b[38;2;9;8;7mpale');
  });
});

describe('a line that is drawn again', () => {
  it('is one line, and only its last state is ever kept', { tags: 'wide' }, async () => {
    await inTerminal(
      [
        shell(
          String.raw`mkfifo gate; printf 'at 10%%'; cat gate >/dev/null; printf '\rat 90%%'; cat gate >/dev/null; echo`,
        ),
        say('Done.'),
      ],
      async ({ terminal, workspace, written }) => {
        terminal.type('Go\r');
        await terminal.waitForText(/^ +(?:└ )?at 10%$/m);
        await writeFile(join(workspace.project, 'gate'), '');
        await terminal.waitForText(/^ +(?:└ )?at 90%$/m);
        expect(written().filter((line) => /^ +(?:└ )?at \d+%$/.test(line))).toEqual(['  └ at 90%']);
        await writeFile(join(workspace.project, 'gate'), '');
        await terminal.waitForText('Done.');
        expect(written().filter((line) => /^ +(?:└ )?at \d+%$/.test(line))).toEqual(['  └ at 90%']);
      },
    );
  });
});

describe('a command that waits for the user', () => {
  const general = { enableNotifications: true, notificationMethod: 'osc9' };
  const ASK = 'read -p "Name: " name; read -p "Town: " town; echo "$name of $town"';

  it('says so with the key that leads to it, in the title, and to a user who looks elsewhere, once', async () => {
    await using opened = await open([shell(ASK), say('Done.')], { settings: { general }, columns: 60 });
    const { terminal, model } = opened;
    terminal.type(FOCUS_OUT);
    terminal.type('Go\r');
    await terminal.waitForText('Waiting for your input: tab types into it');
    await terminal.waitUntil((seen) => seen.title().includes('Action Required'));
    terminal.type(TAB);
    await terminal.waitForText('back to the prompt');
    terminal.type('Ada\r');
    await terminal.waitForText(/^Town:/m);
    terminal.type('Bath\r');
    await terminal.waitForText('Done.');
    await terminal.waitUntil((seen) => seen.title().includes('Ready'));
    // oxlint-disable-next-line no-control-regex -- what a terminal is told is looked for
    expect([...terminal.bytes.matchAll(/\x1b\]9;([^\x07]*)\x07/g)].map(([, text]) => text)).toEqual([
      'Castor: A command is waiting for input (project)',
      'Castor: Done (project)',
    ]);
    expect(lastBody(model)).toContain('Ada of Bath');
  });
});

describe('a command that waits, for a screen reader,', () => {
  it('is said to wait, once, and is typed into line by line', { tags: 'wide' }, async () => {
    await using model = await fakeModel([shell('read -p "Name: " name; echo "hi $name"'), say('Done.')]);
    await using terminal = await startTerminal(['--screen-reader', '--yolo'], { model, columns: 100 });
    await terminal.waitForText('castor 0');
    terminal.type('Ask\r');
    await terminal.waitForText('The command is waiting for input.');
    terminal.type(TAB);
    await terminal.waitForText(/^Name: *$/m);
    terminal.type('Ada\r');
    await terminal.waitForText('Done.');
    expect(lastBody(model)).toContain('hi Ada');
    const said = [
      'A command is running: tab types into it, ctrl+b to the background.',
      'The command is waiting for input.',
    ];
    expect(said.map((sentence) => terminal.lines().filter((line) => line === sentence).length)).toEqual([1, 1]);
  });
});

describe('a flood', () => {
  it('ends with its last lines on the screen and all of it in the result', { tags: 'wide' }, async () => {
    await inTerminal(
      [shell('seq 1 300000; mkfifo flood; cat flood'), say('Done.')],
      async ({ terminal, model, workspace }) => {
        terminal.type('Go\r');
        await terminal.waitForText(/^ {2}└ … 299991 lines\n(?: {4}\d+\n){8} {4}300000$/m);
        await writeFile(join(workspace.project, 'flood'), 'over\n');
        await terminal.waitForText('Done.');
        expect(lastBody(model)).toMatch(/299999\\n300000/);
      },
    );
  });
});

describe.runIf(hasProgram('vim'))('vim', () => {
  it('is typed into and saves a file', { tags: 'wide' }, async () => {
    await inTerminal([shell('vim -u NONE note.txt; cat note.txt'), say('Done.')], async ({ terminal, model }) => {
      terminal.type('Go\r');
      await terminal.waitForText(/^ +(?:└ )?~$/m);
      terminal.type(TAB);
      await terminal.waitForText(/^~$/m);
      terminal.type('iwritten by hand');
      await terminal.waitForText(/^written by hand$/m);
      terminal.type('\x1b');
      terminal.type(':wq\r');
      await terminal.waitForText('Done.');
      expect(lastBody(model)).toContain('written by hand');
    });
  });
});

function hasProgram(name: string): boolean {
  try {
    execFileSync('which', [name]);
    return true;
  } catch {
    return false;
  }
}
