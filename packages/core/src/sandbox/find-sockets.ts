/**
 * Finds the sockets and pipes through which a command could talk to a program outside: a read-only mount does not close them. It reads
 * the kernel's list of sockets, and looks through the hidden folders of the home for those that the list does not name.
 */

import { accessSync, constants, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, PRIVATE_FOLDERS } from './hidden-paths.ts';
import type { PathFact } from './sandbox-plan.ts';
import { entriesOf, UNSEARCHED } from './survey-protected.ts';

const DEPTH = 3;
const MAX_FOLDERS = 400;
/** Each costs every command a mount. */
const MAX_LISTED = 100;
/**
 * A socket that was made a moment ago may be gone a moment later, and no command starts where the place of a mount is gone. Programs that a
 * command could misuse keep theirs.
 */
const SETTLED_MS = 2_000;
/** A sandbox has its own. */
const REPLACED = ['/tmp', '/dev', '/proc', ...PRIVATE_FOLDERS];

export function findSockets(home: string): PathFact[] {
  const paths = new Set([...socketsInHome(home), ...listedSockets()]);
  return [...paths].map((path) => ({ path, isFolder: false }));
}

/** The programs of a sandbox have a network of their own, so those of this list are outside it. */
function listedSockets(): string[] {
  let list = '';
  try {
    list = readFileSync('/proc/net/unix', 'latin1');
  } catch {
    return [];
  }
  const paths = list.split('\n').flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  const places = [...new Set(paths)].filter((path) => !REPLACED.some((folder) => isWithin(path, folder)));
  return places
    .map((path) => Buffer.from(path, 'latin1').toString('utf8'))
    .flatMap((path) => reachable(path) ?? [])
    .slice(0, MAX_LISTED);
}

function reachable(path: string): string | undefined {
  try {
    const found = lstatSync(path);
    if (!found.isSocket() || Date.now() - found.mtimeMs < SETTLED_MS) return undefined;
    accessSync(path, constants.W_OK);
    const real = realpathSync(path);
    return REPLACED.some((folder) => isWithin(real, folder)) ? undefined : real;
  } catch {
    return undefined;
  }
}

/** Of agents, databases and containers; some belong to programs that the list does not name. */
function socketsInHome(home: string): string[] {
  const found: string[] = [];
  let folders = [home];
  let visited = 0;
  for (let depth = 0; depth < DEPTH; depth++) {
    const next: string[] = [];
    for (const folder of folders) {
      if (++visited > MAX_FOLDERS) return found;
      for (const entry of entriesOf(folder)) {
        const path = join(folder, entry.name);
        if (entry.isSocket() || entry.isFIFO()) found.push(path);
        else if (entry.isDirectory() && entry.name.startsWith('.') && depth === 0) next.push(path);
        else if (entry.isDirectory() && depth > 0 && !UNSEARCHED.has(entry.name)) next.push(path);
      }
    }
    folders = next;
  }
  return found;
}
