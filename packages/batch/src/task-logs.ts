/** The logs of a task's tries on this machine, each read once as far as it is written, and what all of them have spent. */

import type { Spending } from './engine.ts';
import { RunLog } from './run-log.ts';
import { sumSpending } from './spent-by-task.ts';
import type { TaskFiles } from './task-files.ts';

export class TaskLogs {
  private readonly files: TaskFiles;
  /** Whether no earlier run can have left one. */
  private readonly isFirst: boolean;
  private readonly logs = new Map<number, RunLog>();

  constructor(files: TaskFiles, isFirst: boolean) {
    this.files = files;
    this.isFirst = isFirst;
  }

  read(run: number): RunLog {
    const log = this.logs.get(run) ?? new RunLog(this.files.log(run));
    this.logs.set(run, log);
    log.read();
    return log;
  }

  /** Of all tries. */
  spent(current: number): Spending {
    const runs = this.isFirst ? [current] : this.files.runs();
    return sumSpending(runs.map((run) => this.read(run).spent));
  }
}
