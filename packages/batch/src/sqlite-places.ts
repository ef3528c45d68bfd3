/**
 * Places: how many tasks the batches of this machine run at once between them, and whose turn the next place is: the batch of the highest
 * priority, among equals the one with the fewest running tasks, then the one that was served least. Inside the caller's transaction.
 */

import type { DatabaseSync } from 'node:sqlite';
import { prepared } from './prepared.ts';
import type { BatchRow } from './sqlite-rows.ts';

/** A worker of one batch, and how many tasks it would have this machine run at once. */
export interface Seeker {
  worker: string;
  batch: string;
  places: number;
  labels: readonly string[];
}

/** Whether a process takes part: a suspended one neither starts a task nor ends one. */
export type Liveness = (pid: number, started: string) => 'running' | 'suspended' | 'dead';

interface Rival extends Seeker {
  /** It has asked for a task a moment ago. One that was told to stop does not ask. */
  isAsking: boolean;
}

/** A worker with a free place asks every second; on a busy machine it may be late. */
const ASKING_MS = 5_000;
/** More often is not written. */
const TOLD_MS = 1_000;

/** Notes that the worker asks. */
export function noteSeeker(database: DatabaseSync, { worker, batch, places, labels }: Seeker, now: number): void {
  const values = [batch, places, JSON.stringify(labels)] as const;
  const known = prepared(
    database,
    'SELECT 1 FROM seekers WHERE worker = ? AND batch = ? AND places = ? AND labels = ? AND ABS(? - asked_at) < ?',
  ).get(worker, ...values, now, TOLD_MS);
  if (!known) prepared(database, 'INSERT OR REPLACE INTO seekers VALUES (?, ?, ?, ?, ?)').run(worker, ...values, now);
}

/** The other workers of this machine that take part. Dead ones are forgotten. */
export function findRivals(database: DatabaseSync, self: string, now: number, livenessOf: Liveness): Rival[] {
  const rows = prepared(
    database,
    `SELECT seekers.*, workers.pid, workers.started FROM seekers LEFT JOIN workers ON workers.id = seekers.worker
       WHERE seekers.worker <> ?`,
  ).all(self) as unknown as SeekerRow[];
  return rows.flatMap(({ worker, batch, places, labels, asked_at: askedAt, pid, started }) => {
    const liveness = pid === null ? 'dead' : livenessOf(pid, started);
    if (liveness === 'dead') prepared(database, 'DELETE FROM seekers WHERE worker = ?').run(worker);
    if (liveness !== 'running') return [];
    // A clock that was set back leaves a moment in the future.
    const isAsking = Math.abs(now - askedAt) < ASKING_MS;
    return [{ worker, batch, places, labels: JSON.parse(labels) as string[], isAsking }];
  });
}

/**
 * Whether the place that the worker asks for belongs to another batch, or is not there. `canStart` tells whether a batch has a task that
 * a worker of these labels may start now.
 */
export function isAnothersPlace(
  database: DatabaseSync,
  self: Seeker,
  rivals: readonly Rival[],
  canStart: (batch: BatchRow, labels: readonly string[]) => boolean,
): boolean {
  if (rivals.length === 0) return false;
  const byWorker = runningBy(database, [self, ...rivals]);
  const runningOf = ({ worker }: Seeker) => byWorker.get(worker) ?? 0;
  const inBatch = (batch: string) => sum([self, ...rivals].filter((each) => each.batch === batch).map(runningOf));
  if (sum([...byWorker.values()]) >= Math.max(self.places, ...rivals.map(({ places }) => places))) return true;
  const seeking = rivals.filter((each) => each.isAsking && each.batch !== self.batch && runningOf(each) < each.places);
  if (seeking.length === 0) return false;
  const rows = prepared(
    database,
    `SELECT * FROM batches WHERE state = 'open' ORDER BY priority DESC, served, created_at, id`,
  ).all() as unknown as BatchRow[];
  const order = rows.toSorted((one, other) => other.priority - one.priority || inBatch(one.id) - inBatch(other.id));
  for (const batch of order) {
    if (batch.id === self.batch) return false;
    if (seeking.some((each) => each.batch === batch.id && canStart(batch, each.labels))) return true;
  }
  return false;
}

function runningBy(database: DatabaseSync, seekers: readonly Seeker[]): Map<string, number> {
  const rows = prepared(
    database,
    `SELECT worker, COUNT(*) AS count FROM tasks WHERE state = 'running' GROUP BY worker`,
  ).all() as { worker: string; count: number }[];
  const taking = new Set(seekers.map(({ worker }) => worker));
  return new Map(rows.filter(({ worker }) => taking.has(worker)).map(({ worker, count }) => [worker, count]));
}

interface SeekerRow {
  worker: string;
  batch: string;
  places: number;
  labels: string;
  asked_at: number;
  pid: number | null;
  started: string;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
