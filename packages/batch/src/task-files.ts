/** The files of one task in the folder of its batch, and the state that survives its worker. */

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskResult } from './task-result.ts';
import type { Workplace } from './workplace.ts';

/** How far a try has come. Written after each step, so that the next worker goes on behind it. */
export interface TryState {
  /** From 1; a retry begins again with 1. */
  attempt: number;
  /** The number of its log: from 1, never used twice. */
  run: number;
  sessionId: string;
  /** Set when the folder is complete. */
  workplace?: Workplace | undefined;
  /** Set when the check has ended. */
  checked?: { exitCode: number | null; isLate?: boolean } | undefined;
  /** Set when everything is done but telling the engine. */
  ended?: { kind: 'result'; result: TaskResult } | { kind: 'again'; message: string } | undefined;
}

export class TaskFiles {
  /** Holds all of them. */
  readonly directory: string;
  readonly answer: string;
  readonly patch: string;
  readonly check: string;
  /** Where the check writes to, while it runs. */
  readonly pipe: string;
  readonly errors: string;
  readonly schema: string;
  readonly prompt: string;
  readonly workplace: string;
  /** Names the last process of the task, castor or git: it may outlive its worker for some seconds. */
  readonly child: string;
  /** What git wrote last. */
  readonly scratch: string;
  private readonly state: string;

  /** `tasks` is the folder between; a folder of published files has none. */
  constructor(batchDirectory: string, task: string, tasks = 'tasks') {
    this.directory = join(batchDirectory, tasks, task);
    this.answer = join(this.directory, 'answer.md');
    this.patch = join(this.directory, 'changes.patch');
    this.check = join(this.directory, 'check.txt');
    this.pipe = join(this.directory, 'check.pipe');
    this.errors = join(this.directory, 'stderr.txt');
    this.schema = join(this.directory, 'schema.json');
    this.prompt = join(this.directory, 'prompt.txt');
    this.workplace = join(batchDirectory, 'work', task);
    this.child = join(this.directory, 'process.txt');
    this.scratch = join(this.directory, 'git.txt');
    this.state = join(this.directory, 'state.jsonl');
  }

  /** The stream-json lines of a try. */
  log(run: number): string {
    return join(this.directory, `run-${run}.jsonl`);
  }

  /** The numbers of the logs of all tries, also of those before a retry. */
  runs(): number[] {
    const names = existsSync(this.directory) ? readdirSync(this.directory) : [];
    return names.flatMap((name) => {
      const [, number] = /^run-(\d+)\.jsonl$/.exec(name) ?? [];
      return number === undefined ? [] : [Number(number)];
    });
  }

  /** The paths of all that a task leaves for its user. */
  list(): string[] {
    const logs = this.runs().map((run) => this.log(run));
    return [this.answer, this.patch, this.check, this.errors, ...logs].filter((path) => existsSync(path));
  }

  /** True when it was not there. */
  make(): boolean {
    return mkdirSync(this.directory, { recursive: true, mode: 0o700 }) !== undefined;
  }

  /** The last step that was written whole. Undefined for a task that has not begun. */
  readState(): TryState | undefined {
    const lines = existsSync(this.state) ? readFileSync(this.state, 'utf8').split('\n') : [];
    for (const line of lines.reverse()) {
      try {
        if (line !== '') return JSON.parse(line) as TryState;
      } catch {
        // A crash or a full disk has cut it: the step before counts.
      }
    }
    return undefined;
  }

  /** Undefined before the first run. */
  readChild(): { pid: number; started: string } | undefined {
    const text = existsSync(this.child) ? readFileSync(this.child, 'utf8') : '';
    const [, pid, started = ''] = /^(\d+) (\S*)\n/.exec(text) ?? [];
    return pid === undefined ? undefined : { pid: Number(pid), started };
  }

  writeState(state: TryState): void {
    // Begins with the end of a line: the one before may be cut.
    appendFileSync(this.state, `\n${JSON.stringify(state)}\n`, { mode: 0o600 });
  }

  /** What the program wrote last to stderr. */
  lastError(): string {
    const text = existsSync(this.errors) ? readFileSync(this.errors, 'utf8') : '';
    return text.trimEnd().split('\n').at(-1) ?? '';
  }

  write(path: string, text: string): void {
    writeFileSync(path, text, { mode: 0o600 });
  }

  /** What an earlier try left; its log stays. */
  removeResults(): void {
    for (const path of [this.answer, this.patch, this.check]) rmSync(path, { force: true });
  }

  /** The paths of those that exist. */
  present(run: number): NonNullable<TaskResult['files']> {
    const { answer, patch, check, workplace } = this;
    const all = { answer, patch, check, log: this.log(run), workplace };
    return Object.fromEntries(Object.entries(all).filter(([, path]) => existsSync(path)));
  }
}
