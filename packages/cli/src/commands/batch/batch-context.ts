/** What every sub-command of `castor batch` works with: the engine, the folders, the output; and how it names a batch. */

import { join } from 'node:path';
import type { BatchEngine, BatchStatus } from '@castor/batch';
import type { Output } from '../../output.ts';
import type { Interruption } from '../../signals.ts';
import { BatchProblem } from './batch-problem.ts';
import { openEmbedded, openServer, steadyNow } from './open-engine.ts';

export { BatchProblem };

export interface BatchContext {
  engine: BatchEngine;
  /** The address of a queue on a server; undefined for the embedded one. */
  queue: string | undefined;
  /** Holds a folder for each batch. */
  directory: string;
  output: Output;
  interruption: Interruption;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The command that starts castor. */
  program: readonly [string, ...string[]];
}

/** Not below ~/.gemini: its files are protected, and the worktrees of tasks are here. */
export function stateFolder(home: string, environment: BatchContext['environment'], kind: 'batch' | 'worker'): string {
  return join(environment['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'castor', kind);
}

/** Throws BatchProblem where the engine cannot be opened. */
export async function openContext(given: Omit<BatchContext, 'engine' | 'directory'>): Promise<BatchContext> {
  const { home, environment, queue } = given;
  const directory = stateFolder(home, environment, queue === undefined ? 'batch' : 'worker');
  const engine = queue === undefined ? openEmbedded(directory) : await openServer(queue, directory);
  return { ...given, directory, engine };
}

/** The machines of a queue share the time of day only; on one machine, a clock that is set does not move a deadline. */
export function deadlineAfter(timeMs: number | undefined, { queue }: Pick<BatchContext, 'queue'>): number | undefined {
  return timeMs === undefined ? undefined : (queue === undefined ? steadyNow() : Date.now()) + timeMs;
}

/** The batch of that id or beginning of an id; without one, the newest. Throws BatchProblem. */
export async function findBatch({ engine }: BatchContext, wanted: string | undefined): Promise<BatchStatus> {
  const batches = await engine.batches();
  const newest = batches.at(-1);
  if (!newest) throw new BatchProblem('There is no batch yet. To run one: castor batch run <tasks>');
  if (wanted === undefined) return newest;
  const found = batches.filter(({ id }) => id === wanted || id.startsWith(wanted));
  const exact = found.find(({ id }) => id === wanted) ?? (found.length === 1 ? found[0] : undefined);
  if (exact) return exact;
  const why = found.length === 0 ? 'There is no batch' : `${found.length} batches begin with`;
  throw new BatchProblem(`${why} "${wanted}". castor batch list names them.`);
}

export async function statusOf(id: string, { engine }: BatchContext): Promise<BatchStatus> {
  const [found] = await engine.batches(id);
  if (!found) throw new BatchProblem(`The batch ${id} was deleted while it ran.`);
  return found;
}
