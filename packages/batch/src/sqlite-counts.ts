/**
 * How many tasks of a batch wait, run and have ended. A worker asks after each task: while no other process changes the database, only what
 * is new since the last question is counted.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { BatchStatus } from './engine.ts';
import { prepared } from './prepared.ts';

export type Counts = Pick<BatchStatus, 'total' | 'waiting' | 'running' | 'ended'>;

interface Known {
  batch: string;
  /** Of the database: it changes with the writes of other processes. */
  version: unknown;
  total: number;
  /** Of the last result that is counted. */
  sequence: number;
  ended: Record<string, number>;
}

interface Row {
  batch: string;
  state: string;
  status: string | null;
  count: number;
}

export class TaskCounts {
  private readonly database: DatabaseSync;
  private known: Known | undefined;

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** After a change of this process that takes results back. */
  forget(): void {
    this.known = undefined;
  }

  /** Of every batch. */
  all(): Map<string, Counts> {
    const rows = this.count('', []);
    return new Map([...Map.groupBy(rows, ({ batch }) => batch)].map(([batch, own]) => [batch, toCounts(own)]));
  }

  of(batch: string): Counts {
    const version = prepared(this.database, 'PRAGMA data_version').get()?.['data_version'];
    if (this.known?.batch !== batch || this.known.version !== version) this.known = this.learn(batch, version);
    else this.addNew(this.known);
    const { total, ended } = this.known;
    const running = prepared(
      this.database,
      `SELECT COUNT(*) AS count FROM tasks WHERE state = 'running' AND batch = ?`,
    ).get(batch)?.['count'] as number;
    const done = Object.values(ended).reduce((sum, count) => sum + count, 0);
    return { total, running, waiting: total - running - done, ended: { ...ended } };
  }

  private learn(batch: string, version: unknown): Known {
    // The version is older than what is counted: a change in between makes the next question count again.
    const { total, ended } = toCounts(this.count('WHERE batch = ?', [batch]));
    return { batch, version, total, sequence: lastSequence(this.database, batch), ended: { ...ended } };
  }

  private addNew(known: Known): void {
    const rows = prepared(
      this.database,
      'SELECT status, sequence FROM tasks WHERE batch = ? AND sequence > ? ORDER BY sequence',
    ).all(known.batch, known.sequence) as { status: string; sequence: number }[];
    for (const { status, sequence } of rows) {
      known.ended[status] = (known.ended[status] ?? 0) + 1;
      known.sequence = sequence;
    }
  }

  private count(where: string, values: readonly string[]): Row[] {
    const sql = `SELECT batch, state, status, COUNT(*) AS count FROM tasks ${where} GROUP BY batch, state, status`;
    return prepared(this.database, sql).all(...values) as unknown as Row[];
  }
}

/** Of the batch's last result; 0 without one. The condition lets SQLite use the index of results. */
export function lastSequence(database: DatabaseSync, batch: string): number {
  const sql = 'SELECT COALESCE(MAX(sequence), 0) AS last FROM tasks WHERE batch = ? AND sequence IS NOT NULL';
  return prepared(database, sql).get(batch)?.['last'] as number;
}

function toCounts(rows: readonly Row[]): Counts {
  const sum = (some: readonly Row[]) => some.reduce((total, { count }) => total + count, 0);
  const inState = (state: string) => rows.filter((row) => row.state === state);
  return {
    total: sum(rows),
    waiting: sum(inState('waiting')),
    running: sum(inState('running')),
    ended: Object.fromEntries(inState('done').map(({ status, count }) => [status ?? 'failed', count])),
  };
}
