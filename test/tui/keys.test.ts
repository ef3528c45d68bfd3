/** Every default key at a real terminal: what it does is seen on the screen. */

import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, gate, say, text } from '@castor/testkit';
import type { Terminal, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY, lastParts, openTerminal } from './open-terminal.ts';
import { sharedTerminal } from './shared-terminal.ts';
import { variants } from '../house/variants.ts';

const ESC = '\x1b';
const UP = '\x1b[A';
const DOWN = '\x1b[B';
const SHIFT_TAB = '\x1b[Z';
const F4 = '\x1bOS';
const F9 = '\x1b[20~';
const F12 = '\x1b[24~';
const ALT_M = '\x1bm';
const PAGE_UP = '\x1b[5~';
const REDO = '\x1b[122;6u';
const ctrl = (letter: string) => String.fromCharCode(letter.charCodeAt(0) & 0x1f);

const inTerminal = sharedTerminal({
  rows: 40,
  // The list of things to do is offered to this model.
  args: ['-m', 'gemini-2.5-pro'],
  files: { 'bin/append': '#!/bin/sh\nprintf " and more" >> "$1"\n' },
  env: ({ project }) => ({ EDITOR: `sh ${join(project, 'bin', 'append')}` }),
});

/** Where we are and in which mode, before the first prompt; wherever it stands. */
function footer(terminal: Terminal): string | undefined {
  return terminal.screen().findLast((row) => / · (?:auto|gemini-2\.5-pro) ──$/.test(row));
}

/** The rows of the editor. */
function composer(terminal: Terminal): string {
  const screen = terminal.screen();
  const rows = screen.slice(screen.findLastIndex((row) => row.startsWith('──')) + 1);
  return rows.filter((row) => !/^ {2}\S.* · /.test(row) && !row.includes('again to')).join('\n');
}

const shows = (terminal: Terminal, expected: string) => terminal.waitUntil((seen) => composer(seen) === expected);

async function ask(terminal: Terminal, words: string, until: string | RegExp): Promise<void> {
  terminal.type(`${words}\r`);
  await terminal.waitForText(until);
  // The placeholder is there while it works, too.
  await terminal.waitUntil((seen) => seen.title().includes('Ready') && seen.screen().join('\n').includes(READY));
}

describe('editing', () => {
  it('has its keys', async () => {
    await inTerminal([say('ok')], async ({ terminal }) => {
      for (const [written, keys, more, expected] of [
        ['abc', ctrl('a'), 'X', '❯ Xabc'],
        ['abc', ctrl('a') + ctrl('e'), 'X', '❯ abcX'],
        ['abc', '\x1b[H\x1b[F\x1b[D', 'X', '❯ abXc'],
        ['one two', `\x1bb${ctrl('k')}`, 'X', '❯ one X'],
        ['one two', `\x1bb${ctrl('u')}`, 'X', '❯ Xtwo'],
        ['one two', ctrl('w'), 'X', '❯ one X'],
        ['one two', '\x1bb', 'X', '❯ one Xtwo'],
        ['one two', `${ctrl('a')}\x1bf`, 'X', '❯ oneX two'],
        ['one two', `${ctrl('w')}\x1bz`, '', '❯ one two'],
        ['one two', `${ctrl('w')}\x1bz${REDO}`, 'X', '❯ one X'],
        ['one two', `${ctrl('w')}\x1by`, 'X', '❯ one twoX'],
      ] as const) {
        terminal.type(written);
        await shows(terminal, `❯ ${written}`);
        terminal.type(keys);
        terminal.type(more);
        await shows(terminal, expected);
        terminal.type(ctrl('c'));
        await terminal.waitForText(READY);
      }
    });
  });

  it('has five keys for a new line, and Enter sends all of them', async () => {
    await inTerminal([say('ok')], async ({ terminal, model }) => {
      const lines = ['0'];
      terminal.type('0');
      await shows(terminal, '❯ 0');
      for (const key of ['\n', '\x1b[13;2u', '\x1b[13;5u', '\x1b\r', '\\\r']) {
        terminal.type(key);
        await terminal.waitUntil((seen) => seen.cursor().column === 2);
        terminal.type(`${lines.length}`);
        lines.push(`${lines.length}`);
        await shows(terminal, `❯ ${lines.join('\n  ')}`);
      }
      terminal.type('\r');
      await terminal.waitForText('ok');
      expect(lastParts(model).at(-1)).toEqual({ text: lines.join('\n') });
    });
  });

  it('goes on in an editor of your own with Ctrl+G and Ctrl+X', async () => {
    await inTerminal([say('ok')], async ({ terminal }) => {
      terminal.type(`this${ctrl('g')}`);
      await shows(terminal, '❯ this and more');
      terminal.type(ctrl('x'));
      await shows(terminal, '❯ this and more and more');
    });
  });
});

describe('Ctrl+V', () => {
  const PNG = String.raw`printf '\211PNG\r\n'`;
  const inWideTerminal = sharedTerminal({ columns: 200, env: ({ project }) => ({ PATH: join(project, 'bin') }) });

  /** Without a script there is no program for the clipboard. */
  async function install({ project, write }: Workspace, script?: string): Promise<void> {
    await rm(join(project, 'bin'), { recursive: true, force: true });
    if (script !== undefined) await chmod(await write('bin/xclip', `#!/bin/sh\n${script}\n`), 0o700);
  }

  variants.each([
    [
      'puts an image in the clipboard into a file',
      `case "$*" in *image/png*) ${PNG};; *) exit 1;; esac`,
      /^❯ @.*\.png$/,
    ],
    ['pastes the text in it', `case "$*" in *image/png*) exit 1;; *) printf 'some text';; esac`, '❯ some text'],
    ['says that it is empty', 'exit 1', undefined],
    ['says so when it does not answer', 'kill $$', undefined],
  ])('%s', async (_title, script, expected) => {
    await inWideTerminal([say('ok')], async ({ terminal, workspace }) => {
      await install(workspace, script);
      await ask(terminal, 'hi', 'ok');
      terminal.type(ctrl('v'));
      if (expected === undefined) {
        await terminal.waitForText('── The clipboard is empty.');
        return;
      }
      await terminal.waitUntil((seen) => {
        const shown = composer(seen).trim();
        return typeof expected === 'string' ? shown === expected : expected.test(shown);
      });
    });
  });

  it('sends the image with the prompt', async () => {
    await inWideTerminal([say('ok')], async ({ terminal, model, workspace }) => {
      await install(workspace, `case "$*" in *image/png*) ${PNG};; *) exit 1;; esac`);
      await ask(terminal, 'hi', 'ok');
      terminal.type(ctrl('v'));
      await terminal.waitForText(/^❯ @.*\.png$/m);
      terminal.type('what is it?');
      await terminal.waitForText(/what is it\?$/m);
      terminal.type('\r');
      await model.waitForRequest(2);
      const data = Buffer.from('\x89PNG\r\n', 'latin1').toString('base64');
      expect(lastParts(model)).toContainEqual({ inlineData: { data, mimeType: 'image/png' } });
    });
  });

  it('says what to install where there is no program for it', { tags: 'wide' }, async () => {
    await inWideTerminal([say('ok')], async ({ terminal, workspace }) => {
      await install(workspace);
      await ask(terminal, 'hi', 'ok');
      terminal.type(ctrl('v'));
      await terminal.waitForText('To paste from the clipboard install xclip or wl-paste');
    });
  });
});

describe('history', () => {
  it('is walked with arrows at the edge and Ctrl+P and N, and searched with Ctrl+R', { tags: 'wide' }, async () => {
    await inTerminal([say('One.'), say('Two.')], async ({ terminal }) => {
      await ask(terminal, 'first thing', 'One.');
      await ask(terminal, 'second thing', 'Two.');
      await terminal.waitUntil((seen) => seen.title().includes('Ready'));
      for (const [key, expected] of [
        [UP, '❯ second thing'],
        [UP, '❯ first thing'],
        [DOWN, '❯ second thing'],
        [ctrl('p'), '❯ first thing'],
        [ctrl('n'), '❯ second thing'],
      ] as const) {
        terminal.type(key);
        await shows(terminal, expected);
      }
      terminal.type(ctrl('c'));
      await terminal.waitForText(READY);
      terminal.type(`${ctrl('r')}fir`);
      await terminal.waitForText(/── history: fir ─.*\n❯ first thing/);
      terminal.type('\t');
      await shows(terminal, '❯ first thing');
    });
  });
});

describe('keys of the app', () => {
  it('Ctrl+Y and Shift+Tab change the approval mode', async () => {
    await inTerminal([say('ok')], async ({ terminal }) => {
      for (const [key, mode] of [
        [SHIFT_TAB, 'accepting edits'],
        [SHIFT_TAB, 'plan'],
        [SHIFT_TAB, undefined],
        [ctrl('y'), 'YOLO'],
        [SHIFT_TAB, 'accepting edits'],
        [ctrl('y'), 'YOLO'],
        [ctrl('y'), undefined],
      ] as const) {
        terminal.type(key);
        await terminal.waitUntil((seen) => /── (accepting edits|plan|YOLO) ─/.exec(footer(seen) ?? '')?.[1] === mode);
      }
    });
  });

  variants.each([
    ['F4', F4, 'IDE mode is off'],
    ['F12', F12, 'No messages.'],
    ['? on empty input', '?', /^── Help ─/m],
    ['! on empty input', '!', 'a command for your shell'],
    ['Ctrl+B', ctrl('b'), 'No background commands.'],
    ['Ctrl+C', ctrl('c'), 'Press Ctrl+C again to exit.'],
    ['Ctrl+D', ctrl('d'), 'Press Ctrl+D again to exit.'],
    ['Ctrl+S in the terminal’s own screen', ctrl('s'), 'The terminal always handles the mouse here'],
  ])('%s is answered', async (_name, key, expected) => {
    await using opened = await openTerminal({ rows: 40 });
    opened.terminal.type(key);
    await opened.terminal.waitForText(expected);
  });

  it('Ctrl+T keeps the list of things to do in sight, and lets it go', async () => {
    const todos = [{ description: 'Do it', status: 'in_progress' }];
    await inTerminal([call('write_todos', { todos }), say('Done.')], async ({ terminal }) => {
      const count = (seen: Terminal) => seen.screen().filter((line) => line.endsWith('Do it')).length;
      terminal.type(ctrl('t'));
      await terminal.waitForText('The todo list is shown.');
      terminal.type('Plan\r');
      await terminal.waitForText('Done.');
      await terminal.waitUntil((seen) => count(seen) === 2);
      terminal.type(ctrl('t'));
      await terminal.waitUntil((seen) => count(seen) === 1);
    });
  });

  it('Tab queues what is typed while it works, and Enter on nothing says it now', { tags: 'wide' }, async () => {
    const held = gate();
    const list = call('list_directory', { dir_path: '.' });
    await using opened = await openTerminal({
      settings: { ui: { footer: { hideCWD: true } } },
      script: [answer(text('Working.'), held, list), say('Done.'), say('Last.')],
    });
    const { terminal, model } = opened;
    terminal.type('Go\r');
    await terminal.waitForText('Working.');
    for (const words of ['now', 'later']) {
      terminal.type(words);
      await shows(terminal, `❯ ${words}`);
      terminal.type('\t');
      await terminal.waitForText(`next  ${words}`);
      if (words === 'later') continue;
      terminal.type('\r');
      await terminal.waitForText(/^❯ now$/m);
    }
    await terminal.waitForText('enter says it now');
    held.release();
    await terminal.waitForText('Last.');
    const last = (request: (typeof model.requests)[number] | undefined) => request?.body.contents.at(-1)?.parts?.at(-1);
    expect(model.requests.slice(1).map(last)).toEqual([{ text: 'now' }, { text: 'later' }]);
  });

  it('Tab pressed twice hides what is around the prompt, and brings it back', async () => {
    await inTerminal([say('ok')], async ({ terminal }) => {
      await terminal.waitForText(/ · gemini-2\.5-pro ──$/m);
      for (const [first, isSeen] of [
        ['Press Tab again to hide', false],
        ['Press Tab again to show', true],
      ] as const) {
        terminal.type('\t');
        await terminal.waitForText(first);
        terminal.type('\t');
        await terminal.waitForNoText('Press Tab again');
        await terminal.waitUntil((seen) => (footer(seen) !== undefined) === isSeen);
      }
    });
  });

  it('Ctrl+L clears the screen and loses nothing, Ctrl+O shows a long result whole', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    await inTerminal(
      [call('run_shell_command', { command: 'seq -f "line %g" 40' }), say('Counted.')],
      async ({ terminal, written }) => {
        terminal.type(ctrl('y'));
        await terminal.waitForText('YOLO');
        await ask(terminal, 'Count', 'Counted.');
        const seen = () => new Set(written().map((line) => line.trim().replace(/^└ /, '')));
        expect(lines.every((line) => seen().has(line))).toBe(false);
        terminal.type(ctrl('o'));
        await terminal.waitForText(/^── Results ─+ \d+–41 of 41 ──$/m);
        terminal.type('\x1b[H');
        await terminal.waitForText(/ 1–\d+ of 41 ──$/m);
        terminal.type('/');
        await terminal.waitForText(/^\/ ?$/m);
        terminal.type('line 33');
        await terminal.waitUntil((screen) => screen.screen().some((row) => row.trim() === 'line 33'));
        terminal.type(ESC);
        await terminal.waitForText('esc closes');
        terminal.type(ESC);
        await terminal.waitForText(READY);
        terminal.type(ctrl('o'));
        await terminal.waitForText('Results');
        terminal.type(ctrl('o'));
        await terminal.waitForText(READY);
        // The page has left nothing behind.
        expect(lines.every((line) => seen().has(line))).toBe(false);
        terminal.type(ctrl('l'));
        await terminal.waitForNoText('line 40');
        expect(written().join('\n')).toContain('Counted.');
        await terminal.waitForText(READY);
      },
    );
  });

  it(
    'Alt+M shows answers as raw markdown: the last one, what comes, and the rest of the one under way',
    { tags: 'wide' },
    async () => {
      const held = gate();
      await inTerminal(
        [say('# One\n\n**bold**'), say('# Two'), answer(text('# Three\n\n- a\n'), held, text('- b\n\n# End'))],
        async ({ terminal, written }) => {
          await ask(terminal, 'first', /^bold$/m);
          expect(written()).not.toContain('# One');
          terminal.type(ALT_M);
          await terminal.waitForText('Answers are shown as raw markdown from here on.');
          await terminal.waitForText(/^# One\n\n\*\*bold\*\*$/m);
          await ask(terminal, 'second', /^# Two$/m);
          terminal.type('third\r');
          await terminal.waitForText(/^- a$/m);
          terminal.type(ALT_M);
          await terminal.waitForText('Answers are shown rendered from here on.');
          held.release();
          await terminal.waitForText(/^# Three\n\n- a\n• b\n\nEnd$/m);
        },
      );
    },
  );

  it('F9 stops the screen for selecting, any key lets it go on, and nothing is lost', async () => {
    const held = gate();
    await inTerminal([answer(text('Before.\n\n'), held, text('After.\n\n'))], async ({ terminal }) => {
      terminal.type('Go\r');
      await terminal.waitForText('Before.');
      terminal.type(F9);
      await terminal.waitForText('Copy mode: select with the mouse; any other key leaves it.');
      held.release();
      await terminal.waitUntil((seen) => seen.title().includes('Ready'));
      expect(terminal.screen().join('\n')).not.toContain('After.');
      terminal.type('x');
      await terminal.waitForText('After.');
      await shows(terminal, `❯ ${READY} or @path/to/file`);
    });
  });

  it(
    'F9 and Ctrl+S give the mouse of the other screen to the terminal and take it back',
    { tags: 'wide' },
    async () => {
      await using opened = await openTerminal({ settings: { ui: { useAlternateBuffer: true } } });
      const { terminal } = opened;
      const mouse = (isOurs: boolean) => terminal.waitUntil((seen) => seen.modes().hasMouse === isOurs);
      await mouse(true);
      terminal.type(F9);
      await terminal.waitForText('page up and down scroll');
      await mouse(false);
      terminal.type(PAGE_UP);
      terminal.type('x');
      await mouse(true);
      await terminal.waitForNoText('Copy mode');
      terminal.type(ctrl('s'));
      await terminal.waitForText('The terminal handles the mouse: select text as usual.');
      await mouse(false);
      terminal.type(F9);
      await terminal.waitForText('Copy mode');
      terminal.type('x');
      await terminal.waitForNoText('Copy mode');
      terminal.type(ctrl('s'));
      await terminal.waitForText('Castor handles the mouse wheel again.');
      await mouse(true);
    },
  );
});

describe('keys of a person’s own', () => {
  it('win over a default without being told to', async () => {
    const bindings = [
      { command: 'app.toggleYolo', key: 'ctrl+t' },
      { command: 'edit.deleteLeftAll', key: 'ctrl+z' },
    ];
    await using opened = await openTerminal({ homeFiles: { '.gemini/keybindings.json': JSON.stringify(bindings) } });
    const { terminal } = opened;
    await ask(terminal, 'hi', 'ok');
    terminal.type(ctrl('t'));
    await terminal.waitForText('YOLO');
    terminal.type('words');
    await shows(terminal, '❯ words');
    terminal.type(`${ctrl('z')}x`);
    await shows(terminal, '❯ x');
  });

  it('count from the first key, typed before anything is shown', async () => {
    const bindings = [{ command: 'edit.deleteLeftAll', key: 'ctrl+t' }];
    await using opened = await openTerminal({
      homeFiles: { '.gemini/keybindings.json': JSON.stringify(bindings) },
      typedFirst: `words${ctrl('t')}x`,
      until: '❯ x',
    });
    await shows(opened.terminal, '❯ x');
  });

  it('are read from keybindings.json, and hold in dialogs too', async () => {
    const bindings = [
      { command: 'app.toggleYolo', key: 'ctrl+q' },
      { command: '-app.toggleYolo', key: 'ctrl+y' },
      { command: 'nav.dialog.down', key: 'ctrl+t' },
      { command: '-app.showFullTodos', key: 'ctrl+t' },
      { command: 'app.suspend', key: 'f8' },
    ];
    await using opened = await openTerminal({ homeFiles: { '.gemini/keybindings.json': JSON.stringify(bindings) } });
    const { terminal } = opened;
    await ask(terminal, 'hi', 'ok');
    terminal.type(ctrl('y'));
    terminal.type(ctrl('q'));
    await terminal.waitForText('YOLO');
    terminal.type('/permissions\r');
    await terminal.waitForText('❯ 1');
    terminal.type(ctrl('t'));
    await terminal.waitForText('❯ 2');
    terminal.type(ESC);
    await terminal.waitForText(READY);
    // No shell waits behind the program here, so that it comes back at once, with all modes on.
    terminal.type('\x1b[19~');
    await terminal.waitUntil((seen) => seen.bytes.split('\x1b[?2004h').length > 2);
    terminal.type('typed on');
    await shows(terminal, '❯ typed on');
    expect(terminal.modes()).toEqual({
      isAlternate: false,
      hasBracketedPaste: true,
      hasMouse: false,
      hasFocusReports: true,
    });
  });
});
