/** Opens the engine of batches: the embedded one, or a queue on a server, whose package is loaded only then. */

import { existsSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spentByTask, SqliteEngine } from '@castor/batch';
import type { BatchEngine } from '@castor/batch';
import { getErrorMessage } from '@castor/core';
import { makeDirectory } from '@castor/core/program';
import type * as QueuePackage from '@castor/queue-bullmq';
import { BatchProblem } from './batch-problem.ts';

/** Throws BatchProblem where the database cannot be opened. */
export function openEmbedded(directory: string): BatchEngine {
  const path = join(directory, 'batches.sqlite');
  try {
    makeDirectory(directory);
    return new SqliteEngine(path, { steadyNow });
  } catch (error) {
    const full = isFull(directory) ? ': the disk is full' : '';
    throw new BatchProblem(`The database of batches cannot be opened${full}: ${path}: ${getErrorMessage(error)}`);
  }
}

/** The moment, though the clock may have been set since the program began. */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now();
}

/** SQLite tells a full disk as an error of input and output. */
function isFull(directory: string): boolean {
  try {
    return statfsSync(directory).bavail === 0;
  } catch {
    // It could not even be made.
    return false;
  }
}

/** Throws BatchProblem without the package, for an invalid address, and for a server that does not answer. */
export async function openServer(
  address: string,
  directory: string,
  options: QueuePackage.QueueOptions = {},
): Promise<BatchEngine> {
  const { openQueue } = await load();
  try {
    makeDirectory(directory);
    const spentHere = (batch: string, task: string) => spentByTask(join(directory, batch), task);
    return await openQueue(address, { machine: machineOf(directory), spentHere, ...options });
  } catch (error) {
    throw new BatchProblem(getErrorMessage(error));
  }
}

async function load(): Promise<Pick<typeof QueuePackage, 'openQueue'>> {
  try {
    return await import('@castor/queue-bullmq');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BatchProblem(
      `A queue on a server needs a package that is not installed beside castor (${getErrorMessage(error).split('\n')[0]}). ` +
        'To install it: npm install -g @castor/queue-bullmq',
    );
  }
}

/** The same after a restart, as long as the folder with begun tasks is there. */
function machineOf(directory: string): string {
  const path = join(directory, 'machine-id');
  if (!existsSync(path)) {
    try {
      writeFileSync(path, `${crypto.randomUUID()}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // Another worker of this machine has just written it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return readFileSync(path, 'utf8').trim();
}
