/**
 * A worker: claims tasks while it has a free place, runs each, and settles it. It yields what happens. `stop` lets running tasks finish,
 * `cancel` ends them; both leave the queue complete.
 */

import type { BatchEngine, Claim, Settlement, WorkerIdentity } from './engine.ts';
import { openStarter } from './open-starter.ts';
import type { TaskContext, TaskProgress } from './run-task.ts';
import { runTask } from './run-task.ts';
import { spentByTask } from './spent-by-task.ts';
import type { TaskResult } from './task-result.ts';

export interface WorkerOptions extends Pick<TaskContext, 'program' | 'environment' | 'isKept' | 'machine'> {
  engine: BatchEngine;
  identity: WorkerIdentity;
  concurrency: number;
  /** Only tasks of this batch. Without it the worker serves all. */
  batch?: string | undefined;
  /** Goes on waiting for tasks when none is left. */
  isPermanent?: boolean | undefined;
  /** For castor, on this machine; left out where the batch has decided. */
  sandboxFlags?: readonly string[] | undefined;
  /** The folder of a batch on this machine, where it is not the submitter's. */
  directoryOf?: ((batch: string) => string) | undefined;
  /** A user looks at what happens inside a task. */
  isWatched?: boolean | undefined;
  stop: AbortSignal;
  cancel: AbortSignal;
}

export type WorkerEvent =
  | { type: 'started'; batch: string; task: string; isContinued: boolean }
  | { type: 'progress'; batch: string; task: string; progress: TaskProgress }
  | { type: 'overload'; batch: string; task: string }
  | { type: 'again'; batch: string; task: string }
  | { type: 'returned'; batch: string; task: string; delayMs: number }
  | { type: 'ended'; batch: string; result: TaskResult }
  /** Another worker has taken the task over: its result did not count here. */
  | { type: 'lost'; batch: string; task: string }
  /** Other batches have the places of this machine. Told once. */
  | { type: 'crowded'; batch: string };

/** How often a worker looks whether a batch was cancelled by another process. */
const LOOK_MS = 1_000;

export async function* work(options: WorkerOptions): AsyncGenerator<WorkerEvent, void> {
  const { engine, identity, concurrency, batch, isPermanent, stop } = options;
  const running = new Map<string, Running>();
  const events: WorkerEvent[] = [];
  const bell = new Bell();
  const starter = openStarter(options.environment);
  let lookedAt = -Infinity;
  let hasTold = false;
  let failure: { error: unknown } | undefined;
  const post = (event: WorkerEvent) => {
    events.push(event);
    bell.ring();
  };
  stop.addEventListener('abort', () => bell.ring(), { once: true });
  try {
    for (;;) {
      yield* events.splice(0);
      // The queue cannot be written: what runs is interrupted, and stays claimable.
      if (failure) throw failure.error;
      let delayMs = LOOK_MS;
      let isIdle = true;
      while (!stop.aborted && hasPlace()) {
        const claimed = await engine.claim(identity, batch);
        if (claimed.kind !== 'claim') {
          isIdle = claimed.kind === 'idle';
          if (claimed.kind === 'wait') delayMs = waitFor(claimed);
          break;
        }
        start(local(claimed.claim, options));
        yield* events.splice(0);
      }
      if (events.length > 0) continue;
      if (running.size === 0 && (stop.aborted || (isIdle && !isPermanent))) return;
      await bell.wait(delayMs);
      await endWhatIsTaken();
    }
  } finally {
    for (const { controller } of running.values()) controller.abort();
    await Promise.all([...running.values()].map(({ done }) => done));
    starter.close();
  }

  /** A task whose program has ended takes no place, unless many wait for git or the disk. */
  function hasPlace(): boolean {
    const working = [...running.values()].filter((each) => each.isWorking).length;
    return working < concurrency && running.size < 2 * concurrency;
  }

  function waitFor({ delayMs, isCrowded = false }: { delayMs: number; isCrowded?: boolean }): number {
    if (isCrowded && running.size === 0 && !hasTold) {
      hasTold = true;
      post({ type: 'crowded', batch: batch ?? '' });
    }
    return delayMs;
  }

  async function endWhatIsTaken(): Promise<void> {
    if (performance.now() - lookedAt < LOOK_MS) return;
    lookedAt = performance.now();
    for (const each of running.values()) if (!(await engine.isHeld(each.claim))) each.controller.abort();
  }

  function start(claim: Claim): void {
    const { batch: of, task } = claim;
    const controller = new AbortController();
    const end = () => controller.abort();
    if (options.cancel.aborted) end();
    options.cancel.addEventListener('abort', end, { once: true });
    const key = `${of}/${task.id}`;
    post({ type: 'started', batch: of, task: task.id, isContinued: claim.isContinued });
    const entry: Running = { claim, controller, isWorking: true, done: Promise.resolve() };
    const onWorked = () => {
      // The next task would get the less of the budget, the more of it this one has not returned yet.
      if (claim.reserved.cost !== undefined || claim.reserved.tokens !== undefined) return;
      entry.isWorking = false;
      bell.ring();
    };
    running.set(key, entry);
    entry.done = runOne(claim, controller.signal, onWorked)
      .catch((error: unknown) => void (failure ??= { error }))
      .finally(() => {
        options.cancel.removeEventListener('abort', end);
        if (running.get(key) === entry) running.delete(key);
        bell.ring();
      });
  }

  async function runOne(claim: Claim, signal: AbortSignal, onWorked: () => void): Promise<void> {
    const { batch: of, task } = claim;
    const settlement = await runTask(claim, {
      ...{ program: options.program, environment: options.environment, machine: options.machine },
      ...{ starter, isKept: options.isKept ?? false, signal, onWorked },
      onProgress: (progress) => {
        if (options.isWatched) post({ type: 'progress', batch: of, task: task.id, progress });
      },
      onOverload: () => {
        void engine.slowDown(claim);
        post({ type: 'overload', batch: of, task: task.id });
      },
    }).catch((error: unknown) => giveBack(claim, error));
    if (!(await engine.settle(claim, settlement))) return post({ type: 'lost', batch: of, task: task.id });
    if (settlement.kind === 'result' && settlement.result.status === 'success') await engine.speedUp(claim);
    return post(toEvent(claim, settlement));
  }

  /** The disk is full, which is no death of a worker; a queue on the same disk may have to take it for one. */
  async function giveBack(claim: Claim, error: unknown): Promise<never> {
    const spent = spentByTask(claim.options.directory, claim.task.id);
    await engine.settle(claim, { kind: 'return', spent, delayMs: 0 }).catch(() => false);
    throw error;
  }
}

interface Running {
  claim: Claim;
  controller: AbortController;
  /** Its program or its check runs, or is prepared. */
  isWorking: boolean;
  done: Promise<void>;
}

/** The claim with what this machine decides: the folder, the sandbox. */
function local(claim: Claim, { directoryOf, sandboxFlags = [] }: WorkerOptions): Claim {
  const { options, batch } = claim;
  const isDecided = options.flags.some((flag) => /^(-s|--(no-)?sandbox(=.*)?)$/.test(flag));
  const isAdded = !isDecided && sandboxFlags.length > 0;
  const flags = isAdded ? [...options.flags, ...sandboxFlags] : options.flags;
  const directory = directoryOf?.(batch) ?? options.directory;
  return { ...claim, options: { ...options, flags, directory, isSandboxAdded: isAdded } };
}

function toEvent({ batch, task }: Claim, settlement: Settlement): WorkerEvent {
  switch (settlement.kind) {
    case 'result':
      return { type: 'ended', batch, result: settlement.result };
    case 'again':
      return { type: 'again', batch, task: task.id };
    case 'return':
      return { type: 'returned', batch, task: task.id, delayMs: settlement.delayMs };
  }
}

/** Waits for a ring, or for a time. A ring before the wait counts. */
class Bell {
  private wake: (() => void) | undefined;
  private hasRung = false;

  ring(): void {
    this.hasRung = true;
    this.wake?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.hasRung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
    }
    this.wake = undefined;
    this.hasRung = false;
  }
}
