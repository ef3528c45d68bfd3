/** What a start counts, what the list after `@` says, and what stands below a message that brought files. */

import { answer, call, say } from '@castor/testkit';
import { expect, it } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';

// oxlint-disable-next-line no-control-regex -- styles are what is looked for
const UNDERLINED_GONE = /\x1b\[(?:\d+;)*4(?:;\d+)*m(?:\x1b\[[\d;]*m)*@gone\.ts/;
// oxlint-disable-next-line no-control-regex -- styles are what is looked for
const UNDERLINED_CART = /\x1b\[(?:\d+;)*4(?:;\d+)*m(?:\x1b\[[\d;]*m)*@src\/cart\.ts/;

it('says what was loaded, what files are, what went along and what failed', async () => {
  const failing = call('run_shell_command', { command: 'echo no; exit 3' });
  await using opened = await openTerminal({
    args: ['--yolo'],
    files: { 'src/cart.ts': 'one\ntwo\nthree\n', 'src/api/a.ts': 'a\n' },
    homeFiles: {
      '.gemini/settings.json': JSON.stringify({
        hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'true' }] }] },
        a: 1,
      }),
      '.gemini/skills/review/SKILL.md': '---\nname: review\ndescription: Reviews.\n---\nLook.\n',
    },
    script: [say('Seen.'), answer(failing), say('Over.')],
    rows: 40,
  });
  const { terminal, model } = opened;
  await terminal.waitForText(/^\S+ · YOLO · 1 skill · 1 hook$/m);
  terminal.type('look at @src/');
  await terminal.waitForText(/^ +src\/cart\.ts +3 lines$/m);
  await terminal.waitForText(/src\/api\/ +folder, 1 file$/m);
  terminal.type('cart.ts and @gone.ts');
  await terminal.waitForText(/^❯ look at @src\/cart\.ts and @gone\.ts/m);
  // A file that does not exist is underlined as soon as its name is written; one that exists is not.
  terminal.type(' ');
  await terminal.waitForBytes((bytes) => UNDERLINED_GONE.test(bytes));
  expect(terminal.bytes).not.toMatch(UNDERLINED_CART);
  terminal.type('\r');
  await terminal.waitForText('Seen.');
  await terminal.waitForText(READY);
  const lines = terminal.lines();
  const turn = lines.indexOf('❯ look at @src/cart.ts and @gone.ts');
  expect(lines.slice(turn + 1, turn + 4)).toEqual([
    '  with src/cart.ts 3 lines',
    '! @gone.ts stays text: no file matches gone.ts.',
    '',
  ]);
  expect(JSON.stringify(model.requests[0]?.body)).toContain('Content from @src/cart.ts');
  terminal.type('run it\r');
  await terminal.waitForText('Over.');
  await terminal.waitForText(READY);
  terminal.type('/stats\r');
  await terminal.waitForText(/^ +calls +1 · 1 failed · Shell 1$/m);
});
