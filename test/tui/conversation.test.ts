/** A person at a terminal: prompts, tools and their approval, cancelling, queueing, leaving. */

import { join } from 'node:path';
import { answer, call, fakeModel, fault, gate, say, startTerminal, text, thought } from '@castor/testkit';
import type { Terminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY, lastParts } from './open-terminal.ts';
import { sharedTerminal } from './shared-terminal.ts';
import { variants } from '../house/variants.ts';

const ESC = '\x1b';
const CTRL_C = '\x03';
const NOTES = 'one\ntwo\nthree\n';
const EDITOR = '#!/bin/sh\nsed -i s/TWO/2222/ "$1"\n';

const inTerminal = sharedTerminal({
  files: { 'notes.txt': NOTES, 'editor.sh': EDITOR },
  // The list of things to do is offered to this model.
  args: ['-m', 'gemini-2.5-pro'],
  env: ({ project }) => ({ EDITOR: `sh ${join(project, 'editor.sh')}`, COLORTERM: 'truecolor' }),
});
const withoutColours = sharedTerminal({ env: { NO_COLOR: '1' } });

async function leave(terminal: Terminal): Promise<void> {
  // Before, Ctrl+C cancels what runs.
  await terminal.waitUntil((seen) => seen.title().includes('Ready'));
  terminal.type(CTRL_C);
  await terminal.waitForText('Press Ctrl+C again to exit.');
  terminal.type(CTRL_C);
  expect(await terminal.done).toEqual({ code: 0, signal: undefined });
}

const EDIT = call('replace', { file_path: 'notes.txt', old_string: 'two', new_string: 'TWO', instruction: 'shout' });

describe('a prompt', () => {
  it('is answered with rendered markdown, and the end says how to go on', async () => {
    await using model = await fakeModel([
      say(['# Title\n\nSome **bold** text and `code`.\n\n', '- one\n- two\n\n```js\nconst a = 1;\n```\n\nThe end.']),
    ]);
    await using terminal = await startTerminal([], { model });
    await terminal.waitForText(READY);
    terminal.type('Hello\r');
    await terminal.waitForText('The end.');
    await terminal.waitForText(READY);
    const lines = terminal.lines();
    const from = lines.indexOf('❯ Hello');
    expect(lines.slice(from, lines.indexOf('The end.') + 1)).toEqual([
      '❯ Hello',
      '',
      'Title',
      '',
      'Some bold text and code.',
      '',
      '• one',
      '• two',
      '',
      'js',
      'const a = 1;',
      '',
      'The end.',
    ]);
    await leave(terminal);
    expect(terminal.lines().slice(-2)).toEqual([
      expect.stringMatching(/^castor {2}\d\S* s · \$\S+$/),
      expect.stringMatching(/^castor -r [0-9a-f]{8} goes on$/),
    ]);
    expect([terminal.modes(), terminal.cursor().isVisible]).toEqual([
      { isAlternate: false, hasBracketedPaste: false, hasMouse: false, hasFocusReports: false },
      true,
    ]);
  });

  it('shows the thought and the time while it waits, and the cursor stays at the caret', { tags: 'wide' }, async () => {
    const held = gate();
    await inTerminal([answer(thought('**Counting sheep** one by one'), held, text('Done.'))], async ({ terminal }) => {
      terminal.type('Think\r');
      await terminal.waitForText(/Counting sheep ·.* esc stops/);
      terminal.type('next');
      await terminal.waitForText('❯ next');
      const row = terminal.screen().findIndex((line) => line.startsWith('❯ next'));
      expect(terminal.cursor()).toEqual({ row, column: 6, isVisible: true });
      held.release();
      await terminal.waitForText('Done.');
    });
  });

  it(
    'that fails is tried again, the attempts are counted, and the wait can be cancelled',
    { tags: 'wide' },
    async () => {
      await inTerminal([fault(503), say('At last.')], async ({ terminal }) => {
        terminal.type('Go\r');
        await terminal.waitForText(/Trying again in \d+ s \(2 of \d+\): /);
        terminal.type(ESC);
        await terminal.waitForText('Request cancelled.');
        terminal.type('Again\r');
        await terminal.waitForText('At last.');
      });
    },
  );

  it('shows the list of things to do, and keeps it in sight when it is asked to', { tags: 'wide' }, async () => {
    const todos = [
      { description: 'Look around', status: 'completed' },
      { description: 'Do it', status: 'in_progress' },
    ];
    const held = gate();
    await inTerminal([call('write_todos', { todos }), answer(held, text('Done.'))], async ({ terminal }) => {
      const count = (seen: Terminal) => seen.screen().filter((line) => line.endsWith('Do it')).length;
      terminal.type('Plan\r');
      await terminal.waitUntil((seen) => count(seen) === 1);
      terminal.type('\x14');
      await terminal.waitUntil((seen) => count(seen) === 2);
      held.release();
      await terminal.waitForText('Done.');
      terminal.type('\x14');
      await terminal.waitUntil((seen) => count(seen) === 1);
    });
  });

  it('takes keys that are typed before the screen is there', async () => {
    await using model = await fakeModel([say('Early bird.')]);
    await using terminal = await startTerminal([], { model });
    terminal.type('Hello\r');
    await terminal.waitForText('Early bird.');
    expect(lastParts(model).at(-1)).toEqual({ text: 'Hello' });
  });
});

describe('a call', () => {
  it('runs when it is allowed once', async () => {
    await inTerminal([answer(text('I will edit.'), EDIT), say('Edited.')], async ({ terminal, workspace, written }) => {
      await workspace.write('notes.txt', NOTES);
      terminal.type('Edit it\r');
      await terminal.waitForText('Yes, once');
      expect(terminal.screen().join('\n')).toContain('2 - two\n  2 + TWO');
      terminal.type('\r');
      await terminal.waitForText('Edited.');
      expect(await workspace.read('notes.txt')).toBe('one\nTWO\nthree\n');
      expect(written()).toContain('✓ Edit notes.txt +1 −1');
    });
  });

  variants.each([
    ['Ctrl+Y', '\x19', 'YOLO'],
    ['Shift+Tab', '\x1b[Z', 'accepting edits'],
  ])('that waits is approved when %s changes the mode', async (_name, key, mode) => {
    await inTerminal([EDIT, say('Edited.')], async ({ terminal, workspace }) => {
      await workspace.write('notes.txt', NOTES);
      terminal.type('Edit it\r');
      await terminal.waitForText('Yes, once');
      terminal.type(key);
      await terminal.waitForText('Edited.');
      expect([terminal.screen().join('\n').includes(mode), await workspace.read('notes.txt')]).toEqual([
        true,
        'one\nTWO\nthree\n',
      ]);
    });
  });

  it('does not run when it is refused, and the model reads why', async () => {
    await inTerminal([EDIT, say('Understood.')], async ({ terminal, model, workspace, written }) => {
      await workspace.write('notes.txt', NOTES);
      terminal.type('Edit it\r');
      await terminal.waitForText('Yes, once');
      terminal.type('4');
      await terminal.waitForText('refuses it without words');
      terminal.type('use four\r');
      await terminal.waitForText('Understood.');
      await terminal.waitForText(READY);
      expect([
        // The words are said once.
        written().filter((line) => line.includes('use four')),
        await workspace.read('notes.txt'),
      ]).toEqual([['- Edit notes.txt refused by you: "use four"'], 'one\ntwo\nthree\n']);
      expect(lastParts(model).at(-1)).toEqual({ text: 'use four' });
    });
  });

  it(
    'that is too long for the window is shown whole above the question, behind what was said before',
    { tags: 'wide' },
    async () => {
      const content = Array.from({ length: 60 }, (_, index) => `row ${index}\n`).join('');
      await inTerminal(
        [answer(text('I will write.\n\n'), call('write_file', { file_path: 'long.txt', content })), say('Written.')],
        async ({ terminal, written }) => {
          terminal.type('Write it\r');
          await terminal.waitForText(/\d+ rows above/);
          const lines = written();
          const places = ['❯ Write it', 'I will write.', '   1 + row 0', '  60 + row 59', '❯ 1  Yes, once'];
          const found = places.map((line) => lines.indexOf(line));
          expect(found, lines.join('\n')).toEqual(
            found.filter((place) => place >= 0).toSorted((one, other) => one - other),
          );
          expect(lines.filter((line) => line === '❯ Write it')).toHaveLength(1);
          terminal.type('2');
          await terminal.waitForText('Written.');
          await terminal.waitForText('accepting edits');
        },
      );
    },
  );

  it('is asked about again after it was changed in an editor', { tags: 'wide' }, async () => {
    await inTerminal([EDIT, say('Edited.')], async ({ terminal, workspace }) => {
      await workspace.write('notes.txt', NOTES);
      terminal.type('Edit it\r');
      await terminal.waitForText('Open it in the editor first');
      terminal.type('3');
      await terminal.waitForText('2 + 2222');
      terminal.type('1');
      await terminal.waitForText('Edited.');
      expect(await workspace.read('notes.txt')).toBe('one\n2222\nthree\n');
    });
  });

  it('among several says which one it is', { tags: 'wide' }, async () => {
    const script = [
      answer(...['one', 'two'].map((name) => call('write_file', { file_path: name, content: name }))),
      say('Over.'),
    ];
    await inTerminal(script, async ({ terminal }) => {
      terminal.type('Write both\r');
      await terminal.waitForText(/── Write one \+1 ─+ call 1 of 2 ──/);
      terminal.type('1');
      await terminal.waitForText(/── Write two \+1 ─+ call 2 of 2 ──/);
      terminal.type('1');
      await terminal.waitForText('Over.');
    });
  });

  it('of the shell shows what it prints while it runs, and every character before it does', async () => {
    const command = `mkdir -p made && printf 'a\\033[8mhidden' && touch made/x${' '.repeat(60)}&& echo finished`;
    await inTerminal([call('run_shell_command', { command }), say('Ran.')], async ({ terminal, written }) => {
      terminal.type('Run it\r');
      await terminal.waitForText('Yes, once');
      expect(terminal.screen().join('')).toContain('⟨60 spaces⟩');
      terminal.type('1');
      await terminal.waitForText('Ran.');
      expect(written().join('\n')).toContain('finished');
    });
  });
});

describe('what is typed while it works', () => {
  it('is queued, shown, and sent as one prompt afterwards', async () => {
    const held = gate();
    await inTerminal([answer(held, text('First answer.')), say('Second answer.')], async ({ terminal, model }) => {
      terminal.type('One\r');
      await terminal.waitForText('esc stops');
      terminal.type('Two\r');
      await terminal.waitForText('next  Two');
      terminal.type('Three\r');
      await terminal.waitForText('next  Three');
      held.release();
      await terminal.waitForText('Second answer.');
      const last = model.requests.at(-1)?.body as { contents: { parts: { text: string }[] }[] };
      expect(last.contents.at(-1)?.parts).toEqual([{ text: 'Two\n\nThree' }]);
    });
  });

  it('comes back into the editor with Up, and when the request is cancelled', { tags: 'wide' }, async () => {
    const held = gate();
    await inTerminal([answer(held)], async ({ terminal }) => {
      terminal.type('One\r');
      await terminal.waitForText('esc stops');
      terminal.type('Two\r');
      await terminal.waitForText('next  Two');
      terminal.type('\x1b[A');
      await terminal.waitForText('❯ Two');
      terminal.type('\r');
      await terminal.waitForText('next  Two');
      terminal.type(ESC);
      await terminal.waitForText('Request cancelled.');
      await terminal.waitForText('❯ Two');
      held.release();
    });
  });
});

describe('the editor', () => {
  it('takes a megabyte at once, shows a few words for it, and sends it whole', { tags: 'wide' }, async () => {
    await inTerminal([say('Read it.')], async ({ terminal, model, written }) => {
      const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${'x'.repeat(40)}`).join('\n');
      terminal.type(`\x1b[200~${lines}\x1b[201~`);
      await terminal.waitForText('[Pasted Text: 20000 lines]');
      terminal.type(' please\r');
      await terminal.waitForText('Read it.');
      const { contents } = model.requests.at(-1)?.body as { contents: { parts: { text: string }[] }[] };
      expect(contents.at(-1)?.parts.at(-1)?.text).toBe(`${lines} please`);
      // Of a megabyte the beginning and the end are enough to know it again.
      expect(written()).toContain(`  … ${(lines.length + ' please'.length).toLocaleString('en-US')} characters in all`);
      expect(written().length).toBeLessThan(60);
    });
  });
});

describe('colours', () => {
  it('are left out with NO_COLOR', async () => {
    await withoutColours([say('**Bold** and `code`\n\n```js\nconst a = 1;\n```\n')], async ({ terminal }) => {
      terminal.type('Go\r');
      await terminal.waitForText('const a = 1;');
      // Bold, italic and underlined text stay: they carry what colours cannot.
      const styles = terminal.bytes.split('\x1b[').flatMap((piece) => /^([\d;]*)m/.exec(piece)?.[1] ?? []);
      expect(styles.filter((style) => /(?:^|;)(?:[349]\d|10\d)/.test(style))).toEqual([]);
    });
  });

  it('that are left out leave code with its marks', { tags: 'wide' }, async () => {
    await withoutColours(
      [say('Call `parse()` so:\n\n```js\nconst a = 1;\n```\n\nThat is all.')],
      async ({ terminal, written }) => {
        terminal.type('Go\r');
        await terminal.waitForText('That is all.');
        const lines = written();
        const from = lines.indexOf('Call `parse()` so:');
        expect(lines.slice(from, from + 7)).toEqual([
          'Call `parse()` so:',
          '',
          '```js',
          'const a = 1;',
          '```',
          '',
          'That is all.',
        ]);
      },
    );
  });

  it('tell code of an unknown language from prose', { tags: 'wide' }, async () => {
    await inTerminal([say('Words.\n\n```nonesuch\nsome code\n```\n\nThat is all.')], async ({ terminal, output }) => {
      terminal.type('Go\r');
      await terminal.waitForText('That is all.');
      const colorOf = (words: string) => new RegExp(`\\x1b\\[([\\d;]*)m${words}`).exec(output())?.[1];
      expect(colorOf('some code')).toBeDefined();
      expect(colorOf('some code')).not.toBe(colorOf('Words'));
    });
  });
});

describe('Esc', () => {
  it('clears what is typed when it is pressed twice', { tags: 'wide' }, async () => {
    await inTerminal([], async ({ terminal }) => {
      terminal.type('draft words');
      await terminal.waitForText('❯ draft words');
      terminal.type(ESC);
      await terminal.waitForText('Press Esc again to clear the input.');
      expect(terminal.screen()).toContain('❯ draft words');
      terminal.type(ESC);
      await terminal.waitForText(READY);
    });
  });
});
