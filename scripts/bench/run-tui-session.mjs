/**
 * Measured program: typing in a new session and in one of many messages, in a terminal. The two alternate, so that
 * noise affects both alike. Prints the times by turn, and the memory of the long one.
 */

import { PLACEHOLDER, openTerminal, sleep, typeKeys } from './tui-terminal.mjs';

const KEYS_PER_TURN = 48;
const SETTLE_MS = 1500;

const [, , url, home, sessionFile, lastLine, turns] = process.argv;
const fresh = openTerminal({ home, url });
await fresh.untilComposer((text) => text.includes(PLACEHOLDER));
const long = openTerminal({ args: ['--session-file', sessionFile], home, url });
await long.untilComposer((text) => text.includes(PLACEHOLDER));
const shown = await long.until(() => long.screen().some((row) => row.includes(lastLine)));
await sleep(SETTLE_MS);

const freshMs = [];
const longMs = [];
for (let turn = 0; turn < Number(turns); turn++) {
  freshMs.push(await typeKeys(fresh, (count) => count === KEYS_PER_TURN));
  longMs.push(await typeKeys(long, (count) => count === KEYS_PER_TURN));
}
const { peakMb } = long.usage();
const { peakMb: freshPeakMb } = fresh.usage();
await fresh.close();
await long.close();
process.stdout.write(JSON.stringify({ freshMs, longMs, peakMb, freshPeakMb, shownMs: shown - long.started }));
