/**
 * Claiming: from a free place of a worker to a task that it may run. BullMQ locks the job; the book gives the claim its number and the
 * task its reserve. A task whose folder is on another machine is left to it for a while.
 */

import { abandonedResult, isPoisoned, reserveFor } from '@castor/batch';
import type { Claim, Claimed, Reserve, Spending, WorkerIdentity } from '@castor/batch';
import { amend } from './book.ts';
import type { Amendment, Book, Place } from './book.ts';
import {
  account as addSpending,
  accountPlace,
  endedCount,
  endTask,
  holdPlace,
  NEW_ACCOUNT,
  NEW_TASK,
  reservedSum,
} from './documents.ts';
import { resultPlace, spentBy, taskPlace } from './documents.ts';
import type { Account, BatchDocument, HoldDocument, TaskDocument } from './documents.ts';
import type { Holder } from './holder.ts';
import type { Lane, TaskJob } from './lane.ts';
import type { BatchStanding, Standing } from './standing.ts';

export interface ClaimingParts {
  book: Book;
  standing: Standing;
  holder: Holder;
  laneOf: (name: string) => Lane;
  now: () => number;
  /** How long the machine of a begun task has to come back. */
  grace: number;
  /** Ends the waiting tasks of a batch whose budget is spent. */
  endWaiting: (batch: BatchDocument) => Promise<void>;
  /** What a task has spent on this machine, also where its worker died before it told. */
  spentHere: (batch: string, task: string) => Spending;
  /** Puts the jobs of a batch back that have ended without a result of their tasks. */
  mend: (batch: BatchDocument) => Promise<boolean>;
  /** Puts back what dead workers held. */
  recover: () => Promise<number>;
}

export interface Taken {
  claim: Claim;
  job: TaskJob;
  lane: Lane;
  token: string;
}

const WAIT = { kind: 'wait', delayMs: 1_000 } as const;
/** A task that waits for its own machine is looked at again after this. */
const LEFT_TO_OTHER_MS = 1_000;

export class Claiming {
  private readonly parts: ClaimingParts;

  constructor(parts: ClaimingParts) {
    this.parts = parts;
  }

  async next(worker: WorkerIdentity, only: string | undefined): Promise<Taken | Exclude<Claimed, { kind: 'claim' }>> {
    const { standing, recover, mend } = this.parts;
    const isKnown = standing.isFresh;
    // The dead are looked for as often as the batches are read: what they held waits again, and counts as running no longer.
    if (!isKnown && (await recover()) > 0) standing.forget();
    const found = await this.pass(worker, only);
    if (found) return found;
    // Another process may have submitted or returned something, or died, since the last look.
    if (isKnown) {
      await recover();
      standing.forget();
      const second = await this.pass(worker, only);
      if (second) return second;
    }
    const rows = await standing.look();
    const chosen = rows.filter(({ batch }) => only === undefined || batch.id === only);
    const stuck = chosen.find((row) => row.waiting === 0 && runningIn(row.active) === 0 && isUnended(row));
    if (stuck && (await mend(stuck.batch))) return (await this.pass(worker, only)) ?? WAIT;
    const isBusy = chosen.some((row) => isUnended(row) && (row.batch.state === 'open' || runningIn(row.active) > 0));
    return isBusy ? WAIT : { kind: 'idle' };
  }

  private async pass(worker: WorkerIdentity, only: string | undefined): Promise<Taken | undefined> {
    const { standing } = this.parts;
    for (const row of await standing.look()) {
      const { batch } = row;
      if (batch.state !== 'open' || (only !== undefined && batch.id !== only)) continue;
      if (!(await this.hasBudget(row))) continue;
      for (const lane of batch.lanes) {
        if (!lane.labels.every((label) => worker.labels.includes(label))) continue;
        if (!(await standing.hasRoom(lane.provider))) continue;
        const taken = await this.take(row, this.parts.laneOf(lane.name), worker);
        if (taken === 'budget') break;
        if (taken) return taken;
      }
    }
    return undefined;
  }

  /** False when nothing may start: then the batch ends, or a running task may still leave something. */
  private async hasBudget({ batch, active }: BatchStanding): Promise<boolean> {
    if (!isLimited(batch)) return true;
    const [text] = await this.parts.book.read([accountPlace(batch.id)]);
    const account = text === undefined ? NEW_ACCOUNT : (JSON.parse(text) as Account);
    const reserve = this.reserve(batch, account, {}, runningIn(active));
    if (reserve !== 'spent') return reserve !== 'wait';
    // A dead worker's reserve is free again when its task is taken.
    if (Object.keys(account.reserved).some((key) => !key.includes('@'))) return true;
    await this.parts.endWaiting(batch);
    this.parts.standing.forget();
    return false;
  }

  private reserve(batch: BatchDocument, account: Account, own: object, running: number): Reserve | 'wait' | 'spent' {
    const ended = endedCount(account);
    const totals = { running, ended, waiting: Math.max(0, batch.total - ended - running) };
    const spent = { cost: account.spent.cost, tokens: account.spent.tokens };
    return reserveFor(own, batch.limits, { ...totals, spent, reserved: reservedSum(account) }, this.parts.now());
  }

  private async take(row: BatchStanding, lane: Lane, { id }: WorkerIdentity): Promise<Taken | 'budget' | undefined> {
    const { holder, standing } = this.parts;
    const token = `${holder.token}/${id}`;
    for (;;) {
      const job = await lane.take(token);
      if (!job) return undefined;
      const begun = await this.begin(row, lane, job, token);
      if (begun.kind === 'claim') {
        standing.count(row, lane.name);
        return { claim: begun.claim, job, lane, token };
      }
      standing.forget();
      if (begun.kind === 'ended') await job.moveToCompleted(begun.status, token, false);
      else if (begun.kind === 'elsewhere') await job.moveToDelayed(Date.now() + LEFT_TO_OTHER_MS, token);
      else {
        await job.moveToWait(token);
        return 'budget';
      }
    }
  }

  private async begin({ batch, active }: BatchStanding, lane: Lane, job: TaskJob, token: string): Promise<Begun> {
    const { book, holder } = this.parts;
    const { task } = job.data;
    const places = [
      taskPlace(batch.id, task.id),
      accountPlace(batch.id),
      holdPlace(holder.host, batch.id, task.id),
    ] as const;
    return amend<Begun>(book, places, ([known, sums]) => {
      const document = (known as TaskDocument | undefined) ?? NEW_TASK;
      const account = (sums as Account | undefined) ?? NEW_ACCOUNT;
      const hold: HoldDocument = {
        ...{ lane: lane.name, batch: batch.id, task: task.id, token, pid: holder.pid, started: holder.started },
      };
      return this.decide({ batch, job, document, account, places, hold, running: runningIn(active) });
    });
  }

  private decide({ batch, job, document, account, places, hold, running }: Beginning): Amendment<Begun> {
    const { holder, now, grace } = this.parts;
    const { task } = job.data;
    const [taskAt, accountAt, holdAt] = places;
    // Its result is there, and the worker died before it told BullMQ.
    if (document.status !== undefined) return { documents: [], result: { kind: 'ended', status: document.status } };
    const deaths = document.isOpen ? 1 : 0;
    const interruptions = document.interruptions + deaths;
    const crashes = document.crashes + deaths;
    if (isPoisoned(crashes, task.tries)) {
      const { failedTries } = document;
      const counted = this.withSpending(batch.id, task.id, { document, sums: account });
      const spent = spentBy(counted.document);
      const result = abandonedResult(crashes, { id: task.id, spent, failedTries, interruptions, now: now() });
      const ended = endTask(counted.sums, counted.document, result);
      const at = resultPlace(batch.id, ended.sums.last);
      const documents = [
        [taskAt, ended.document],
        [accountAt, ended.sums],
        [at, result],
      ] as const;
      return { documents, result: { kind: 'ended', status: result.status } };
    }
    const isElsewhere = document.machine !== undefined && document.machine !== holder.machine;
    if (isElsewhere && (document.keptUntil ?? Infinity) > now()) {
      const keptUntil = document.keptUntil ?? now() + grace;
      return { documents: [[taskAt, { ...document, keptUntil }]], result: { kind: 'elsewhere' } };
    }
    const held = freed(account, task.id, isElsewhere ? document.machine : undefined);
    const reserve = this.reserve(batch, held, task.limits, running);
    if (reserve === 'wait' || reserve === 'spent')
      return { documents: [[accountAt, held]], result: { kind: 'budget' } };
    const number = document.claim + 1;
    const claim: Claim = {
      ...{ batch: batch.id, task, options: batch.options, number, failedTries: document.failedTries, interruptions },
      ...{ isContinued: document.machine !== undefined, reserved: reserve },
    };
    const begun: TaskDocument = {
      ...document,
      ...{ claim: number, isOpen: true, machine: holder.machine, keptUntil: undefined, interruptions, crashes },
      startedAt: document.startedAt ?? now(),
    };
    const { cost = 0, tokens = 0 } = reserve;
    const sums = { ...held, reserved: { ...held.reserved, [task.id]: { cost, tokens } } };
    const counted = isLimited(batch) ? ([[accountAt, sums]] as const) : [];
    return { documents: [[taskAt, begun], [holdAt, hold], ...counted], result: { kind: 'claim', claim } };
  }

  /** Counts what the workers that died on this machine had spent: none will tell it. */
  private withSpending(batch: string, task: string, known: { document: TaskDocument; sums: Account }) {
    const { machine } = this.parts.holder;
    const spent = this.parts.spentHere(batch, task);
    const told = known.document.spent[machine] ?? { cost: 0, tokens: 0 };
    return spent.tokens > told.tokens ? addSpending(known.sums, known.document, { task, machine, spent }) : known;
  }
}

interface Beginning {
  batch: BatchDocument;
  job: TaskJob;
  document: TaskDocument;
  account: Account;
  places: readonly [Place, Place, Place];
  hold: HoldDocument;
  running: number;
}

type Begun =
  | { kind: 'claim'; claim: Claim }
  | { kind: 'ended'; status: string }
  /** The machine that began it may come back. */
  | { kind: 'elsewhere' }
  | { kind: 'budget' };

/** Without the reserve of the last claim. What a lost machine may have spent of it stays reserved until it tells. */
function freed(account: Account, task: string, lost: string | undefined): Account {
  const { [task]: reserve, ...reserved } = account.reserved;
  if (!reserve) return account;
  return { ...account, reserved: lost === undefined ? reserved : { ...reserved, [`${task}@${lost}`]: reserve } };
}

function runningIn(active: ReadonlyMap<string, number>): number {
  return [...active.values()].reduce((sum, count) => sum + count, 0);
}

function isUnended({ batch, account }: BatchStanding): boolean {
  return endedCount(account) < batch.total;
}

function isLimited({ limits }: BatchDocument): boolean {
  return limits.cost !== undefined || limits.tokens !== undefined || limits.deadline !== undefined;
}
