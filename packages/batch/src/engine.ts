/**
 * The contract of an engine: a durable queue of tasks that several workers share. A task is claimed by one worker at a time
 * and ends with exactly one result; what a dead worker held is claimed again. test: `engine-contract.fixture.ts`.
 */

import type { Artifacts } from './publish.ts';
import type { Task } from './task.ts';
import type { TaskResult } from './task-result.ts';

/** How the program runs every task of a batch. */
export interface RunOptions {
  /** Flags for `castor`, such as `--approval-mode auto_edit`. */
  flags: string[];
  /** The worker added the flag of the sandbox; the user asked for none. */
  isSandboxAdded?: boolean | undefined;
  /** Works in the folder itself instead of a worktree. */
  isInPlace: boolean;
  /** The folder of the batch's results. A worker of a queue on a server uses its own. */
  directory: string;
  /** Where the files of ended tasks go beside it. */
  artifacts?: Artifacts | undefined;
}

export interface BatchLimits {
  /** US dollars over all tasks. */
  cost?: number | undefined;
  tokens?: number | undefined;
  /** Milliseconds since the epoch after which no task starts. */
  deadline?: number | undefined;
}

export interface NewBatch {
  id: string;
  title: string;
  tasks: readonly Task[];
  options: RunOptions;
  limits: BatchLimits;
  /** Batches of a higher one go first; equal ones take turns. */
  priority: number;
}

export interface WorkerIdentity {
  id: string;
  labels: readonly string[];
  /** How many tasks the batches of this machine may run at once between them, for a worker of one batch that shares them. */
  places?: number | undefined;
}

/** A task that a worker may run now. The engine accepts its result only while the claim is valid. */
export interface Claim {
  batch: string;
  task: Task;
  options: RunOptions;
  /** Distinguishes this claim from earlier ones of the same task. */
  number: number;
  /** Tries that ended, each with a failure. */
  failedTries: number;
  /** How often a worker died with the task. */
  interruptions: number;
  /** Set when a worker had begun this try: its session and folder may be there. */
  isContinued: boolean;
  /** The amounts the task may spend; undefined without a limit. */
  reserved: { cost?: number | undefined; tokens?: number | undefined };
}

export interface Spending {
  /** Null where a price is unknown. */
  cost: number | null;
  tokens: number;
}

/**
 * What a claim ended with: a result, or another turn in the queue. `spent` is the total of the task up to now, so that it counts
 * once however often it is told.
 */
export type Settlement =
  | { kind: 'result'; result: TaskResult; spent: Spending }
  /** A try failed and another one is left. */
  | { kind: 'again'; spent: Spending }
  /** Neither a result nor a failed try: the model was overloaded, the reserve was spent, the worker stops. */
  | { kind: 'return'; spent: Spending; delayMs: number };

/** The answer to a worker that asks for work. */
export type Claimed =
  | { kind: 'claim'; claim: Claim }
  /** Nothing may start now; ask again after the time, or when a task ends. `isCrowded`: other batches have the places of this machine. */
  | { kind: 'wait'; delayMs: number; isCrowded?: boolean }
  /** No task is waiting or running. */
  | { kind: 'idle' };

export type BatchState = 'open' | 'stopping' | 'cancelled';

export interface BatchStatus {
  id: string;
  title: string;
  createdAt: number;
  state: BatchState;
  priority: number;
  options: RunOptions;
  limits: BatchLimits;
  total: number;
  waiting: number;
  running: number;
  /** Ended tasks by the status of their result. */
  ended: Readonly<Record<string, number>>;
  spent: Spending;
}

export interface TaskStatus {
  task: Task;
  state: 'waiting' | 'running' | 'done';
  startedAt: number | undefined;
  failedTries: number;
  result: TaskResult | undefined;
}

export interface BatchEngine {
  submit(batch: NewBatch): Promise<void>;
  /** All, or the named one: a database may hold many batches of many tasks. */
  batches(only?: string): Promise<BatchStatus[]>;
  tasks(batch: string): Promise<TaskStatus[]>;
  /** Results in the order in which they came, after the given number of them. */
  results(batch: string, after: number): Promise<TaskResult[]>;
  /** Only of the named batch, where one is named. */
  claim(worker: WorkerIdentity, batch?: string): Promise<Claimed>;
  /** False when the claim is no longer valid: the settlement did not count. */
  settle(claim: Claim, settlement: Settlement): Promise<boolean>;
  /** False when the batch was cancelled or removed, or another worker has the task: it need not go on. */
  isHeld(claim: Claim): Promise<boolean>;
  /** Fewer tasks at once for the provider of this claim, on all workers. */
  slowDown(claim: Claim): Promise<void>;
  /** A task went through: the provider may get more at once again. */
  speedUp(claim: Claim): Promise<void>;
  /** Puts what dead workers held back into the queue. */
  recover(): Promise<number>;
  /** `stopping` starts no further task; `cancelled` also ends the waiting ones with a result. */
  change(batch: string, state: BatchState): Promise<void>;
  /** Ended tasks wait again with all their tries; without ids, all that did not succeed. Returns their number. */
  retry(batch: string, ids?: readonly string[]): Promise<number>;
  remove(batch: string): Promise<void>;
  close(): Promise<void>;
}
