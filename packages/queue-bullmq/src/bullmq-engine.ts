/**
 * The distributed engine: BullMQ orders, locks, delays and returns the jobs of any number of machines; the book beside it counts money
 * and keeps results. A settlement counts by the number of its claim, so a result is there once, whatever BullMQ repeats.
 */

import { quickened, slowed, START_AT_ONCE, providerOf } from '@castor/batch';
import type {
  BatchEngine,
  BatchState,
  BatchStatus,
  Claim,
  Claimed,
  NewBatch,
  Settlement,
  Spending,
} from '@castor/batch';
import type { TaskResult, TaskStatus, WorkerIdentity } from '@castor/batch';
import { amend } from './book.ts';
import type { Book } from './book.ts';
import { BatchKeeper } from './batch-keeper.ts';
import { Claiming } from './claiming.ts';
import type { Connection } from './connection.ts';
import { pacePlace } from './documents.ts';
import type { HoldDocument, PaceDocument } from './documents.ts';
import type { Holder } from './holder.ts';
import { isGone, Lane } from './lane.ts';
import type { TaskJob } from './lane.ts';
import { HeldReturner } from './return-held.ts';
import { patiently } from './patience.ts';
import type { PatienceOptions } from './patience.ts';
import { settleTask } from './settling.ts';
import { Standing } from './standing.ts';

export interface EngineOptions {
  lease: number;
  /** Between two looks for expired locks, and for dead processes of this host. */
  look: number;
  grace: number;
  patience: PatienceOptions;
  holder: Holder;
  now: () => number;
  isAlive: (hold: HoldDocument) => boolean;
  spentHere: (batch: string, task: string) => Spending;
}

interface Held {
  claim: Claim;
  job: TaskJob;
  lane: Lane;
  token: string;
  isLost: boolean;
}

export class BullmqEngine implements BatchEngine {
  private readonly book: Book;
  private readonly options: EngineOptions;
  private readonly connection: Connection;
  private readonly lanes = new Map<string, Lane>();
  private readonly standing: Standing;
  private readonly claiming: Claiming;
  private readonly keeper: BatchKeeper;
  private readonly returner: HeldReturner;
  private readonly held = new Map<string, Held>();
  private readonly moving = new Set<Promise<unknown>>();
  private readonly settling = new Map<string, Promise<unknown>>();
  private renewing: NodeJS.Timeout | undefined;
  private lookedAt = -Infinity;

  constructor(connection: Connection, options: EngineOptions) {
    this.connection = connection;
    this.options = options;
    this.book = connection.book;
    const laneOf = (name: string) => this.laneOf(name);
    this.standing = new Standing(this.book, laneOf);
    const { now, holder, grace, isAlive } = options;
    this.returner = new HeldReturner({ book: this.book, holder, laneOf, isAlive });
    this.keeper = new BatchKeeper({ book: this.book, standing: this.standing, laneOf, now });
    this.claiming = new Claiming({
      ...{ book: this.book, standing: this.standing, holder, laneOf, now, grace },
      endWaiting: (batch) => this.keeper.endWaiting(batch, 'budget'),
      spentHere: options.spentHere,
      mend: (batch) => this.keeper.mend(batch),
      recover: () => this.recoverNow(),
    });
  }

  submit(batch: NewBatch): Promise<void> {
    return this.patiently(() => this.keeper.submit(batch));
  }

  batches(only?: string): Promise<BatchStatus[]> {
    return this.patiently(() => this.keeper.statuses(only));
  }

  tasks(batch: string): Promise<TaskStatus[]> {
    return this.patiently(() => this.keeper.tasks(batch));
  }

  results(batch: string, after: number): Promise<TaskResult[]> {
    return this.patiently(() => this.keeper.results(batch, after));
  }

  claim(worker: WorkerIdentity, batch?: string): Promise<Claimed> {
    return this.patiently(async () => {
      const found = await this.next(worker, batch);
      if (!('claim' in found)) return found;
      const { claim } = found;
      // An earlier claim of the same task has no meaning any more.
      for (const [key, each] of this.held)
        if (each.claim.batch === claim.batch && each.claim.task.id === claim.task.id) this.held.delete(key);
      this.held.set(keyOf(claim), { ...found, isLost: false });
      this.renewing ??= setInterval(() => void this.renew(), this.options.lease / 3).unref();
      return { kind: 'claim', claim };
    });
  }

  async settle(claim: Claim, settlement: Settlement): Promise<boolean> {
    const { holder, now } = this.options;
    const counted = await this.inTurn(claim.batch, () =>
      this.patiently(() => settleTask(this.book, { claim, settlement, holder, now: now() })),
    );
    const held = this.held.get(keyOf(claim));
    this.held.delete(keyOf(claim));
    if (counted.status === undefined) this.standing.forget();
    if (!held || !counted.isValid) return counted.isValid;
    const moved = this.patiently(() => this.move(held, counted));
    // A result is safe in the book: the worker need not wait until BullMQ has heard of it.
    if (counted.status === undefined) await moved;
    else this.keep(moved);
    return true;
  }

  isHeld(claim: Claim): Promise<boolean> {
    const held = this.held.get(keyOf(claim));
    if (!held || held.isLost) return Promise.resolve(false);
    return this.patiently(async () => {
      const state = await this.standing.stateOf(claim.batch);
      return state !== undefined && state !== 'cancelled';
    });
  }

  slowDown({ task }: Claim): Promise<void> {
    return this.changePace(providerOf(task.model), slowed);
  }

  speedUp({ task }: Claim): Promise<void> {
    return this.changePace(providerOf(task.model), quickened);
  }

  recover(): Promise<number> {
    this.lookedAt = -Infinity;
    return this.patiently(() => this.recoverNow());
  }

  change(batch: string, state: BatchState): Promise<void> {
    return this.patiently(() => this.keeper.change(batch, state));
  }

  retry(batch: string, ids?: readonly string[]): Promise<number> {
    return this.patiently(async () => {
      // A job that BullMQ still counts as running would not run again.
      await Promise.all(this.moving);
      return this.keeper.retry(batch, ids);
    });
  }

  remove(batch: string): Promise<void> {
    return this.patiently(() => this.keeper.remove(batch));
  }

  async close(): Promise<void> {
    clearInterval(this.renewing);
    await Promise.all(this.moving);
    for (const lane of this.lanes.values()) await lane.close().catch(() => undefined);
    await this.connection.close();
  }

  /** BullMQ may still count a task as running that has ended here: before a worker is told to wait, it has heard of all. */
  private async next(worker: WorkerIdentity, batch: string | undefined): ReturnType<Claiming['next']> {
    const found = await this.claiming.next(worker, batch);
    if ('claim' in found || found.kind !== 'wait' || this.moving.size === 0) return found;
    await Promise.all(this.moving);
    this.standing.forget();
    return this.claiming.next(worker, batch);
  }

  private keep(moved: Promise<void>): void {
    const done = moved
      // The next worker that gets the job completes it.
      .catch(() => undefined)
      .finally(() => this.moving.delete(done));
    this.moving.add(done);
  }

  private patiently<T>(work: () => Promise<T>): Promise<T> {
    return patiently(work, this.options.patience);
  }

  /** Settlements of one batch change the same sums: within a process they wait for each other instead of meeting. */
  private inTurn<T>(batch: string, work: () => Promise<T>): Promise<T> {
    const before = this.settling.get(batch) ?? Promise.resolve();
    const result = before.then(work);
    const done = result.catch(() => undefined);
    this.settling.set(batch, done);
    void done.then(() => this.settling.get(batch) === done && this.settling.delete(batch));
    return result;
  }

  private laneOf(name: string): Lane {
    const known = this.lanes.get(name) ?? new Lane(this.connection.backend, name);
    this.lanes.set(name, known);
    return known;
  }

  /** The book has counted it; what BullMQ does not hear of, the next worker finds in the book. */
  private async move({ job, token }: Held, { status, delayMs }: { status?: string; delayMs: number }): Promise<void> {
    try {
      if (status !== undefined) await job.moveToCompleted(status, token, false);
      else if (delayMs > 0) await job.moveToDelayed(Date.now() + delayMs, token);
      else await job.moveToWait(token);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  private async renew(): Promise<void> {
    const byLane = new Map<Lane, Held[]>();
    for (const held of this.held.values()) byLane.set(held.lane, [...(byLane.get(held.lane) ?? []), held]);
    for (const [lane, some] of byLane) {
      const locks = some.map(({ claim, token }) => ({ task: claim.task.id, token }));
      try {
        const lost = await lane.renew(locks, this.options.lease);
        for (const each of some) each.isLost ||= lost.includes(each.claim.task.id) && this.held.has(keyOf(each.claim));
      } catch {
        // The server is away: the next time tells.
      }
    }
  }

  private async recoverNow(): Promise<number> {
    let count = await this.returner.run();
    // Locks of other hosts expire; BullMQ itself looks no more often than this.
    const age = performance.now() - this.lookedAt;
    if (age < this.options.look) return count;
    this.lookedAt = performance.now();
    for (const { batch } of await this.standing.look())
      for (const { name } of batch.lanes) count += await this.laneOf(name).returnStalled();
    return count;
  }

  private changePace(provider: string, change: typeof slowed): Promise<void> {
    return this.patiently(async () => {
      const place = pacePlace(provider);
      await this.standing.look();
      // A success at full speed changes nothing.
      if (change === quickened && !this.standing.isSlowed(provider)) return;
      const running = await this.standing.runningOf(provider);
      await amend(this.book, [place], ([known]) => {
        const pace = (known as PaceDocument | undefined) ?? { atOnce: START_AT_ONCE, slowedAt: 0 };
        return { documents: [[place, change(pace, { running, now: this.options.now() })]], result: undefined };
      });
      this.standing.forget();
    });
  }
}

function keyOf({ batch, task, number }: Claim): string {
  return `${batch}/${task.id}/${number}`;
}
