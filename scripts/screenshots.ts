/**
 * The pictures in the README, taken from the emulator's screen while the built program
 * runs against a scripted model: `node --conditions=castor-source scripts/screenshots.ts`.
 */

import { answer, call, createWorkspace, fakeModel, gate, say, startTerminal, text, thought } from '@castor/testkit';
import type { Script, Terminal } from '@castor/testkit';
import headless from '@xterm/headless';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toSvg } from './screen-to-svg.ts';

const FOLDER = fileURLToPath(new URL('../docs/screens/', import.meta.url));
const SIZE = { columns: 88, rows: 26 };
const READY = 'Type your message';
const FILES = {
  'greeter/greet.ts': "export function greet(name: string) {\n  return 'Hello ' + name;\n}\n",
  'greeter/.git/HEAD': 'ref: refs/heads/main\n',
};
const EDIT = call('replace', {
  file_path: 'greet.ts',
  instruction: 'Use a template string',
  old_string: "  return 'Hello ' + name;",
  new_string: '  return `Hello, ${name}!`;',
});
const ANSWER = [
  'The greeting is a template string now.\n\n',
  '## What changed\n\n- `greet.ts`: one line, **nothing else**\n- a comma and an exclamation mark\n\n',
  '```ts\nexport function greet(name: string) {\n  return `Hello, ${name}!`;\n}\n```\n\n',
  '| check | result |\n|---|---|\n| types | ok |\n| tests | 12 passed |\n',
];

/** What the model says, and how to get to the moment worth a picture. */
interface Scene {
  script(): Script;
  play(terminal: Terminal): Promise<void>;
}

const SCENES: Readonly<Record<string, Scene>> = {
  answer: {
    script: () => [EDIT, say(ANSWER)],
    async play(terminal) {
      terminal.type('Use a template string in greet.ts\r');
      await terminal.waitForText('Allow once');
      terminal.type('1');
      await terminal.waitForText('12 passed');
      await terminal.waitForText(READY);
    },
  },
  approval: {
    script: () => [answer(text('A template string reads better.\n\n'), EDIT)],
    async play(terminal) {
      terminal.type('Use a template string in greet.ts\r');
      await terminal.waitForText('Allow once');
    },
  },
  working: {
    script: () => [answer(thought('**Reading the tests** first'), gate())],
    async play(terminal) {
      terminal.type('Why does the second test fail?\r');
      await terminal.waitForText('Reading the tests');
    },
  },
  commands: {
    script: () => [],
    async play(terminal) {
      terminal.type('/');
      await terminal.waitForText('compress');
    },
  },
  rewind: {
    script: () => [say('It greets by name.'), EDIT, say('Done: a template string.')],
    async play(terminal) {
      terminal.type('What does greet.ts do?\r');
      await terminal.waitForText('It greets by name.');
      await terminal.waitForText(READY);
      terminal.type('Use a template string\r');
      await terminal.waitForText('Allow once');
      terminal.type('1');
      await terminal.waitForText('Done: a template string.');
      await terminal.waitForText(READY);
      terminal.type('/rewind\r');
      await terminal.waitForText('Rewind to before which message?');
      terminal.type('\r');
      await terminal.waitForText('revert the edits');
    },
  },
};

async function takePicture(name: string, { script, play }: Scene): Promise<void> {
  await using workspace = await createWorkspace({ homeFiles: FILES });
  await using model = await fakeModel(script());
  await using terminal = await startTerminal(['-m', 'gemini-2.5-pro', '--skip-trust'], {
    ...SIZE,
    model,
    workspace,
    cwd: join(workspace.home, 'greeter'),
    // As most terminals show it: where xterm.js is known to be the terminal, the footer stands elsewhere.
    env: { COLORTERM: 'truecolor', TERM_PROGRAM: '' },
  });
  await terminal.waitForText(READY);
  await terminal.waitForText('gemini-2.5-pro');
  await play(terminal);
  const emulator = new headless.Terminal({ cols: SIZE.columns, rows: SIZE.rows, allowProposedApi: true });
  await new Promise<void>((resolve) => emulator.write(terminal.bytes, resolve));
  writeFileSync(`${FOLDER}${name}.svg`, toSvg(emulator, { title: `castor: ${name}` }));
}

mkdirSync(FOLDER, { recursive: true });
for (const [name, scene] of Object.entries(SCENES)) await takePicture(name, scene);
