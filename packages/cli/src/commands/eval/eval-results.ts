/**
 * The results of an eval as a file to be committed: what ran, and one line for each try. No path, answer or key of this machine is
 * in it. Everything else is calculated from it.
 */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OUTCOMES } from '@castor/batch';
import type { TaskOutcome } from '@castor/batch';
import { isRecord } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import { BatchProblem } from '../batch/batch-context.ts';

/** One try of one task. */
export interface EvalRun {
  task: string;
  model: string;
  prompt: string;
  try: number;
  status: TaskOutcome;
  /** Why it did not pass, without what differs from try to try. */
  cause?: string;
  /** Null where the price is unknown. */
  cost_usd: number | null;
  tokens: number;
  turns: number;
  duration_ms: number;
}

export interface EvalResults {
  format: typeof FORMAT;
  suite: string;
  created_at: string;
  /** The version of Castor. */
  castor: string;
  /** The commit of the repository around the suite. */
  commit?: string;
  models: string[];
  prompts: string[];
  tries: number;
  /** The fingerprint of each task. */
  tasks: Record<string, string>;
  runs: EvalRun[];
}

export const FORMAT = 'castor-eval/1';

/** One line for each run, in the order of their names: a diff of two files shows what changed. */
export function writeResults(path: string, results: EvalResults): void {
  const { runs, ...about } = results;
  const sorted = [...runs].sort((one, other) => keyOf(one).localeCompare(keyOf(other), 'en', { numeric: true }));
  const head = JSON.stringify(about, null, 2).replace(/\n\}$/, '');
  const lines = sorted.map((run) => `    ${JSON.stringify(run)}`).join(',\n');
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, `${head},\n  "runs": [\n${lines}\n  ]\n}\n`);
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new BatchProblem(`The results cannot be written: ${path}: ${(error as Error).message}`);
  }
}

function keyOf({ task, model, prompt, try: number }: EvalRun): string {
  return [task, model, prompt, number].join(' ');
}

export function readResults(path: string): EvalResults {
  const problem = (sentence: string) => new BatchProblem(`${path}: ${sentence}`, ExitCode.Input);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw problem(isMissing ? 'the file does not exist.' : `the file cannot be read: ${(error as Error).message}`);
  }
  if (!isRecord(value) || value['format'] !== FORMAT)
    throw problem(`the file holds no results of castor eval: "format" is not "${FORMAT}".`);
  const { runs, tasks } = value;
  if (!Array.isArray(runs) || !isRecord(tasks)) throw problem('"runs" or "tasks" is missing.');
  const bad = runs.findIndex((run) => !isRun(run));
  if (bad !== -1) throw problem(`run ${bad + 1} is invalid.`);
  return value as unknown as EvalResults;
}

function isRun(value: unknown): value is EvalRun {
  if (!isRecord(value)) return false;
  const { task, model, prompt, status, cost_usd: cost } = value;
  const texts = [task, model, prompt].every((each) => typeof each === 'string');
  const numbers = ['try', 'tokens', 'turns', 'duration_ms'].every((name) => typeof value[name] === 'number');
  const isPriced = cost === null || typeof cost === 'number';
  return texts && numbers && isPriced && (OUTCOMES as readonly unknown[]).includes(status);
}
