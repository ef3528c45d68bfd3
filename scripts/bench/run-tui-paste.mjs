/**
 * Measured program: a megabyte pasted into the prompt and into the floor, alternating. Prints how long each took to
 * appear.
 */

import { fileURLToPath } from 'node:url';
import { PLACEHOLDER, openTerminal, sleep } from './tui-terminal.mjs';

const FLOOR = fileURLToPath(new URL('floor-paste.mjs', import.meta.url));
const LINE = 'A line of a log that somebody wants to have explained, with a number in it.\n';
const MEGABYTE = 1_000_000;
/** By then the start has loaded everything it loads. */
const SETTLE_MS = 2000;

const [, , url, home, rounds] = process.argv;
const pasted = `\x1b[200~${LINE.repeat(Math.ceil(MEGABYTE / LINE.length))}\x1b[201~`;

async function measure(program) {
  const terminal = openTerminal({ ...program, home, url });
  await terminal.untilComposer((text) => text.includes(PLACEHOLDER));
  await sleep(SETTLE_MS);
  const typed = performance.now();
  terminal.type(pasted);
  const seen = await terminal.untilComposer((text) => text.includes('[Pasted Text'));
  await terminal.close();
  return seen - typed;
}

const samples = [];
for (let round = 0; round < Number(rounds); round++) {
  samples.push({ pasteMs: await measure({}), floorMs: await measure({ program: FLOOR }) });
}
process.stdout.write(JSON.stringify(samples));
