/** Rows of the embedded engine's tables as the values of the contract. */

import type { BatchLimits, BatchState, BatchStatus, Claim, RunOptions } from './engine.ts';
import type { Counts } from './sqlite-counts.ts';
import type { Task } from './task.ts';

export interface BatchRow {
  id: string;
  title: string;
  created_at: number;
  state: BatchState;
  priority: number;
  options: string;
  limits: string;
  served: number;
  spent_cost: number;
  is_cost_known: number;
  spent_tokens: number;
}

export interface TaskRow {
  batch: string;
  id: string;
  spec: string;
  provider: string;
  state: 'waiting' | 'running' | 'done';
  claim: number;
  worker: string | null;
  failed_tries: number;
  interruptions: number;
  crashes: number;
  is_begun: number;
  started_at: number | null;
  reserved_cost: number;
  reserved_tokens: number;
  spent_cost: number;
  is_cost_known: number;
  spent_tokens: number;
  result: string | null;
}

export function toOptions({ options }: BatchRow): RunOptions {
  return JSON.parse(options) as RunOptions;
}

export function toLimits({ limits }: BatchRow): BatchLimits {
  return JSON.parse(limits) as BatchLimits;
}

/** Without counts: a batch that has no tasks. */
export function toStatus(row: BatchRow, counts: Counts = { total: 0, waiting: 0, running: 0, ended: {} }): BatchStatus {
  return {
    ...{ id: row.id, title: row.title, createdAt: row.created_at, state: row.state, priority: row.priority },
    ...{ options: toOptions(row), limits: toLimits(row), ...counts },
    spent: { cost: row.is_cost_known ? row.spent_cost : null, tokens: row.spent_tokens },
  };
}

/** Without a batch: for what needs the task only. */
export function toClaim(row: TaskRow, batch: BatchRow | undefined): Claim {
  return {
    batch: row.batch,
    task: JSON.parse(row.spec) as Task,
    options: batch ? toOptions(batch) : { flags: [], isInPlace: false, directory: '' },
    number: row.claim,
    failedTries: row.failed_tries,
    interruptions: row.interruptions,
    isContinued: row.is_begun === 1,
    reserved: {},
  };
}
