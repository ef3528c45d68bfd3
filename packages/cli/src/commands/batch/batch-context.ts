/** What every sub-command of `castor batch` works with: the engine, the folders, the output; and how it names a batch. */

import { join } from 'node:path';
import { SqliteEngine } from '@castor/batch';
import type { BatchEngine, BatchStatus } from '@castor/batch';
import { makeDirectory } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import type { Output } from '../../output.ts';
import type { Interruption } from '../../signals.ts';

export interface BatchContext {
  engine: BatchEngine;
  /** Holds the database and a folder for each batch. */
  directory: string;
  output: Output;
  interruption: Interruption;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The command that starts castor. */
  program: readonly [string, ...string[]];
}

/** Ends the command with a sentence. */
export class BatchProblem extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = ExitCode.Failure) {
    super(message);
    this.name = 'BatchProblem';
    this.exitCode = exitCode;
  }
}

/** Throws BatchProblem where the database cannot be opened. */
export function openContext(given: Omit<BatchContext, 'engine' | 'directory'>): BatchContext {
  // Not below ~/.gemini: its files are protected, and the worktrees of tasks are here.
  const state = given.environment['XDG_STATE_HOME'] || join(given.home, '.local', 'state');
  const directory = join(state, 'castor', 'batch');
  const path = join(directory, 'batches.sqlite');
  try {
    makeDirectory(directory);
    return { ...given, directory, engine: new SqliteEngine(path) };
  } catch (error) {
    throw new BatchProblem(`The database of batches cannot be opened: ${path}: ${(error as Error).message}`);
  }
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
