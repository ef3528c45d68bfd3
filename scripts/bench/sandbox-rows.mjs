/**
 * Rows of the sandbox: a command inside against the same command outside, the plan, and the trial at the beginning. Needs
 * bubblewrap. `npm run bench -- sandbox 50` for fifty rounds.
 */

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandboxBench } from '@castor/core/program';
import { difference, limit, sum } from './table.mjs';

const COMMAND = ['bash', '-c', 'true'];

export async function measureSandbox(_model, rounds = 30) {
  const folder = mkdtempSync(join(tmpdir(), 'castor-bench-sandbox-'));
  closeInherited();
  try {
    return { notes: [`sandbox: ${rounds} commands each, judged by the median`], rows: await measure(folder, rounds) };
  } catch (error) {
    return { notes: [`sandbox: not measured. ${error.message}`], rows: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder, rounds) {
  const [home, root] = [join(folder, 'home'), join(folder, 'work')];
  for (const path of [home, join(root, '.git/hooks'), join(root, '.gemini')]) mkdirSync(path, { recursive: true });
  writeFileSync(join(root, '.git/config'), '');
  const given = { home, root, environment: process.env, writable: [], networkAccess: false };
  const opening = [];
  const open = async (profile) => {
    const from = performance.now();
    const box = await openSandboxBench({ ...given, profile });
    opening.push(performance.now() - from);
    return box;
  };
  // The first trial also loads code.
  for (let trial = 0; trial < 5; trial++) (await open('read-only')).dispose();
  const [alone, connected] = [await open('read-only'), await open('workspace-write')];
  try {
    const first = timed(() => connected.describe());
    const again = Array.from({ length: rounds }, () => timed(() => connected.describe()));
    // The first command opens the network of the session.
    await connected.run(COMMAND);
    const [floor, inside, network] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      floor.push(await timedOf(() => runOutside(root)));
      inside.push(await timedOf(() => alone.run(COMMAND)));
      network.push(await timedOf(() => connected.run(COMMAND)));
    }
    return [
      difference('a command in the sandbox', 'ms', sum(inside), sum(floor), 12, 'median'),
      difference('a command with the network of the session', 'ms', sum(network), sum(floor), 40, 'median'),
      limit('the plan, cached', 'ms', sum(again), undefined, 2),
      limit('the plan, first', 'ms', sum([first]), undefined, undefined),
      limit('the trial before the first command', 'ms', sum(opening), undefined, 30),
    ];
  } finally {
    alone.dispose();
    connected.dispose();
  }
}

/** What a terminal or a build server leaves open to this process would cost each command a shell that closes it (decision 0114). */
function closeInherited() {
  const CLOSE_ON_EXEC = 0o2000000;
  const flagsOf = (fd) =>
    Number.parseInt(/^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))[1], 8);
  for (const fd of readdirSync('/proc/self/fdinfo').map(Number)) {
    try {
      if (fd > 2 && (flagsOf(fd) & CLOSE_ON_EXEC) === 0) closeSync(fd);
    } catch {
      // The one that listed them.
    }
  }
}

function timed(run) {
  const from = performance.now();
  run();
  return performance.now() - from;
}

async function timedOf(run) {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

function runOutside(cwd) {
  const [file, ...args] = COMMAND;
  return new Promise((resolve, reject) => {
    spawn(file, args, { cwd, stdio: 'inherit' }).once('error', reject).once('exit', resolve);
  });
}
