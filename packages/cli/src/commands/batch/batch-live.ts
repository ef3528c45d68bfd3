/**
 * Shows a batch while it runs: in a terminal a few rows that are rewritten in place, each running task with its step; elsewhere one
 * line for each thing that happened. Everything goes to stderr: stdout belongs to the results.
 */

import { isatty } from 'node:tty';
import type { BatchStatus, TaskProgress, TaskResult, TaskStatus, WorkerEvent } from '@castor/batch';
import { countOf } from '@castor/core/program';
import type { Output } from '../../output.ts';
import { readableDuration } from '../../readable-numbers.ts';
import { describeForecast, describeProgress, describeResult } from './batch-text.ts';

export interface BatchView {
  /** Whether it shows progress inside a task. */
  readonly isLive: boolean;
  begin(status: BatchStatus, results: readonly TaskResult[]): Promise<void>;
  show(event: WorkerEvent, status: BatchStatus): Promise<void>;
  /** How the batch stands now; with its tasks, where other processes run them. */
  update(status: BatchStatus, tasks?: readonly TaskStatus[]): void;
  say(sentence: string): void;
  end(): void;
}

interface ViewOptions {
  output: Pick<Output, 'note'>;
  id: string;
  atOnce: number;
  /** Another program reads the results. */
  isQuiet: boolean;
}

export function openView(options: ViewOptions): BatchView {
  return isatty(2) && !options.isQuiet && process.env['TERM'] !== 'dumb'
    ? new LiveView(options)
    : new PlainView(options);
}

class PlainView implements BatchView {
  readonly isLive = false;
  private readonly options: ViewOptions;

  constructor(options: ViewOptions) {
    this.options = options;
  }

  async begin(status: BatchStatus): Promise<void> {
    this.options.output.note(`castor: batch ${status.id}: ${describeProgress(status)}`);
  }

  async show(event: WorkerEvent, status: BatchStatus): Promise<void> {
    const line = describeEvent(event);
    if (line !== undefined)
      this.options.output.note(event.type === 'ended' ? `${line} (${describeProgress(status)})` : line);
  }

  update(): void {}

  say(sentence: string): void {
    this.options.output.note(`castor: ${sentence}`);
  }

  end(): void {}
}

/** Undefined for what only a live view shows. */
export function describeEvent(event: WorkerEvent): string | undefined {
  switch (event.type) {
    case 'ended':
      return describeResult(event.result);
    case 'again':
      return `↻ ${event.task}  the try failed; it is tried again`;
    case 'overload':
      return `… ${event.task}  the provider is overloaded; fewer tasks at once`;
    case 'returned':
      return `… ${event.task}  back in the queue`;
    case 'lost':
      return `… ${event.task}  another worker has taken it over`;
    case 'started':
      return event.isContinued ? `→ ${event.task}  continued` : undefined;
    case 'crowded':
      return '… other batches have the places of this machine; tasks start when one is free';
    case 'progress':
      return undefined;
  }
}

const STEPS: Readonly<Record<TaskProgress['step'], string>> = {
  preparing: 'preparing',
  running: 'running',
  checking: 'checking',
};
const MAX_ROWS = 12;
const PAINT_MS = 100;

class LiveView implements BatchView {
  readonly isLive = true;
  private readonly options: ViewOptions;
  private readonly running = new Map<string, { since: number; progress?: TaskProgress }>();
  private readonly results: TaskResult[] = [];
  private atOnce: number;
  private status: BatchStatus | undefined;
  private rows = 0;
  private timer: NodeJS.Timeout | undefined;
  private soon: NodeJS.Timeout | undefined;

  constructor(options: ViewOptions) {
    this.options = options;
    this.atOnce = options.atOnce;
  }

  async begin(status: BatchStatus, results: readonly TaskResult[]): Promise<void> {
    this.status = status;
    this.results.push(...results);
    this.timer = setInterval(() => this.paint(), 1_000);
    this.timer.unref();
    this.paint();
  }

  async show(event: WorkerEvent, status: BatchStatus): Promise<void> {
    this.status = status;
    if (event.type === 'started') this.running.set(event.task, { since: Date.now() });
    else if (event.type === 'progress') {
      const known = this.running.get(event.task);
      if (known) known.progress = event.progress;
    } else if (event.type === 'ended') {
      this.running.delete(event.result.id);
      this.results.push(event.result);
    } else if (event.type !== 'overload' && event.type !== 'crowded') this.running.delete(event.task);
    const line = describeEvent(event);
    if (line === undefined) this.paintSoon();
    else this.above(line);
  }

  update(status: BatchStatus, tasks?: readonly TaskStatus[]): void {
    this.status = status;
    if (!tasks) return;
    this.running.clear();
    for (const { task, state, startedAt = Date.now() } of tasks)
      if (state === 'running')
        this.running.set(task.id, { since: startedAt, progress: { step: 'running', calls: 0, turns: 0 } });
    this.atOnce = Math.max(1, this.running.size);
    this.paintSoon();
  }

  say(sentence: string): void {
    this.above(`castor: ${sentence}`);
  }

  end(): void {
    clearInterval(this.timer);
    clearTimeout(this.soon);
    this.erase();
  }

  private above(line: string): void {
    this.erase();
    this.options.output.note(line);
    this.paint();
  }

  /** Many tasks report at once; one picture shows them all. */
  private paintSoon(): void {
    this.soon ??= setTimeout(() => this.paint(), PAINT_MS);
  }

  private erase(): void {
    // Up over the rows, then clears to the end of the screen: nothing above is touched.
    if (this.rows > 0) process.stderr.write(`\u001b[${this.rows}A\r\u001b[J`);
    this.rows = 0;
  }

  private paint(): void {
    clearTimeout(this.soon);
    this.soon = undefined;
    const { status } = this;
    if (!status) return;
    const width = Math.max(20, (process.stderr.columns || 80) - 1);
    const tasks = [...this.running].slice(0, MAX_ROWS).map(([id, { since, progress }]) => {
      const steps = progress ? STEPS[progress.step] : 'starting';
      const calls = progress && progress.calls > 0 ? ` · ${countOf(progress.calls, 'call')}` : '';
      return `  ● ${id}  ${steps} ${readableDuration(Math.max(0, Math.floor((Date.now() - since) / 1000)) * 1000)}${calls}`;
    });
    const more = this.running.size - tasks.length;
    const left = describeForecast(status, this.results, this.atOnce);
    const lines = [
      ...tasks,
      ...(more > 0 ? [`  and ${more} more`] : []),
      `${bar(status)} ${describeProgress(status)}${left === undefined ? '' : ` · ${left}`}`,
    ];
    this.erase();
    process.stderr.write(lines.map((line) => `${[...line].slice(0, width).join('')}\n`).join(''));
    this.rows = lines.length;
  }
}

const BAR = 20;

function bar({ total, waiting, running }: BatchStatus): string {
  const done = Math.round((BAR * (total - waiting - running)) / Math.max(1, total));
  return `${'█'.repeat(done)}${'░'.repeat(BAR - done)}`;
}
