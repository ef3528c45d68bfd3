/**
 * Runs one claimed task: folder, program, check, patch, result. Each step is on disk before the next begins, so that a task whose worker
 * died goes on where it was: with the same session in the same folder, or with what had already ended.
 */

import type { Claim, Settlement } from './engine.ts';
import { blameFullDisk, isFullDisk } from './full-disk.ts';
import { waitUntilEnded } from './process-identity.ts';
import { checkLine, runCheck } from './run-check.ts';
import { describeCheck, describeDeath, makeResult } from './make-result.ts';
import { publishResult } from './publish.ts';
import { isReserveSpent } from './reserve.ts';
import { isOverload } from './run-log.ts';
import type { RunLog } from './run-log.ts';
import { runProgram } from './run-program.ts';
import { StarterDiedError } from './starter.ts';
import type { Starter } from './starter.ts';
import { killStrays, markOf } from './stray-processes.ts';
import { TaskFiles } from './task-files.ts';
import type { TryState } from './task-files.ts';
import { TaskLogs } from './task-logs.ts';
import type { TaskOutcome, TaskResult } from './task-result.ts';
import { firstFor, makeWorkplace, removeWorkplace, savePatch, unlockWorkplace } from './workplace.ts';
import type { Workplace } from './workplace.ts';

export interface TaskContext {
  starter: Starter;
  /** The command that starts castor. */
  program: readonly [string, ...string[]];
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends the task without a result: it goes back into the queue. */
  signal: AbortSignal;
  onProgress: (progress: TaskProgress) => void;
  /** Called for each overload of the provider. */
  onOverload: () => void;
  /** Called when the program and its check have done their part: what is left is git's, the disk's and the engine's. */
  onWorked?: (() => void) | undefined;
  /** Leaves the folder of an ended task. */
  isKept?: boolean;
  /** The name of this machine in results. */
  machine?: string | undefined;
}

export interface TaskProgress {
  step: 'preparing' | 'running' | 'checking';
  calls: number;
  turns: number;
}

/** castor ends within five seconds of its worker. */
const CHILD_END_MS = 10_000;
const CHECK_TIMEOUT_MS = 30 * 60_000;
const OVERLOAD_DELAY_MS = 5_000;
const INTERRUPTED = new Set([129, 130, 143]);
const [BUDGET_EXIT, INPUT_EXIT] = [56, 42];
/** Words of `castor --continue`, where the last prompt of the session has its answer. */
const NOTHING_LEFT = 'no interrupted prompt';

export async function runTask(claim: Claim, context: TaskContext): Promise<Settlement> {
  return new TaskRun(claim, context).run();
}

class TaskRun {
  private readonly claim: Claim;
  private readonly context: TaskContext;
  private readonly files: TaskFiles;
  private readonly attempt: number;
  private readonly startedAt = Date.now();
  private readonly began = performance.now();
  /** Whether an earlier run may have left files. */
  private readonly isFirst: boolean;
  private readonly logs: TaskLogs;
  /** Of all that the task starts. */
  private readonly mark: string;
  private state: TryState;

  constructor(claim: Claim, context: TaskContext) {
    this.claim = claim;
    this.context = context;
    this.attempt = claim.failedTries + 1;
    this.files = new TaskFiles(claim.options.directory, claim.task.id);
    this.mark = markOf(claim);
    this.isFirst = this.files.make();
    this.logs = new TaskLogs(this.files, this.isFirst);
    const known = claim.isContinued && !this.isFirst ? this.files.readState() : undefined;
    const run = this.isFirst ? 1 : Math.max(0, ...this.files.runs()) + 1;
    const isKnown = known?.attempt === this.attempt;
    this.state = isKnown ? known : { attempt: this.attempt, run, sessionId: crypto.randomUUID() };
  }

  async run(): Promise<Settlement> {
    const { task } = this.claim;
    const missing = task.environment.find((name) => this.context.environment[name] === undefined);
    if (missing !== undefined)
      return this.end('failed', {
        type: 'MissingVariableError',
        message: `The variable ${missing} is not set on this worker.`,
      });
    try {
      await this.waitForTheDead();
      return this.state.ended ? await this.leave() : await this.work();
    } catch (error) {
      if (this.context.signal.aborted || error instanceof StarterDiedError) return this.back(0);
      if (isFullDisk(error)) throw error;
      this.blameDisk();
      const { name, message } = error as Error;
      return this.end('failed', { type: name, message });
    }
  }

  private async work(): Promise<Settlement> {
    const workplace = await this.prepare();
    if (!this.state.checked) {
      const early = await this.answer(workplace);
      if (early) return early;
      await this.check(workplace);
      if (this.context.signal.aborted) return this.back(0);
    }
    return this.conclude(workplace);
  }

  /** What a dead worker started holds the session or the folder, and may still write: castor its result, git the worktree. */
  private async waitForTheDead(): Promise<void> {
    const child = this.isFirst ? undefined : this.files.readChild();
    if (child) await waitUntilEnded(child, CHILD_END_MS);
    if (child) killStrays(this.mark);
    if (child && this.state.workplace) unlockWorkplace(this.state.workplace);
  }

  private async prepare(): Promise<Workplace> {
    if (this.state.workplace) return this.state.workplace;
    const { task, options } = this.claim;
    this.context.onProgress({ step: 'preparing', calls: 0, turns: 0 });
    if (!this.isFirst) this.files.removeResults();
    const workplace = await makeWorkplace(task, this.files.workplace, options.isInPlace, this.where());
    this.save({ workplace });
    return workplace;
  }

  /** Undefined when the program has answered. */
  private async answer(workplace: Workplace): Promise<Settlement | undefined> {
    const earlier = this.readLog();
    // The program had ended before its worker died.
    if (earlier.result?.status === 'success') return undefined;
    const { code, log } = await this.runProgram(workplace, earlier.sessionId !== undefined);
    // castor ends what it started; one that was killed did not.
    if (!log.result) killStrays(this.mark);
    return code === 0 && log.result?.status === 'success' ? undefined : this.judge(code, log);
  }

  /** A run without an answer: back into the queue where the task is not to blame, else a failed try. */
  private judge(code: number | null, log: RunLog): Settlement | Promise<Settlement> {
    const { result } = log;
    if (this.context.signal.aborted || INTERRUPTED.has(code ?? -1)) return this.back(0);
    if (result && isOverload(result)) return this.back(OVERLOAD_DELAY_MS);
    if (code === BUDGET_EXIT && isReserveSpent(this.claim, log.spent)) return this.back(0);
    this.blameDisk(this.files.errors, log.path);
    const death = { type: 'ProgramDiedError', message: describeDeath(code, this.files.lastError()) };
    if (!result) return this.fail('crashed', death, code);
    const { type = 'Error', message = 'The run failed.' } = result.error ?? {};
    return this.fail('failed', { type, message }, code);
  }

  private async runProgram(workplace: Workplace, isContinued: boolean) {
    const { starter, program, environment, signal, onProgress, onOverload } = this.context;
    const options = {
      ...{ starter, claim: this.withSchema(), program, environment, signal, directory: workplace.directory },
      ...{ log: this.readLog(), mark: this.mark, isWorktree: workplace.repository !== undefined },
      ...{ errors: this.files.errors, identity: this.files.child, prompt: this.files.prompt },
      first: isContinued ? undefined : firstFor(workplace, this.where()),
      onProgress: (log: RunLog) => {
        if (log.takeOverload()) onOverload();
        onProgress({ step: 'running', calls: log.calls, turns: log.turns });
      },
    };
    const ended = await runProgram({ ...options, sessionId: this.state.sessionId, isContinued });
    if (!isContinued || ended.code !== INPUT_EXIT) return ended;
    // It was interrupted between its answer and its end: nothing is left to continue, and the answer counts.
    if (ended.log.result?.error?.message.includes(NOTHING_LEFT) && ended.log.answer !== '' && !this.claim.task.schema) {
      ended.log.result = { status: 'success' };
      return { ...ended, code: 0 };
    }
    // The session never reached the disk, or has nothing to continue: a new one, in the same folder.
    this.save({ sessionId: crypto.randomUUID() });
    return runProgram({ ...options, sessionId: this.state.sessionId, isContinued: false });
  }

  private withSchema(): Claim {
    const { task } = this.claim;
    if (task.schemaText === undefined) return this.claim;
    this.files.write(this.files.schema, task.schemaText);
    return { ...this.claim, task: { ...task, schema: this.files.schema } };
  }

  private async check({ directory, repository }: Workplace): Promise<void> {
    const { task } = this.claim;
    if (task.check === undefined) return;
    this.context.onProgress({ step: 'checking', calls: 0, turns: 0 });
    this.files.write(this.files.answer, this.readLog().answer);
    const left = (task.limits.time ?? Infinity) * 1000 - (performance.now() - this.began);
    const checked = await runCheck({
      ...{ starter: this.context.starter, signal: this.context.signal, directory, mark: this.mark },
      command: checkLine(task.check, this.claim.options, this.context.program, repository !== undefined),
      environment: { ...this.context.environment, CASTOR_ANSWER: this.files.answer },
      granted: task.environment,
      ...{ output: this.files.check, pipe: this.files.pipe },
      timeoutMs: Math.max(0, Math.min(CHECK_TIMEOUT_MS, left)),
    });
    if (this.context.signal.aborted) return;
    if (checked.exitCode !== 0 && !checked.isLate) this.blameDisk(this.files.check);
    this.save({ checked });
  }

  private async conclude(workplace: Workplace): Promise<Settlement> {
    const { task } = this.claim;
    this.context.onWorked?.();
    this.files.write(this.files.answer, this.readLog().answer);
    const changes = await savePatch(workplace, this.files.patch, this.where());
    const exitCode = task.check === undefined ? 0 : (this.state.checked?.exitCode ?? null);
    const check = task.check === undefined ? undefined : { command: task.check, exit_code: exitCode };
    const more = { exit_code: 0, ...(check && { check }), ...(changes && { changes }) };
    if (exitCode === 0) return this.end('success', undefined, more);
    const message = describeCheck({ isLate: false, ...this.state.checked, exitCode }, task.limits.time);
    return this.fail('check_failed', { type: 'CheckFailedError', message }, 0, more);
  }

  /** Throws where a step failed because the disk is full: the worker ends, and the task waits for the next one. */
  private blameDisk(...outputs: string[]): void {
    const { directory } = this.state.workplace ?? {};
    const folders = [directory, this.context.environment['TMPDIR'] ?? '/tmp'];
    blameFullDisk({ own: this.files.directory, folders, outputs });
  }

  /** Another try where one is left. */
  private async fail(
    status: TaskOutcome,
    error: { type: string; message: string },
    code: number | null,
    more: Partial<TaskResult> = {},
  ): Promise<Settlement> {
    if (this.attempt >= this.claim.task.tries)
      return this.end(status, error, { ...(code !== null && { exit_code: code }), ...more });
    this.save({ ended: { kind: 'again', message: error.message } });
    return this.leave();
  }

  private async end(
    status: TaskOutcome,
    error?: { type: string; message: string },
    more: Partial<TaskResult> = {},
  ): Promise<Settlement> {
    const { claim, attempt, startedAt } = this;
    const durationMs = Math.round(performance.now() - this.began);
    const told = { machine: this.context.machine, log: this.readLog(), spent: this.spent() };
    const run = { claim, attempt, startedAt, durationMs, ...told };
    const result = makeResult(status, run, { ...(error && { error }), ...more });
    this.save({ ended: { kind: 'result', result } });
    return this.leave();
  }

  /** Removes the folder, then tells the end. */
  private async leave(): Promise<Settlement> {
    const { ended, workplace } = this.state;
    const publication = { batch: this.claim.batch, task: this.claim.task.id, files: this.files, workplace };
    const where = { ...publication, where: this.where(false), artifacts: this.claim.options.artifacts };
    const published = ended?.kind === 'result' ? await publishResult(ended.result, where) : undefined;
    if (workplace && !this.context.isKept) await removeWorkplace(workplace, this.where(false));
    if (!published) return { kind: 'again', spent: this.spent() };
    const result = { ...published, files: published.files ?? this.files.present(this.state.run) };
    return { kind: 'result', result, spent: this.spent() };
  }

  private back(delayMs: number): Settlement {
    return { kind: 'return', spent: this.spent(), delayMs };
  }

  private spent() {
    return this.logs.spent(this.state.run);
  }

  private readLog(): RunLog {
    return this.logs.read(this.state.run);
  }

  private save(change: Partial<TryState>): void {
    this.state = { ...this.state, ...change };
    this.files.writeState(this.state);
  }

  private where(isCancellable = true) {
    const { starter, environment, signal } = this.context;
    return {
      environment,
      by: { starter, scratch: this.files.scratch, errors: this.files.errors, identity: this.files.child },
      ...(isCancellable && { signal }),
    };
  }
}
