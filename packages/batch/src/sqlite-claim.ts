/**
 * Chooses the next task of the embedded engine and reserves its money, inside the caller's transaction: by priority, then the
 * batch that was served least, then the order of the file. A worker of one batch gives way to the batches of other processes.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { Claimed } from './engine.ts';
import { START_AT_ONCE } from './pace.ts';
import { prepared } from './prepared.ts';
import { reserveFor } from './reserve.ts';
import type { Reserve } from './reserve.ts';
import { lastSequence } from './sqlite-counts.ts';
import type { TaskCounts } from './sqlite-counts.ts';
import { findRivals, isAnothersPlace, noteSeeker } from './sqlite-places.ts';
import type { Liveness } from './sqlite-places.ts';
import { toClaim, toLimits } from './sqlite-rows.ts';
import type { BatchRow, TaskRow } from './sqlite-rows.ts';
import type { Task } from './task.ts';
import { unrunResult } from './unrun-result.ts';

export interface ClaimWish {
  worker: string;
  labels: readonly string[];
  batch: string | undefined;
  /** Of this machine; undefined where the worker takes no part in sharing them. */
  places: number | undefined;
  now: number;
  /** The same moment where no clock was set. */
  steadyNow: number;
  livenessOf: Liveness;
}

/** No delay is longer: beyond it, the clock was set back. */
const LONGEST_DELAY_MS = 600_000;
/** A worker that must wait asks again by then, whatever happens. */
const LONGEST_WAIT_MS = 1_000;
/** A place that another process frees should not stay empty for long. */
const PLACE_WAIT_MS = 200;

export function claimNext(database: DatabaseSync, counts: TaskCounts, wish: ClaimWish): Claimed {
  const batches = prepared(
    database,
    `SELECT * FROM batches WHERE state = 'open' ORDER BY priority DESC, served, created_at, id`,
  ).all() as unknown as BatchRow[];
  const chosen = wish.batch === undefined ? batches : batches.filter(({ id }) => id === wish.batch);
  for (const batch of chosen) {
    const row = findTask(database, batch, wish);
    if (!row) continue;
    const task = specOf(row);
    const reserved = reserve(database, counts, { batch, task, now: wish.steadyNow });
    if (reserved === 'spent') {
      endWaiting(database, batch.id, 'budget', wish.now);
      continue;
    }
    if (reserved === 'wait') continue;
    if (mustGiveWay(database, counts, wish)) return { kind: 'wait', delayMs: PLACE_WAIT_MS, isCrowded: true };
    return { kind: 'claim', claim: take(database, batch, row, reserved, wish) };
  }
  const isOpen = chosen.some(({ id }) => hasWork(database, id)) || isRunningAnywhere(database, wish.batch);
  return isOpen ? { kind: 'wait', delayMs: LONGEST_WAIT_MS } : { kind: 'idle' };
}

function mustGiveWay(database: DatabaseSync, counts: TaskCounts, wish: ClaimWish): boolean {
  const { worker, batch, places, labels, now } = wish;
  if (batch === undefined || places === undefined) return false;
  const self = { worker, batch, places, labels };
  noteSeeker(database, self, now);
  const rivals = findRivals(database, worker, now, wish.livenessOf);
  return isAnothersPlace(database, self, rivals, (row, its) => {
    const found = findTask(database, row, { labels: its, now });
    return (
      found !== undefined &&
      isReserve(reserve(database, counts, { batch: row, task: specOf(found), now: wish.steadyNow }))
    );
  });
}

/** Ends every waiting task of a batch with a result that says why. */
export function endWaiting(database: DatabaseSync, batch: string, status: 'cancelled' | 'budget', now: number): void {
  const rows = prepared(
    database,
    `SELECT * FROM tasks WHERE batch = ? AND state = 'waiting' AND status IS NULL ORDER BY position`,
  ).all(batch) as unknown as TaskRow[];
  const last = lastSequence(database, batch);
  const end = prepared(
    database,
    `UPDATE tasks SET state = 'done', status = ?, result = ?, sequence = ? WHERE batch = ? AND id = ?`,
  );
  for (const [index, row] of rows.entries()) {
    const spent = { cost: row.is_cost_known ? row.spent_cost : null, tokens: row.spent_tokens };
    const { id, failed_tries: failedTries, interruptions } = row;
    const result = unrunResult(status, { id, spent, failedTries, interruptions, now });
    end.run(status, JSON.stringify(result), last + index + 1, batch, row.id);
  }
}

function findTask(
  database: DatabaseSync,
  { id }: BatchRow,
  { labels, now }: Pick<ClaimWish, 'labels' | 'now'>,
): TaskRow | undefined {
  const rows = prepared(
    database,
    `SELECT * FROM tasks WHERE batch = ? AND state = 'waiting' AND status IS NULL AND (not_before <= ? OR not_before > ?) ORDER BY position`,
  ).iterate(id, now, now + LONGEST_DELAY_MS) as IterableIterator<unknown> as IterableIterator<TaskRow>;
  const full = new Set<string>();
  for (const row of rows) {
    if (full.has(row.provider)) continue;
    if (!hasRoom(database, row.provider)) {
      full.add(row.provider);
      continue;
    }
    const { labels: needed } = specOf(row);
    if (needed.every((label) => labels.includes(label))) return row;
  }
  return undefined;
}

function hasRoom(database: DatabaseSync, provider: string): boolean {
  const pace = prepared(database, 'SELECT at_once FROM paces WHERE provider = ?').get(provider);
  const atOnce = (pace?.['at_once'] as number | undefined) ?? START_AT_ONCE;
  if (atOnce >= START_AT_ONCE) return true;
  const running = prepared(
    database,
    `SELECT COUNT(*) AS count FROM tasks WHERE state = 'running' AND provider = ?`,
  ).get(provider);
  return (running?.['count'] as number) < Math.max(1, Math.floor(atOnce));
}

interface Asked {
  batch: BatchRow;
  task: Task;
  now: number;
}

function reserve(database: DatabaseSync, counts: TaskCounts, { batch, task, now }: Asked): Reserve | 'wait' | 'spent' {
  const limits = toLimits(batch);
  const spent = { cost: batch.spent_cost, tokens: batch.spent_tokens };
  if (limits.cost === undefined && limits.tokens === undefined)
    return reserveFor(task.limits, limits, { running: 0, waiting: 0, ended: 0, spent, reserved: NONE }, now);
  const { total, running, waiting } = counts.of(batch.id);
  // Only what runs has a reserve.
  const reserved = prepared(
    database,
    `SELECT COALESCE(SUM(reserved_cost), 0) AS cost, COALESCE(SUM(reserved_tokens), 0) AS tokens FROM tasks
       WHERE state = 'running' AND batch = ?`,
  ).get(batch.id) as { cost: number; tokens: number };
  const ended = total - running - waiting;
  return reserveFor(task.limits, limits, { running, waiting, ended, spent, reserved }, now);
}

function isReserve(reserved: Reserve | 'wait' | 'spent'): reserved is Reserve {
  return typeof reserved !== 'string';
}

function specOf({ spec }: TaskRow): Task {
  return JSON.parse(spec) as Task;
}

const NONE = { cost: 0, tokens: 0 };

function take(database: DatabaseSync, batch: BatchRow, row: TaskRow, reserved: Reserve, { worker, now }: ClaimWish) {
  prepared(
    database,
    `UPDATE tasks SET state = 'running', worker = ?, claim = claim + 1, is_begun = 1, reserved_cost = ?, reserved_tokens = ?,
         started_at = COALESCE(started_at, ?) WHERE batch = ? AND id = ?`,
  ).run(worker, reserved.cost ?? 0, reserved.tokens ?? 0, now, row.batch, row.id);
  prepared(database, 'UPDATE batches SET served = served + 1 WHERE id = ?').run(row.batch);
  return { ...toClaim(row, batch), number: row.claim + 1, reserved };
}

function hasWork(database: DatabaseSync, batch: string): boolean {
  const row = prepared(database, `SELECT 1 FROM tasks WHERE batch = ? AND state IN ('running', 'waiting') LIMIT 1`).get(
    batch,
  );
  return row !== undefined;
}

function isRunningAnywhere(database: DatabaseSync, batch: string | undefined): boolean {
  const sql = `SELECT 1 FROM tasks WHERE state = 'running' ${batch === undefined ? '' : 'AND batch = ?'} LIMIT 1`;
  return prepared(database, sql).get(...(batch === undefined ? [] : [batch])) !== undefined;
}
