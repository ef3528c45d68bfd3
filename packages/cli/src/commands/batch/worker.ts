/** `castor worker`: takes tasks from a queue on a server and runs them on this machine, until it is stopped. */

import { hostname } from 'node:os';
import { join } from 'node:path';
import { sweepWorkplaces, work } from '@castor/batch';
import type { BatchEngine, WorkerEvent } from '@castor/batch';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import { homeDirectory } from '../../home-directory.ts';
import type { Output } from '../../output.ts';
import type { Interruption } from '../../signals.ts';
import { tellUsage } from '../tell-usage.ts';
import { stateFolder } from './batch-context.ts';
import { describeEvent } from './batch-live.ts';
import { sandboxFlags } from './batch-sandbox.ts';
import { problemOf } from './batch-problem.ts';
import { parseWorker } from './batch-words.ts';
import { openServer } from './open-engine.ts';

const USAGE = `Usage: castor worker --queue <address> [options]

Takes tasks that castor batch run --queue <address> submitted, on any number of machines.

Options:
  --queue <address>    redis://host:6379, rediss://…, valkey://… or postgres://user@host/database;
                       default: the variable CASTOR_QUEUE, which keeps a password out of ps
  --concurrency <n>    tasks at once (default 4)
  --labels <names>     takes also tasks with these labels, separated by commas: gpu,linux
  --until-idle         ends when no task is left, instead of waiting for more
  --keep               leaves the worktrees of ended tasks

Ctrl+C takes no further task and lets running ones finish; a second one, or SIGTERM, interrupts them:
they go on from their sessions on this machine, or start over on another one after a minute.
More: docs/batch.md
`;

const PATIENT_MS = Infinity;

export async function runWorkerCommand(
  argv: readonly string[],
  output: Output,
  interruption: Interruption,
): Promise<ExitCode> {
  if (await tellUsage(argv, USAGE, output)) return ExitCode.Success;
  const [home, environment] = [homeDirectory(process.env), process.env];
  const directory = stateFolder(home, environment, 'worker');
  const [stop, cancel] = [new AbortController(), new AbortController()];
  const ended = listen(interruption, stop, cancel, output);
  let engine: BatchEngine | undefined;
  try {
    const words = parseWorker(argv, environment);
    engine = await openServer(words.queue, directory, {
      ...{ patienceMs: PATIENT_MS, stop: stop.signal },
      onUnreachable: (message) => output.note(`castor: ${message} Trying again; running tasks go on.`),
    });
    if (!words.isKept) await sweepWorkplaces(engine, directory, environment);
    output.note(`castor: this worker takes ${countOf(words.concurrency, 'task')} at once.`);
    const worker = work({
      ...{ engine, environment, concurrency: words.concurrency, isKept: words.isKept, machine: hostname() },
      identity: { id: `${process.pid}-${Date.now().toString(36)}`, labels: words.labels },
      program: [process.execPath, process.argv[1] ?? ''],
      directoryOf: (batch) => join(directory, batch),
      sandboxFlags: await sandboxFlags({ cwd: process.cwd(), home, environment }),
      isPermanent: !words.isUntilIdle,
      ...{ stop: stop.signal, cancel: cancel.signal },
    });
    for await (const event of worker) tell(event, output);
    if (!words.isKept) await sweepWorkplaces(engine, directory, environment);
    return ended() ?? ExitCode.Success;
  } catch (error) {
    const problem = problemOf(error);
    if (!problem) throw error;
    output.note(`castor: ${problem.message}`);
    return ended() ?? problem.exitCode;
  } finally {
    await engine?.close();
  }
}

/** Returns the exit code of the signal that ended the worker. */
function listen(
  interruption: Interruption,
  stop: AbortController,
  cancel: AbortController,
  output: Output,
): () => ExitCode | undefined {
  let code: ExitCode | undefined;
  interruption.postpone = (signal) => {
    const isGentle = signal === 'SIGINT' && !stop.signal.aborted;
    code = signal === 'SIGINT' ? ExitCode.Interrupted : ExitCode.Terminated;
    stop.abort();
    if (isGentle) output.note('castor: No further task starts; running ones finish. Ctrl+C again interrupts them.');
    else {
      cancel.abort();
      output.note('castor: Interrupting the running tasks. Their sessions stay.');
    }
    return true;
  };
  return () => code;
}

function tell(event: WorkerEvent, output: Output): void {
  const line = describeEvent(event);
  const { batch } = event;
  if (line !== undefined) output.note(`${batch}  ${line}`);
}
