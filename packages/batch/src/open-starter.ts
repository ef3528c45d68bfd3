/**
 * Chooses what starts the programs of a worker: a small shell where it can, since a fork of the worker itself costs five milliseconds of a
 * processor and a line to the shell half of one (docs/decisions/0103); elsewhere the worker.
 */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { DirectStarter } from './direct-starter.ts';
import { ShellStarter } from './shell-starter.ts';
import type { Environment, Starter } from './starter.ts';

export function openStarter(environment: Environment): Starter {
  return canUseShell(environment) ? new ShellStarter(environment) : new DirectStarter();
}

/** The shell passes on only variables that it could have itself, and needs setsid for groups. */
function canUseShell(environment: Environment): boolean {
  if (process.platform !== 'linux' || Object.keys(environment).some((name) => !/^[A-Za-z_]\w*$/.test(name)))
    return false;
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return existsSync('/bin/sh') && folders.some((folder) => existsSync(join(folder, 'setsid')));
}
