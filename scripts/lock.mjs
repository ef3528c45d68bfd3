/**
 * A lock across processes: a lock directory with its owner's name in it. A lock whose owner is dead is taken over.
 * Runs on Node 20.
 */

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
/** Age after which a lock without an owner's name is stale: its creator died between two system calls. */
const NAMELESS_MS = 5_000;
/**
 * Age after which a lock of another machine on a shared disk is stale: this process cannot check whether its owner
 * lives.
 */
const FOREIGN_MS = 15 * 60_000;

/** Runs `work` while holding the lock; `onWait` is called once if another process holds it. */
export async function withLock(directory, work, onWait = () => {}) {
  let waited = false;
  while (!acquire(directory)) {
    if (!waited) onWait();
    waited = true;
    breakIfStale(directory);
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function acquire(directory) {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(directory, 'owner'), `${process.pid} ${hostname()}`);
  return true;
}

/** Processes break a stale lock one at a time, so that none removes the lock that a faster one has just taken. */
function breakIfStale(directory) {
  if (!isStale(directory)) return;
  const turn = `${directory}.breaking`;
  try {
    mkdirSync(turn);
  } catch {
    if (ageOf(turn) > NAMELESS_MS) rmSync(turn, { recursive: true, force: true });
    return;
  }
  try {
    if (isStale(directory)) rmSync(directory, { recursive: true, force: true });
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

function isStale(directory) {
  const [pid, host] = ownerOf(directory);
  if (!pid) return ageOf(directory) > NAMELESS_MS;
  if (host !== hostname()) return ageOf(directory) > FOREIGN_MS;
  return !isAlive(Number(pid));
}

function ownerOf(directory) {
  try {
    return readFileSync(join(directory, 'owner'), 'utf8').split(' ');
  } catch {
    // Not written yet, or the lock is gone: its age decides.
    return [];
  }
}

function ageOf(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
