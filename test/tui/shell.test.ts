/** Commands that run: typing into them, sending them to the background, looking at them there. */

import { call, say } from '@castor/testkit';
import type { FakeModel, Terminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';
import { sharedTerminal } from './shared-terminal.ts';

const TAB = '\t';
const SHIFT_TAB = '\x1b[Z';
const CTRL_B = '\x02';
const CTRL_C = '\x03';
const CTRL_K = '\x0b';
const CTRL_L = '\x0c';
const ESC = '\x1b';
const BACKSPACE = '\x7f';

const OPTIONS = { args: ['--yolo'], columns: 100 };
const inTerminal = sharedTerminal(OPTIONS);

const shell = (command: string) => call('run_shell_command', { command });
const lastBody = (model: Pick<FakeModel, 'requests'>) => JSON.stringify(model.requests.at(-1)?.body);
/** In the live output, not in the command that is shown above it. */
const ASKED = /^ +(?:└ )?Name:/m;
const ASK = 'read -p "Name: " name; read -p "Town: " town; echo "$name of $town"';

/** Where the caret stands, and the row it stands in. */
function caret(terminal: Terminal): { row: string | undefined; column: number } {
  const { row, column } = terminal.cursor();
  return { row: terminal.screen()[row], column };
}

describe('a command that runs', () => {
  it('is typed into after Tab, with the caret where its own is, and the model reads what came of it', async () => {
    await inTerminal([shell(ASK), say('Noted.')], async ({ terminal, model }) => {
      terminal.type('Ask me\r');
      await terminal.waitForText(/esc stops · tab types into it|tab types into it · .*esc stops/);
      // What is typed before it asks is echoed before its question.
      await terminal.waitForText(ASKED);
      terminal.type(TAB);
      await terminal.waitForText('shift+tab back to the prompt · ctrl+b to the background');
      terminal.type('Adax');
      await terminal.waitForText('Name: Adax');
      terminal.type(BACKSPACE);
      // The letter is gone before the caret is back: a frame and its echo may come in pieces.
      await terminal.waitUntil((seen) => caret(seen).row === 'Name: Ada' && caret(seen).column === 'Name: Ada'.length);
      terminal.type('\r');
      await terminal.waitForText(/^Town:/m);
      terminal.type('\x1b[200~Bath\r\n\x1b[201~');
      await terminal.waitForText('Noted.');
      await terminal.waitForText(READY);
      expect(lastBody(model)).toContain('Ada of Bath');
    });
  });

  it('gives the keys back on Shift+Tab, gets Ctrl+C and Esc itself while it has them', { tags: 'wide' }, async () => {
    const count =
      'trap "echo caught" INT; echo up; read -rsn1 key; printf "key %q\\n" "$key"; read -r line; echo "$line"';
    await inTerminal([shell(count), say('Done.')], async ({ terminal, model }) => {
      terminal.type('Go\r');
      await terminal.waitForText(/^ +(?:└ )?up$/m);
      terminal.type(TAB);
      await terminal.waitForText('back to the prompt');
      terminal.type(ESC);
      await terminal.waitForText("key $'\\E'");
      terminal.type(CTRL_C);
      await terminal.waitForText('caught');
      terminal.type(SHIFT_TAB);
      await terminal.waitForText(READY);
      terminal.type('for the model');
      await terminal.waitForText('❯ for the model');
      expect(model.requests).toHaveLength(1);
      terminal.type(`\x15${TAB}`);
      await terminal.waitForText('back to the prompt');
      terminal.type('for the command\r');
      await terminal.waitForText('Done.');
      expect(lastBody(model)).toContain('for the command');
    });
  });

  it('over several lines in shell mode is one command', async () => {
    await inTerminal([say('Read.')], async ({ terminal, model }) => {
      terminal.type('!');
      await terminal.waitForText(/^! /m);
      terminal.type('\x1b[200~word=one\necho "$word and two"\x1b[201~');
      terminal.type('\r');
      await terminal.waitForText(/^ +└ one and two$/m);
      terminal.type('What was it?\r');
      await terminal.waitForText('Read.');
      expect(lastBody(model)).toContain('I ran the following shell command:\\n```sh\\nword=one\\necho');
    });
  });

  it('that was typed with ! is typed into as well', { tags: 'wide' }, async () => {
    await inTerminal([], async ({ terminal }) => {
      terminal.type(`!${ASK}\r`);
      await terminal.waitForText('tab types into it');
      await terminal.waitForText(ASKED);
      terminal.type(TAB);
      await terminal.waitForText('back to the prompt');
      terminal.type('Ada\r');
      await terminal.waitForText(/^Town:/m);
      terminal.type('Bath\r');
      await terminal.waitForText(/^ +(?:└ )?Ada of Bath/m);
      await terminal.waitForText(READY);
    });
  });
});

describe('Ctrl+B', () => {
  it('lets the command run on in the background, shows it, types into it, and says how it ended there', async () => {
    await inTerminal([shell(`echo started; ${ASK}`), say('It runs on.'), say('Seen.')], async ({ terminal, model }) => {
      terminal.type('Start\r');
      await terminal.waitForText(/^ +(?:└ )?Name:/m);
      terminal.type(CTRL_B);
      await terminal.waitForText('It runs on.');
      expect(lastBody(model)).toMatch(
        /Command moved to background \(PID: \d+\)\. Output hidden\. Press Ctrl\+B to view\./,
      );
      terminal.type(CTRL_B);
      await terminal.waitForText(/── running · PID \d+ · echo started;/);
      await terminal.waitForText('ctrl+b back · ctrl+l the list · ctrl+k ends it');
      terminal.type('Ada\r');
      await terminal.waitForText(/^Town:/m);
      terminal.type('Bath\r');
      await terminal.waitForText('Ada of Bath');
      await terminal.waitForText('exit code 0');
      terminal.type(CTRL_B);
      await terminal.waitForText(READY);
    });
  });

  it('is named on leaving, for it ends with the program', { tags: 'wide' }, async () => {
    const start = call('run_shell_command', { command: 'sleep 300', is_background: true });
    await using opened = await openTerminal({ script: [start, say('It runs.')], args: ['--yolo'] });
    const { terminal } = opened;
    terminal.type('go\r');
    await terminal.waitForText('It runs.');
    terminal.type('/quit\r');
    await terminal.done;
    expect(terminal.lines()).toContain('Ended 1 background command: sleep 300');
  });

  it('lists what runs in the background, and ends one of them', { tags: 'wide' }, async () => {
    await using opened = await openTerminal(OPTIONS);
    const { terminal } = opened;
    for (const name of ['one', 'two']) {
      terminal.type(`!echo ${name}; sleep 1000\r`);
      await terminal.waitForText(new RegExp(`^ +(?:└ )?${name}$`, 'm'));
      terminal.type(CTRL_B);
      await terminal.waitForText(new RegExp(`^ +└ ${name}\n +\\[The command continues in the background`, 'm'));
      await terminal.waitForText(READY);
    }
    terminal.type(CTRL_B);
    await terminal.waitForText(/❯ 1  echo one; sleep 1000 {2}running · PID \d+/);
    terminal.type('\x1b[B\r');
    await terminal.waitForText(/── running · PID \d+ · echo two; sleep 1000/);
    await terminal.waitForText(/^two$/m);
    terminal.type(CTRL_K);
    await terminal.waitForText(/── ended by SIG\w+ · PID \d+ · echo two; sleep 1000/);
    terminal.type(CTRL_L);
    await terminal.waitForText(/1  echo one; sleep 1000 {2}running[^]*❯ 2  echo two; sleep 1000 {2}ended by/);
    terminal.type(ESC);
    await terminal.waitForText(READY);
    await terminal.waitForText('1 in background');
  });

  it('is /tasks too, which says so when there is nothing', { tags: 'wide' }, async () => {
    await using opened = await openTerminal(OPTIONS);
    const { terminal } = opened;
    terminal.type('/tasks\r');
    await terminal.waitForText(/^❯ \/tasks\n {2}└ No background commands\.$/m);
  });
});
