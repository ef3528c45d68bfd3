/**
 * Measured program: an answer that streams at a steady pace while somebody types, in a
 * terminal. Prints how long keys took to be seen, what the program used, and what it
 * wrote; typing is part of all of it. Before the prompt it is left alone for a while.
 */

import { PLACEHOLDER, openTerminal, sleep, typeKeys } from './tui-terminal.mjs';

const SETTLE_MS = 2000;
const IDLE_MS = 5000;

const [, , url, home, model, lastLine] = process.argv;
const terminal = openTerminal({ args: ['--model', model], home, url });
await terminal.untilComposer((text) => text.includes(PLACEHOLDER));
await sleep(SETTLE_MS);
const settled = terminal.usage();
await sleep(IDLE_MS);
const before = terminal.usage();
const bytesBefore = terminal.bytes();

terminal.type('hi');
await terminal.untilComposer((text) => text.trim() === 'hi');
terminal.type('\r');
await terminal.untilComposer((text) => text.includes(PLACEHOLDER));
const began = performance.now();
let hasEnded = false;
const ended = terminal.until(() => terminal.screen().some((row) => row.includes(lastLine)));
ended.then(() => (hasEnded = true));
const keyMs = await typeKeys(terminal, () => hasEnded);
const wallMs = (await ended) - began;
const after = terminal.usage();
const bytes = terminal.bytes() - bytesBefore;
await terminal.close();

process.stdout.write(
  JSON.stringify({
    keyMs,
    idleCpuMs: before.cpuMs - settled.cpuMs,
    cpuMs: after.cpuMs - before.cpuMs,
    wallMs,
    peakMb: after.peakMb,
    bytes,
  }),
);
