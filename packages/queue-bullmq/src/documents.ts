/** The documents of the book and where they stand, and the rules for changing them. Pure. */

import { providerOf } from '@castor/batch';
import type { BatchLimits, BatchState, RunOptions, Spending, Task, TaskResult } from '@castor/batch';
import type { Place } from './book.ts';

export interface BatchDocument {
  id: string;
  title: string;
  createdAt: number;
  state: BatchState;
  priority: number;
  options: RunOptions;
  limits: BatchLimits;
  total: number;
  lanes: LaneOfBatch[];
  /** A new batch takes turns with the others; it does not make up for their past. */
  head: number;
}

export interface LaneOfBatch {
  name: string;
  labels: string[];
  provider: string;
}

/** The sums of a batch. */
export interface Account {
  spent: { cost: number; isCostKnown: boolean; tokens: number };
  /** By task; with the machine behind it, where a machine vanished before it told what it spent. */
  reserved: Record<string, { cost: number; tokens: number }>;
  ended: Record<string, number>;
  /** The number of the last result. */
  last: number;
  /** Numbers of results that are gone, because their tasks were run again. */
  gaps: number;
}

export interface TaskDocument {
  /** The number of the current or last claim. */
  claim: number;
  /** Set by a claim, cleared by its settlement: set at the next claim, it tells that a worker died. */
  isOpen: boolean;
  /** A try has begun and not ended: its folder is on this machine. */
  machine?: string | undefined;
  /** Other machines leave it to its own until then. */
  keptUntil?: number | undefined;
  startedAt?: number | undefined;
  failedTries: number;
  interruptions: number;
  /** Deaths of workers in a row. */
  crashes: number;
  /** Totals as each machine told them last. */
  spent: Record<string, Spending>;
  /** The number of its result. */
  result?: number | undefined;
  status?: string | undefined;
}

export interface PaceDocument {
  atOnce: number;
  slowedAt: number;
}

/** What a process of a host holds: another process of the same host sees at once that it died. */
export interface HoldDocument {
  lane: string;
  batch: string;
  task: string;
  token: string;
  pid: number;
  started: string;
  /** The token of the process that returns the job: the one that is named by then. */
  returner?: string;
}

export const NEW_TASK: TaskDocument = {
  claim: 0,
  isOpen: false,
  failedTries: 0,
  interruptions: 0,
  crashes: 0,
  spent: {},
};
export const NEW_ACCOUNT: Account = {
  ...{ spent: { cost: 0, isCostKnown: true, tokens: 0 }, reserved: {}, ended: {} },
  ...{ last: 0, gaps: 0 },
};

export const BATCHES = 'batches';
export const batchPlace = (id: string): Place => ({ shelf: BATCHES, key: id });
export const accountPlace = (batch: string): Place => ({ shelf: batch, key: 'account' });
export const taskPlace = (batch: string, task: string): Place => ({ shelf: batch, key: `task/${task}` });
export const resultShelf = (batch: string): string => `${batch}/results`;
export const resultPlace = (batch: string, number: number): Place => ({
  ...{ shelf: resultShelf(batch), key: String(number).padStart(9, '0') },
});
export const holdShelf = (host: string): string => `host/${host}`;
export const holdPlace = (host: string, batch: string, task: string): Place => ({
  ...{ shelf: holdShelf(host), key: `${batch}/${task}` },
});
export const pacePlace = (provider: string): Place => ({ shelf: 'paces', key: provider });

/** One lane for each priority, set of labels and provider, in the order in which the tasks need them: the first that has a task is served. */
export function lanesOf(batch: string, tasks: readonly Task[]): { lane: LaneOfBatch; positions: number[] }[] {
  const lanes = new Map<string, { lane: LaneOfBatch; positions: number[] }>();
  for (const [position, task] of tasks.entries()) {
    const [labels, provider] = [[...new Set(task.labels)].sort(), providerOf(task.model)];
    const key = JSON.stringify([task.priority ?? 0, labels, provider]);
    const known = lanes.get(key) ?? { lane: { name: `${batch}.${lanes.size}`, labels, provider }, positions: [] };
    known.positions.push(position);
    lanes.set(key, known);
  }
  return [...lanes.values()];
}

export function endedCount({ ended }: Account): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0);
}

export function reservedSum({ reserved }: Account): { cost: number; tokens: number } {
  const all = Object.values(reserved);
  return {
    cost: all.reduce((sum, { cost }) => sum + cost, 0),
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

export function spentBy(document: TaskDocument): Spending {
  const all = Object.values(document.spent);
  const isKnown = all.every(({ cost }) => cost !== null);
  return {
    cost: isKnown ? all.reduce((sum, { cost }) => sum + (cost ?? 0), 0) : null,
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** The machine's total of the task replaces a smaller one that it told before; the growth is added to the batch. */
export function account(
  sums: Account,
  document: TaskDocument,
  { task, machine, spent }: { task: string; machine: string; spent: Spending },
): { sums: Account; document: TaskDocument } {
  const before = document.spent[machine] ?? { cost: 0, tokens: 0 };
  // It never falls: a full disk may have lost logs.
  const cost = Math.max(spent.cost ?? 0, before.cost ?? 0);
  const tokens = Math.max(spent.tokens, before.tokens);
  const { [`${task}@${machine}`]: _told, ...reserved } = sums.reserved;
  return {
    document: {
      ...document,
      spent: { ...document.spent, [machine]: { cost: spent.cost === null ? null : cost, tokens } },
    },
    sums: {
      ...sums,
      reserved,
      spent: {
        cost: sums.spent.cost + cost - (before.cost ?? 0),
        isCostKnown: sums.spent.isCostKnown && spent.cost !== null,
        tokens: sums.spent.tokens + tokens - before.tokens,
      },
    },
  };
}

/** The task's result gets the next number. Its reserve is free again. */
export function endTask(
  sums: Account,
  document: TaskDocument,
  { status, id }: TaskResult,
): { sums: Account; document: TaskDocument } {
  const { [id]: _free, ...reserved } = sums.reserved;
  const last = sums.last + 1;
  return {
    sums: { ...sums, reserved, last, ended: { ...sums.ended, [status]: (sums.ended[status] ?? 0) + 1 } },
    document: { ...document, isOpen: false, machine: undefined, keptUntil: undefined, result: last, status },
  };
}
