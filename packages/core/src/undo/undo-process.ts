/**
 * The process beside the program: reads one request per line, answers with one line each, and ends with its input. It
 * walks at low priority, so that it never takes the processor from the screen or a command; a process that only undoes,
 * as for `castor undo`, has a user who waits for it.
 */

import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { getErrorMessage } from '../protocol/errors.ts';
import { builtin } from '../util/builtin-modules.ts';
import type { UndoReply, UndoRequest } from './undo-requests.ts';
import { UndoWorker } from './undo-worker.ts';
import { TooLarge } from './walk-rules.ts';

const LOW = 10;
/** Ignored: they are meant for the program, which ends this process by closing its input. */
const SIGNALS = ['SIGINT', 'SIGHUP', 'SIGTERM', 'SIGQUIT'] as const;
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * In a small workspace V8 spends more on compiling and on threads for it than the compiled code saves: it compiles what runs
 * ten thousand times, and nothing on other threads for less. Numbers that V8 compares when it counts calls; an unknown one is ignored.
 */
const COMPILED_LATE = [
  '--invocation-count-for-maglev=10000',
  '--invocation-count-for-turbofan=20000',
  '--no-concurrent-sparkplug',
  '--no-parallel-scavenge',
];

let worker: UndoWorker | undefined;

let isLow = false;

function lowerPriority(): void {
  if (isLow) return;
  isLow = true;
  try {
    setPriority(LOW);
  } catch {
    // Not allowed everywhere.
  }
}

function say(reply: UndoReply): void {
  // oxlint-disable-next-line no-restricted-properties -- this process has no terminal: its output is its answers
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

async function handle({ id, ...request }: UndoRequest & { id: number }): Promise<void> {
  try {
    if (request.do === 'walk') lowerPriority();
    if (request.do === 'open') worker = new UndoWorker(request, (progress) => say({ progress }));
    say({ id, value: await worker?.answer(request) });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    say({ id, error: getErrorMessage(error), isTooLarge: error instanceof TooLarge, isDiskFull: FULL.has(code) });
  }
}

for (const signal of SIGNALS) process.on(signal, () => undefined);
// oxlint-disable-next-line no-restricted-properties -- its input is its requests
const lines = createInterface({ input: process.stdin });
let handled = Promise.resolve();
lines.on('line', (line) => {
  handled = handled.then(() => handle(JSON.parse(line) as UndoRequest & { id: number }));
});
lines.on('close', () => void handled.then(() => worker?.close()));
// What every walk needs of Node is loaded before: with flags of its own Node has no compiled code of its modules (decision 0134).
// oxlint-disable-next-line no-restricted-properties -- as above
for (const load of [() => builtin.crypto, () => performance.now(), () => process.stdout]) load();
for (const flag of COMPILED_LATE) setFlagsFromString(flag);
