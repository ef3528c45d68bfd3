/** Whole batches on the server: submitting, showing, cancelling, running again, removing. */

import { byPriority, unrunResult } from '@castor/batch';
import type { BatchState, BatchStatus, NewBatch, TaskResult, TaskStatus } from '@castor/batch';
import { amend } from './book.ts';
import type { Book, Place } from './book.ts';
import { accountPlace, BATCHES, batchPlace, endedCount, endTask, lanesOf, NEW_ACCOUNT, NEW_TASK } from './documents.ts';
import { resultPlace, resultShelf, spentBy, taskPlace } from './documents.ts';
import type { Account, BatchDocument, TaskDocument } from './documents.ts';
import type { Lane, TaskJob } from './lane.ts';
import type { Standing } from './standing.ts';

export interface KeeperParts {
  book: Book;
  standing: Standing;
  laneOf: (name: string) => Lane;
  now: () => number;
}

/** Tasks that one write of the book changes. */
const CHUNK = 100;

export class BatchKeeper {
  private readonly parts: KeeperParts;

  constructor(parts: KeeperParts) {
    this.parts = parts;
  }

  /** The jobs first, the batch last: what a killed submitter left is never seen. */
  async submit({ id, title, tasks: given, options, limits, priority }: NewBatch): Promise<void> {
    const { book, standing, laneOf, now } = this.parts;
    const known = await book.read([batchPlace(id)]);
    // The answer to an earlier attempt was lost.
    if (known[0] !== undefined) return;
    const tasks = byPriority(given);
    const lanes = lanesOf(id, tasks);
    for (const { lane, positions } of lanes)
      await laneOf(lane.name).add(positions.flatMap((position) => jobOf(id, position, tasks[position])));
    standing.forget();
    const others = (await standing.look()).filter(({ batch }) => batch.state === 'open');
    const head = others.length > 0 ? Math.min(...others.map(({ served }) => served)) : 0;
    const batch: BatchDocument = {
      ...{ id, title, createdAt: now(), state: 'open', priority, options, limits },
      ...{ total: tasks.length, lanes: lanes.map(({ lane }) => lane), head },
    };
    await amend(book, [batchPlace(id), accountPlace(id)], () => ({
      documents: [
        [batchPlace(id), batch],
        [accountPlace(id), NEW_ACCOUNT],
      ],
      result: undefined,
    }));
    standing.forget();
  }

  /** Of all batches, or of one. */
  async statuses(only?: string): Promise<BatchStatus[]> {
    const { standing, laneOf } = this.parts;
    const known = (await standing.all()).filter(({ batch: { id } }) => only === undefined || id === only);
    const all = known.sort(
      (one, other) => one.batch.createdAt - other.batch.createdAt || (one.batch.id < other.batch.id ? -1 : 1),
    );
    return Promise.all(
      all.map(async ({ batch, account }) => {
        const { id, title, createdAt, state, priority, options, limits, total } = batch;
        const left = total - endedCount(account);
        const counts = left > 0 ? await Promise.all(batch.lanes.map(({ name }) => laneOf(name).counts())) : [];
        // A job whose result is counted may stay locked for a moment.
        const running = Math.min(
          left,
          counts.reduce((sum, { active }) => sum + active, 0),
        );
        return {
          ...{ id, title, createdAt, state, priority, options, limits, total, running, waiting: left - running },
          ended: account.ended,
          spent: { cost: account.spent.isCostKnown ? account.spent.cost : null, tokens: account.spent.tokens },
        };
      }),
    );
  }

  async tasks(batch: string): Promise<TaskStatus[]> {
    const { book } = this.parts;
    const found = await this.find(batch);
    if (!found) return [];
    const jobs = await this.jobsOf(found);
    const [documents, results] = [await book.list(batch), await book.list(resultShelf(batch))];
    return jobs.map(({ data: { task } }) => {
      const document = parse<TaskDocument>(documents.get(taskPlace(batch, task.id).key)) ?? NEW_TASK;
      const result = document.result === undefined ? undefined : results.get(resultPlace(batch, document.result).key);
      return {
        task,
        state: document.status !== undefined ? 'done' : document.isOpen ? 'running' : 'waiting',
        startedAt: document.startedAt,
        failedTries: document.failedTries,
        result: parse<TaskResult>(result),
      };
    });
  }

  async results(batch: string, after: number): Promise<TaskResult[]> {
    const { book } = this.parts;
    const account = parse<Account>((await book.read([accountPlace(batch)]))[0]);
    if (!account) return [];
    if (account.gaps > 0) {
      const all = [...(await book.list(resultShelf(batch)))].sort(([one], [other]) => (one < other ? -1 : 1));
      return all.slice(after).map(([, text]) => JSON.parse(text) as TaskResult);
    }
    const numbers = Array.from({ length: Math.max(0, account.last - after) }, (_, index) => after + index + 1);
    const texts = await book.read(numbers.map((number) => resultPlace(batch, number)));
    return texts.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as TaskResult]));
  }

  async change(batch: string, state: BatchState): Promise<void> {
    const { book, standing } = this.parts;
    const place = batchPlace(batch);
    const found = await amend<BatchDocument | undefined>(book, [place], ([known]) => {
      const document = known as BatchDocument | undefined;
      return { documents: document ? [[place, { ...document, state }]] : [], result: document };
    });
    standing.forget();
    if (found && state === 'cancelled') await this.endWaiting(found, 'cancelled');
  }

  /** Every task that no worker has ends with a result that says why. Its job finds that out when it is taken. */
  async endWaiting(batch: BatchDocument, status: 'cancelled' | 'budget'): Promise<void> {
    const { now } = this.parts;
    const tasks = (await this.jobsOf(batch)).map(({ data }) => data.task.id);
    await this.inChunks(batch.id, tasks, (some, account) => {
      let sums = account;
      const documents: [Place, object][] = [];
      for (const [id, known] of some) {
        if (known.isOpen || known.status !== undefined) continue;
        const { failedTries, interruptions } = known;
        const result = unrunResult(status, { id, spent: spentBy(known), failedTries, interruptions, now: now() });
        const ended = endTask(sums, known, result);
        sums = ended.sums;
        documents.push([taskPlace(batch.id, id), ended.document], [resultPlace(batch.id, sums.last), result]);
      }
      return { documents, sums };
    });
  }

  async retry(batch: string, ids?: readonly string[]): Promise<number> {
    const { laneOf, standing } = this.parts;
    const found = await this.find(batch);
    if (!found) return 0;
    const again: string[] = [];
    const wanted = ids ?? (await this.jobsOf(found)).map(({ data }) => data.task.id);
    await this.inChunks(batch, wanted, (some, account) => {
      let sums = account;
      const documents: [Place, object | undefined][] = [];
      for (const [id, known] of some) {
        if (known.status === undefined || known.result === undefined) continue;
        if (!ids && known.status === 'success') continue;
        again.push(id);
        const ended = { ...sums.ended, [known.status]: (sums.ended[known.status] ?? 1) - 1 };
        sums = { ...sums, gaps: sums.gaps + 1, ended: withoutZeros(ended) };
        const { claim, spent } = known;
        documents.push(
          [taskPlace(batch, id), { ...NEW_TASK, claim, spent }],
          [resultPlace(batch, known.result), undefined],
        );
      }
      return { documents, sums };
    });
    const unique = new Set(again);
    for (const { name } of found.lanes) await laneOf(name).again([...unique]);
    if (unique.size > 0) await this.change(batch, 'open');
    standing.forget();
    return unique.size;
  }

  /**
   * Tasks without a result whose jobs BullMQ has completed wait again: `retry` came between a result in the book and the end of its job.
   * True when there were some.
   */
  async mend(batch: BatchDocument): Promise<boolean> {
    const { book, laneOf, standing } = this.parts;
    const documents = await book.list(batch.id);
    const isOpen = (task: string) =>
      parse<TaskDocument>(documents.get(taskPlace(batch.id, task).key))?.status === undefined;
    const open = (await this.jobsOf(batch)).map(({ data }) => data.task.id).filter(isOpen);
    for (const { name } of batch.lanes) await laneOf(name).again(open);
    standing.forget();
    return open.length > 0;
  }

  async remove(batch: string): Promise<void> {
    const { book, laneOf, standing } = this.parts;
    const found = await this.find(batch);
    const text = found && (await book.read([batchPlace(batch)]))[0];
    if (text !== undefined) await book.write([{ ...batchPlace(batch), before: text, after: undefined }]);
    for (const { name } of found?.lanes ?? []) await laneOf(name).remove();
    for (const shelf of [batch, resultShelf(batch)]) await book.drop(shelf);
    standing.forget();
  }

  private async find(batch: string): Promise<BatchDocument | undefined> {
    return parse<BatchDocument>((await this.parts.book.read([{ shelf: BATCHES, key: batch }]))[0]);
  }

  private async jobsOf({ lanes }: BatchDocument): Promise<TaskJob[]> {
    const all = (await Promise.all(lanes.map(({ name }) => this.parts.laneOf(name).jobs()))).flat();
    return all.sort((one, other) => one.data.position - other.data.position);
  }

  private async inChunks(
    batch: string,
    tasks: readonly string[],
    decide: (
      some: readonly (readonly [string, TaskDocument])[],
      account: Account,
    ) => { documents: [Place, object | undefined][]; sums: Account },
  ): Promise<void> {
    const { book } = this.parts;
    for (let start = 0; start < tasks.length; start += CHUNK) {
      const some = tasks.slice(start, start + CHUNK);
      const places = [accountPlace(batch), ...some.map((id) => taskPlace(batch, id))];
      await amend(book, places, ([account, ...known]) => {
        const pairs = some.map((id, at) => [id, (known[at] as TaskDocument | undefined) ?? NEW_TASK] as const);
        const { documents, sums } = decide(pairs, (account as Account | undefined) ?? NEW_ACCOUNT);
        return {
          documents: documents.length > 0 ? [[accountPlace(batch), sums], ...documents] : [],
          result: undefined,
        };
      });
    }
  }
}

function jobOf(batch: string, position: number, task: NewBatch['tasks'][number] | undefined) {
  return task ? [{ batch, position, task }] : [];
}

function withoutZeros(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

function parse<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
