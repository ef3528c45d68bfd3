/**
 * The moving picture of the README: one small task from question to green tests, played by the built program against a
 * scripted model, recorded as a cast and drawn from it. `node --conditions=castor-source scripts/demo.ts`. The times
 * stand in the script: what the program wrote until a step is shown at the time of that step.
 */

import { answer, createWorkspace, fakeModel, gate, startTerminal, text } from '@castor/testkit';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { castToSvg, writeCast } from './cast-to-svg.ts';
import type { CastEvent } from './cast-to-svg.ts';
import { EDIT_WITH_WORDS, READS, SHOP, TEST } from './picture-shop.ts';
import { DARK } from './screen-to-svg.ts';

const FOLDER = fileURLToPath(new URL('../docs/screens/', import.meta.url));
const SIZE = { columns: 100, rows: 30 };
const PROMPT = 'a voucher can make the total negative: fix it';
const DONE = `A voucher can no longer make the total negative:

- \`totalOf()\` stops at zero, for every caller
- all **10** tests pass
`;

const [thinking, writing] = [gate(), gate()];
await using workspace = await createWorkspace({ homeFiles: SHOP });
await using model = await fakeModel([
  answer(thinking, ...READS),
  answer(text('First the tests, to see it fail.\n\n'), TEST),
  EDIT_WITH_WORDS,
  answer(TEST),
  answer(text(DONE), writing),
]);
await using terminal = await startTerminal(['-m', 'gemini-2.5-pro', '--skip-trust'], {
  ...SIZE,
  model,
  workspace,
  cwd: join(workspace.home, 'shop'),
  background: DARK.background,
  env: { COLORTERM: 'truecolor', TERM_PROGRAM: '', COLORFGBG: '15;0' },
});

const events: CastEvent[] = [];
let [taken, now] = [0, 0];

/** What was written since the last step is shown now; it stays for some seconds. */
function show(stays: number): void {
  const data = terminal.bytes.slice(taken);
  taken = terminal.bytes.length;
  events.push([Number(now.toFixed(2)), 'o', data]);
  now += stays;
}

async function type(words: string): Promise<void> {
  for (let typed = 3; typed < words.length + 3; typed += 3) {
    terminal.type(words.slice(typed - 3, typed));
    await terminal.waitForText(`❯ ${words.slice(0, typed).trimEnd()}`);
    show(0.15);
  }
}

await terminal.waitForText('gemini-2.5-pro');
await terminal.waitForText('Type your message');
show(1);
await type(PROMPT);
show(0.4);
terminal.type('\r');
await terminal.waitForText('Waiting for gemini-2.5-pro');
show(1);
thinking.release();
await terminal.waitForText('esc no');
show(2);
terminal.type('2');
await terminal.waitForText('── Edit src/cart.ts');
await terminal.waitForText('esc no');
show(3);
terminal.type('1');
await terminal.waitForText('10 passed');
await terminal.waitForText('tests pass');
show(1);
writing.release();
await terminal.waitForText(/6 calls.*\$/);
await terminal.waitUntil((seen) => seen.title().includes('Ready'));
show(2.5);
await type('/context');
terminal.type('\r');
await terminal.waitForText(/^Context {2}/m);
await terminal.waitForText('Type your message');
show(0);

const cast = {
  width: SIZE.columns,
  height: SIZE.rows,
  title: 'castor: a small task, from question to green tests',
  events,
};
writeFileSync(`${FOLDER}demo.cast`, writeCast(cast));
writeFileSync(`${FOLDER}demo.svg`, await castToSvg(cast));
