/**
 * Measured program: starts in a terminal, each with its floor. A prompt is usable when the placeholder is on the
 * screen and a key typed immediately appears; another start gets its key before any output and must not lose it.
 * Prints the times.
 */

import { spawn } from '@lydell/node-pty';
import { PLACEHOLDER, openTerminal } from './tui-terminal.mjs';

const [, , url, rounds, home, homeOfDead] = process.argv;

async function measureUsable(where) {
  const terminal = openTerminal({ home: where, url });
  const shown = await terminal.untilComposer((text) => text.includes(PLACEHOLDER));
  terminal.type('k');
  const usable = await terminal.untilComposer((text) => text.trim() === 'k');
  await terminal.close();
  return { shownMs: shown - terminal.started, usableMs: usable - terminal.started };
}

async function measureEarlyKey(where) {
  const terminal = openTerminal({ home: where, url });
  terminal.type('k');
  const usable = await terminal.untilComposer((text) => text.trim() === 'k');
  await terminal.close();
  return usable - terminal.started;
}

function measureFloor() {
  const started = performance.now();
  const floor = spawn(process.execPath, ['-e', '0'], { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
  return new Promise((resolve) => floor.onExit(() => resolve(performance.now() - started)));
}

const samples = [];
for (let round = 0; round <= Number(rounds); round++) {
  const sample = {
    floorMs: await measureFloor(),
    ...(await measureUsable(home)),
    earlyKeyMs: await measureEarlyKey(home),
    deadUsableMs: (await measureUsable(homeOfDead)).usableMs,
  };
  // The first round warms all of them up.
  if (round > 0) samples.push(sample);
}
process.stdout.write(JSON.stringify(samples));
