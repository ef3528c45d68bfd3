/**
 * The embedded engine: one SQLite file that any number of processes of this machine share. Every change is one short
 * transaction. A worker is its process: what a dead one held goes back into the queue, without a clock.
 */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type {
  BatchEngine,
  BatchState,
  BatchStatus,
  Claim,
  Claimed,
  NewBatch,
  Settlement,
  TaskStatus,
  WorkerIdentity,
} from './engine.ts';
import { isRunning, isSuspended, startTimeOf } from './process-identity.ts';
import { claimNext, endWaiting } from './sqlite-claim.ts';
import type { Liveness } from './sqlite-places.ts';
import { forgetWorkers, recoverTasks } from './sqlite-recover.ts';
import type { BatchRow, TaskRow } from './sqlite-rows.ts';
import { toStatus } from './sqlite-rows.ts';
import { account, endTask, isCancelled, SETTLED } from './sqlite-settle.ts';
import { TaskCounts } from './sqlite-counts.ts';
import { openDatabase } from './sqlite-schema.ts';
import { prepared } from './prepared.ts';
import { providerOf, quickened, slowed, START_AT_ONCE } from './pace.ts';
import { byPriority } from './task.ts';
import type { TaskResult } from './task-result.ts';

export class SqliteEngine implements BatchEngine {
  private readonly database: DatabaseSync;
  private readonly counts: TaskCounts;
  private isDurable = true;
  private readonly now: () => number;
  private readonly steadyNow: () => number;
  private readonly isAlive: (pid: number, started: string) => boolean;
  private readonly livenessOf: Liveness = (pid, started) =>
    this.isAlive(pid, started) ? (isSuspended(pid) ? 'suspended' : 'running') : 'dead';

  constructor(path: string, { now = Date.now, steadyNow = now, isAlive = isRunning }: SqliteEngineOptions = {}) {
    this.database = openDatabase(path);
    this.counts = new TaskCounts(this.database);
    this.now = now;
    this.steadyNow = steadyNow;
    this.isAlive = isAlive;
  }

  async submit({ id, title, tasks, options, limits, priority }: NewBatch): Promise<void> {
    this.atomically(() => {
      this.counts.forget();
      // A new batch takes turns with the others; it does not make up for their past.
      const least = this.get('SELECT MIN(served) AS served FROM batches WHERE state = ?', 'open')?.['served'] ?? 0;
      this.run(
        'INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 1, 0)',
        ...[id, title, this.now(), 'open', priority, JSON.stringify(options), JSON.stringify(limits), least as number],
      );
      const insert = prepared(
        this.database,
        `INSERT INTO tasks (batch, id, position, spec, provider, state) VALUES (?, ?, ?, ?, ?, 'waiting')`,
      );
      for (const [position, task] of byPriority(tasks).entries())
        insert.run(id, task.id, position, JSON.stringify(task), providerOf(task.model));
    });
  }

  async batches(only?: string): Promise<BatchStatus[]> {
    if (only !== undefined) {
      const row = this.get('SELECT * FROM batches WHERE id = ?', only) as BatchRow | undefined;
      return row ? [toStatus(row, this.counts.of(only))] : [];
    }
    const counts = this.counts.all();
    return this.all<BatchRow>('SELECT * FROM batches ORDER BY created_at, id').map((row) =>
      toStatus(row, counts.get(row.id)),
    );
  }

  async tasks(batch: string): Promise<TaskStatus[]> {
    return this.all<TaskRow>('SELECT * FROM tasks WHERE batch = ? ORDER BY position', batch).map((row) => ({
      task: JSON.parse(row.spec) as TaskStatus['task'],
      state: row.state,
      startedAt: row.started_at ?? undefined,
      failedTries: row.failed_tries,
      result: row.result === null ? undefined : (JSON.parse(row.result) as TaskResult),
    }));
  }

  async results(batch: string, after: number): Promise<TaskResult[]> {
    const rows = this.all<{ result: string }>(
      'SELECT result FROM tasks WHERE batch = ? AND sequence IS NOT NULL ORDER BY sequence LIMIT -1 OFFSET ?',
      ...[batch, after],
    );
    return rows.map(({ result }) => JSON.parse(result) as TaskResult);
  }

  async claim({ id, labels, places }: WorkerIdentity, batch?: string): Promise<Claimed> {
    const take = () => {
      const { pid } = process;
      if (!this.get('SELECT 1 FROM workers WHERE id = ?', id)) {
        forgetWorkers(this.database, this.isAlive);
        this.run('INSERT INTO workers VALUES (?, ?, ?)', id, pid, startTimeOf(pid));
      }
      this.recoverNow(id);
      const times = { now: this.now(), steadyNow: this.steadyNow() };
      return claimNext(this.database, this.counts, {
        ...{ worker: id, labels, batch, places, ...times, livenessOf: this.livenessOf },
      });
    };
    // A claim that a loss of power takes back is a task that waits: the disk need not be waited for.
    return this.atomically(take, { isDurable: false });
  }

  async settle(claim: Claim, settlement: Settlement): Promise<boolean> {
    const { batch, task, number } = claim;
    return this.atomically(() => {
      const row = this.get(
        `SELECT spent_cost, spent_tokens FROM tasks WHERE batch = ? AND id = ? AND state = 'running' AND claim = ?`,
        ...[batch, task.id, number],
      ) as { spent_cost: number; spent_tokens: number } | undefined;
      // Another worker has the task, or the user cancelled it.
      if (!row) return false;
      const totals = account(this.database, batch, settlement.spent, row);
      if (settlement.kind === 'result') endTask(this.database, batch, settlement.result, totals);
      else {
        const isTry = settlement.kind === 'again';
        this.run(
          `UPDATE tasks SET state = 'waiting', failed_tries = failed_tries + ?, is_begun = ?, crashes = 0, not_before = ?, ${SETTLED}
           WHERE batch = ? AND id = ?`,
          ...[isTry ? 1 : 0, isTry ? 0 : 1, isTry ? 0 : this.now() + settlement.delayMs, ...totals, batch, task.id],
        );
        // The batch may have been cancelled in the meantime: then nothing waits.
        if (isCancelled(this.database, batch)) endWaiting(this.database, batch, 'cancelled', this.now());
      }
      return true;
    });
  }

  async isHeld({ batch, task, number }: Claim): Promise<boolean> {
    const row = this.get(
      `SELECT 1 FROM tasks JOIN batches ON batches.id = tasks.batch WHERE tasks.batch = ? AND tasks.id = ?
         AND tasks.state = 'running' AND tasks.claim = ? AND batches.state <> 'cancelled'`,
      ...[batch, task.id, number],
    );
    return row !== undefined;
  }

  async slowDown({ task }: Claim): Promise<void> {
    this.changePace(providerOf(task.model), slowed);
  }

  async speedUp({ task }: Claim): Promise<void> {
    // Most providers never slow down.
    if (!this.get('SELECT 1 FROM paces WHERE provider = ?', providerOf(task.model))) return;
    this.changePace(providerOf(task.model), quickened);
  }

  async recover(): Promise<number> {
    return this.atomically(() => this.recoverNow());
  }

  async change(batch: string, state: BatchState): Promise<void> {
    this.atomically(() => {
      this.run('UPDATE batches SET state = ? WHERE id = ?', state, batch);
      if (state === 'cancelled') endWaiting(this.database, batch, 'cancelled', this.now());
    });
  }

  async retry(batch: string, ids?: readonly string[]): Promise<number> {
    return this.atomically(() => {
      const again = (where: string, ...values: SQLInputValue[]) =>
        Number(
          this.run(
            `UPDATE tasks SET state = 'waiting', failed_tries = 0, interruptions = 0, crashes = 0, is_begun = 0, not_before = 0,
               status = NULL, result = NULL, sequence = NULL, started_at = NULL
             WHERE batch = ? AND state = 'done' AND ${where}`,
            ...[batch, ...values],
          ).changes,
        );
      this.counts.forget();
      const count = ids ? ids.reduce((total, id) => total + again('id = ?', id), 0) : again(`status <> 'success'`);
      if (count > 0) this.run(`UPDATE batches SET state = 'open' WHERE id = ?`, batch);
      return count;
    });
  }

  async remove(batch: string): Promise<void> {
    this.atomically(() => {
      this.counts.forget();
      this.run('DELETE FROM tasks WHERE batch = ?', batch);
      this.run('DELETE FROM batches WHERE id = ?', batch);
    });
  }

  async close(): Promise<void> {
    this.database.close();
  }

  private changePace(provider: string, change: typeof slowed): void {
    this.atomically(() => {
      const row = this.get('SELECT at_once, slowed_at FROM paces WHERE provider = ?', provider);
      const running = this.get(
        `SELECT COUNT(*) AS count FROM tasks WHERE state = 'running' AND provider = ?`,
        provider,
      )?.['count'] as number;
      const current = {
        atOnce: (row?.['at_once'] as number) ?? START_AT_ONCE,
        slowedAt: (row?.['slowed_at'] as number) ?? 0,
      };
      const next = change(current, { running, now: this.now() });
      if (next !== current)
        this.run('INSERT OR REPLACE INTO paces VALUES (?, ?, ?)', provider, next.atOnce, next.slowedAt);
    });
  }

  private recoverNow(self = ''): number {
    return recoverTasks(this.database, { self, now: this.now(), isAlive: this.isAlive });
  }

  private atomically<T>(change: () => T, { isDurable = true } = {}): T {
    if (isDurable !== this.isDurable) this.database.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    this.isDurable = isDurable;
    this.run('BEGIN IMMEDIATE');
    try {
      const result = change();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.counts.forget();
      // A full disk has rolled it back already; its own words are the ones to tell.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  private run(sql: string, ...values: SQLInputValue[]) {
    return prepared(this.database, sql).run(...values);
  }

  private get(sql: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined {
    return prepared(this.database, sql).get(...values);
  }

  private all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return prepared(this.database, sql).all(...values) as Row[];
  }
}

export interface SqliteEngineOptions {
  now?: () => number;
  /** For deadlines: a clock that is set while the process runs does not move it. */
  steadyNow?: () => number;
  /** For tests of dead workers. */
  isAlive?: (pid: number, started: string) => boolean;
}
