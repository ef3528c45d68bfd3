/**
 * Starts a program that must not outlive its worker. The child reads a pipe whose other end only the worker holds: when the worker
 * dies, however, the pipe closes and the child ends. `castor` watches it itself; a shell command gets a watcher.
 */

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

export interface LifelineOptions {
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** File descriptors for stdout and stderr. */
  stdout: number;
  stderr: number;
}

/** The number of the pipe in the child; castor's launcher reads the same variable. */
const DESCRIPTOR = 3;
const LIFELINE_VARIABLE = 'CASTOR_LIFELINE';

/** The watcher ends the whole group; the command itself does not inherit the pipe. */
const WATCHED = `(cat <&${DESCRIPTOR} >/dev/null; kill -KILL -$$) & watcher=$!; exec ${DESCRIPTOR}<&-; sh -c "$1"; code=$?; kill $watcher; exit $code`;

export function startProgram(command: string, args: readonly string[], options: LifelineOptions): ChildProcess {
  return start(command, args, {
    ...options,
    environment: { ...options.environment, [LIFELINE_VARIABLE]: String(DESCRIPTOR) },
  });
}

export function startCommand(command: string, options: LifelineOptions): ChildProcess {
  return start('sh', ['-c', WATCHED, 'sh', command], options);
}

function start(command: string, args: readonly string[], options: LifelineOptions): ChildProcess {
  const { directory, environment, stdout, stderr } = options;
  return spawn(command, args, {
    cwd: directory,
    env: environment as NodeJS.ProcessEnv,
    stdio: ['ignore', stdout, stderr, 'pipe'],
    // A group of its own: a terminal's Ctrl+C is for the worker, which lets its tasks finish.
    detached: true,
  });
}

/** Signals the child and all it started. */
export function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty.
  }
}
