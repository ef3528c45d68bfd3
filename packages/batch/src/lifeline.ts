/**
 * Starts a program that must not outlive its worker. The child reads a pipe whose other end only the worker holds: when the worker
 * dies, however, the pipe closes and the child ends. `castor` watches it itself; a shell command gets a watcher.
 */

import { LIFELINE_DESCRIPTOR } from './starter.ts';
import type { Environment, Start, Started, Starter } from './starter.ts';

/** castor's launcher reads the same variable. */
const LIFELINE_VARIABLE = 'CASTOR_LIFELINE';
/** Set for all that a task starts, by which it is found; a batch in it must not wait for the place that the task has. */
export const TASK_VARIABLE = 'CASTOR_TASK';
/** castor and all it started end within five seconds of a signal. */
const KILL_AFTER_MS = 8_000;

/** The watcher ends the whole group; the command itself does not inherit the pipe. */
const WATCHED = `(cat <&${LIFELINE_DESCRIPTOR} >/dev/null; kill -KILL -$$) & watcher=$!; exec ${LIFELINE_DESCRIPTOR}<&-; sh -c "$1"; code=$?; kill $watcher; exit $code`;

type Where = Omit<Start, 'words' | 'lifeline'>;

export function startProgram(starter: Starter, words: Start['words'], where: Where): Started {
  return starter.start({ ...where, words, lifeline: 'polled' });
}

export function startCommand(starter: Starter, command: string, where: Where): Started {
  return starter.start({ ...where, words: ['sh', '-c', WATCHED, 'sh', command], lifeline: 'read' });
}

/** For castor. `mark` names the task, so that all of its processes are found. */
export function withLifeline(environment: Environment, mark: string): Environment {
  return { ...environment, [LIFELINE_VARIABLE]: String(LIFELINE_DESCRIPTOR), [TASK_VARIABLE]: mark };
}

/** Asks the program to end, then makes it. Returns what stops that. */
export function endOn(signal: AbortSignal, started: Started): () => void {
  let deadline: NodeJS.Timeout | undefined;
  const end = () => {
    started.end('SIGTERM');
    deadline = setTimeout(() => started.end('SIGKILL'), KILL_AFTER_MS);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return () => {
    clearTimeout(deadline);
    signal.removeEventListener('abort', end);
  };
}
