/** Lane: one BullMQ queue. It holds the tasks of a batch that need the same labels and the same provider. */

import { Queue, Worker } from 'bullmq';
import type { IQueueBackend, Job } from 'bullmq';
import type { Task } from '@castor/batch';

export interface JobData {
  batch: string;
  /** Of the task in its batch. */
  position: number;
  task: Task;
}

export type TaskJob = Job<JobData, string>;

/** Jobs that BullMQ takes in one call. */
const CHUNK = 500;
const ALL = ['wait', 'delayed', 'prioritized', 'active', 'completed', 'failed'] as const;

export class Lane {
  readonly name: string;
  private readonly backend: IQueueBackend;
  private readonly queue: Queue<JobData, string>;
  private taker: Worker<JobData, string> | undefined;

  constructor(root: IQueueBackend, name: string) {
    this.name = name;
    this.backend = root.forQueue(name);
    // The backend carries the connection: BullMQ opens none.
    const options = { connection: {}, skipMetasUpdate: true, skipVersionCheck: true };
    this.queue = new Queue(name, options, this.shared()) as unknown as Queue<JobData, string>;
    this.queue.on('error', () => undefined);
  }

  /** BullMQ's types tie a factory to one kind of server. */
  private shared(): never {
    return (() => this.backend) as never;
  }

  async add(jobs: readonly JobData[]): Promise<void> {
    for (let start = 0; start < jobs.length; start += CHUNK)
      await this.queue.addBulk(
        jobs.slice(start, start + CHUNK).map((data) => ({ name: 'task', data, opts: { jobId: idOf(data.task.id) } })),
      );
  }

  /** The next job, locked with the token. Undefined where none may start now. */
  async take(token: string): Promise<TaskJob | undefined> {
    if (!this.taker) {
      const options = { connection: {}, autorun: false, skipVersionCheck: true };
      this.taker = new Worker(this.name, null as never, options, this.shared()) as unknown as Worker<JobData, string>;
      this.taker.on('error', () => undefined);
    }
    return (await this.taker.getNextJob(token, { block: false })) as TaskJob | undefined;
  }

  /** Puts the job of a dead worker back, in its name. False when it has lost the job already. */
  async giveBackOf(task: string, token: string): Promise<boolean> {
    try {
      return (await this.backend.moveJobFromActiveToWait(idOf(task), token)) >= 0;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  /** The tasks whose lock another worker has by now. */
  async renew(held: readonly { task: string; token: string }[], lease: number): Promise<string[]> {
    const ids = held.map(({ task }) => idOf(task));
    const lost = await this.backend.extendLocks(
      ids,
      held.map(({ token }) => token),
      lease,
    );
    return held.filter(({ task }) => lost.includes(idOf(task))).map(({ task }) => task);
  }

  /** Jobs whose lock expired wait again: BullMQ looks twice, some seconds apart. */
  async returnStalled(): Promise<number> {
    return (await this.backend.moveStalledJobsToWait()).length;
  }

  async counts(): Promise<{ active: number; waiting: number }> {
    const [active = 0, ...waiting] = await this.backend.getCounts(['active', 'wait', 'delayed', 'prioritized']);
    return { active, waiting: waiting.reduce((sum, count) => sum + count, 0) };
  }

  async jobs(): Promise<TaskJob[]> {
    return (await this.queue.getJobs([...ALL], 0, -1)) as TaskJob[];
  }

  /** The job of an ended task waits again; one that never started still does. */
  async again(tasks: readonly string[]): Promise<void> {
    for (const task of tasks) {
      const job = await this.queue.getJob(idOf(task));
      if (!job || (await job.getState()) !== 'completed') continue;
      await job.retry('completed').catch((error: unknown) => {
        // Another process was faster.
        if (!isGone(error)) throw error;
      });
    }
  }

  async remove(): Promise<void> {
    await this.queue.obliterate({ force: true });
  }

  async close(): Promise<void> {
    await this.taker?.close(true);
    await this.queue.close();
  }
}

/** BullMQ takes no plain numbers as ids. */
function idOf(task: string): string {
  return `task-${task}`;
}

/** The job is not there any more, or belongs to another worker. */
export function isGone(error: unknown): boolean {
  return /lock|missing|not in the .* state|not found/i.test(error instanceof Error ? error.message : '');
}
