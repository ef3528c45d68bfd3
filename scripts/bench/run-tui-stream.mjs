/**
 * Measured program: an answer that streams at a steady pace in a terminal, with or without typing at the same time
 * into the program and into the floor. Prints how long keys took to appear, the program's CPU and memory and the
 * bytes it wrote. The program idles for a while before the prompt.
 */

import { fileURLToPath } from 'node:url';
import { PLACEHOLDER, openTerminal, sleep, typeKeys } from './tui-terminal.mjs';

const FLOOR = fileURLToPath(new URL('floor-echo.mjs', import.meta.url));
const SETTLE_MS = 2000;
const IDLE_MS = 5000;

const [, , url, home, model, lastLine, isTyping] = process.argv;
const terminal = openTerminal({ args: ['--model', model], home, url });
await terminal.untilComposer((text) => text.includes(PLACEHOLDER));
await sleep(SETTLE_MS);
const settled = terminal.usage();
await sleep(IDLE_MS);
const before = terminal.usage();

terminal.type('hi');
await terminal.untilComposer((text) => text.trim() === 'hi');
const bytesBefore = terminal.bytes();
terminal.type('\r');
await terminal.untilComposer((text) => text.includes(PLACEHOLDER));
const began = performance.now();
let hasEnded = false;
const ended = terminal
  .until(() => terminal.screen().some((row) => row.includes(lastLine)))
  .finally(() => (hasEnded = true));
const [keyMs, floorMs] = isTyping === 'typing' ? await typeIntoBoth() : [[], []];
const wallMs = (await ended) - began;
const after = terminal.usage();
const bytes = terminal.bytes() - bytesBefore;
await terminal.close();

process.stdout.write(
  JSON.stringify({
    keyMs,
    floorMs,
    idleCpuMs: before.cpuMs - settled.cpuMs,
    cpuMs: after.cpuMs - before.cpuMs,
    wallMs,
    peakMb: after.peakMb,
    bytes,
  }),
);

/** At the same time, so that noise affects both. */
async function typeIntoBoth() {
  const floor = openTerminal({ program: FLOOR, home, url });
  await floor.untilComposer((text) => text.includes(PLACEHOLDER));
  const times = await Promise.all([typeKeys(terminal, () => hasEnded), typeKeys(floor, () => hasEnded)]);
  await floor.close();
  return times;
}
