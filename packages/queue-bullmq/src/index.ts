/** The distributed engine of `castor batch`: BullMQ on Redis, Valkey or Postgres. */

export { openQueue } from './open-queue.ts';
export type { QueueOptions } from './open-queue.ts';
