/**
 * Standing: how the open batches stand, read from the server at most once a second. Between two looks a process counts its own claims, so
 * that turns between batches are exact within it and nearly so between machines.
 */

import { START_AT_ONCE } from '@castor/batch';
import type { Book } from './book.ts';
import { accountPlace, BATCHES, endedCount, NEW_ACCOUNT, pacePlace } from './documents.ts';
import type { Account, BatchDocument, PaceDocument } from './documents.ts';
import type { Lane } from './lane.ts';

export interface BatchStanding {
  batch: BatchDocument;
  account: Account;
  /** Locked jobs by lane. */
  active: Map<string, number>;
  /** Jobs that no worker has, also delayed ones. */
  waiting: number;
  /** Tasks that have begun, since the first batch. */
  served: number;
}

const FRESH_MS = 1_000;

export class Standing {
  private readonly book: Book;
  private readonly laneOf: (name: string) => Lane;
  private rows: BatchStanding[] = [];
  private paces = new Map<string, number>();
  private readAt = -Infinity;
  /** Counts what makes a look stale while it is on its way. */
  private changes = 0;
  private reading: Promise<void> | undefined;

  constructor(book: Book, laneOf: (name: string) => Lane) {
    this.book = book;
    this.laneOf = laneOf;
  }

  /** The next look goes to the server. */
  forget(): void {
    this.readAt = -Infinity;
    this.changes += 1;
    this.reading = undefined;
  }

  get isFresh(): boolean {
    const age = performance.now() - this.readAt;
    return age >= 0 && age < FRESH_MS;
  }

  /** Batches in the order in which they are served. */
  async look(): Promise<BatchStanding[]> {
    // Several claims that ask at once share one look.
    if (!this.isFresh) await (this.reading ??= this.read());
    return [...this.rows].sort(
      (one, other) =>
        other.batch.priority - one.batch.priority ||
        one.served - other.served ||
        one.batch.createdAt - other.batch.createdAt ||
        (one.batch.id < other.batch.id ? -1 : 1),
    );
  }

  async stateOf(batch: string): Promise<BatchDocument['state'] | undefined> {
    return (await this.look()).find(({ batch: { id } }) => id === batch)?.batch.state;
  }

  /** A claim of this process. */
  count({ batch }: BatchStanding, lane: string): void {
    const row = this.rows.find((each) => each.batch.id === batch.id);
    if (!row) return;
    row.served += 1;
    row.active.set(lane, (row.active.get(lane) ?? 0) + 1);
  }

  /** Whether the provider may get another task: asks the server while it is slowed down. */
  async hasRoom(provider: string): Promise<boolean> {
    const atOnce = this.paces.get(provider) ?? START_AT_ONCE;
    return !this.isSlowed(provider) || (await this.runningOf(provider)) < Math.max(1, Math.floor(atOnce));
  }

  isSlowed(provider: string): boolean {
    return (this.paces.get(provider) ?? START_AT_ONCE) < START_AT_ONCE;
  }

  async runningOf(provider: string): Promise<number> {
    const lanes = this.rows.flatMap(({ batch }) => batch.lanes.filter((lane) => lane.provider === provider));
    const counts = await Promise.all(lanes.map(({ name }) => this.laneOf(name).counts()));
    return counts.reduce((sum, { active }) => sum + active, 0);
  }

  /** Every batch, also an ended one. */
  async all(): Promise<{ batch: BatchDocument; account: Account }[]> {
    const batches = [...(await this.book.list(BATCHES)).values()].map((text) => JSON.parse(text) as BatchDocument);
    const accounts = await this.book.read(batches.map(({ id }) => accountPlace(id)));
    return batches.map((batch, index) => ({ batch, account: parse<Account>(accounts[index]) ?? NEW_ACCOUNT }));
  }

  private async read(): Promise<void> {
    const [readAt, changes] = [performance.now(), this.changes];
    try {
      await this.readNow();
      if (changes === this.changes) this.readAt = readAt;
    } finally {
      if (changes === this.changes) this.reading = undefined;
    }
  }

  private async readNow(): Promise<void> {
    const all = await this.all();
    // An ended batch needs no counts.
    const open = all.filter(({ batch, account }) => endedCount(account) < batch.total);
    this.rows = await Promise.all(
      open.map(async ({ batch, account }) => {
        const counts = await Promise.all(batch.lanes.map(({ name }) => this.laneOf(name).counts()));
        const active = new Map(batch.lanes.map(({ name }, at) => [name, counts[at]?.active ?? 0]));
        const running = counts.reduce((sum, each) => sum + each.active, 0);
        const waiting = counts.reduce((sum, each) => sum + each.waiting, 0);
        return { batch, account, active, waiting, served: batch.head + endedCount(account) + running };
      }),
    );
    const providers = [...new Set(open.flatMap(({ batch }) => batch.lanes.map(({ provider }) => provider)))];
    const paces = await this.book.read(providers.map(pacePlace));
    this.paces = new Map(
      providers.map((provider, at) => [provider, parse<PaceDocument>(paces[at])?.atOnce ?? START_AT_ONCE]),
    );
  }
}

function parse<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
