/**
 * BackgroundProcesses: the commands a session deliberately runs in the background. Each
 * writes to its own log, readable by the owner only, so that it keeps running without this
 * program. A command that exceeds the output limit is stopped. `dispose` ends all of them;
 * a crash of this program does not.
 */

import { once } from 'node:events';
import { constants } from 'node:fs';
import { appendFile, lstat, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_MAX_OUTPUT_BYTES, describeTooMuchOutput } from './output-limit.ts';
import type { MovedCommand } from './shell-outcome.ts';
import type { EnvironmentFor, UseMarks } from './shell-runner.ts';
import { confineShell, toShellInvocation } from './shell-program.ts';
import type { ShellExit } from './shell-process.ts';
import { boundLog, TAIL_BYTES } from './bound-log.ts';
import { builtin } from '../../util/builtin-modules.ts';
import type { Confine } from '../../util/invocation.ts';
import { makeDirectory } from '../../util/make-directory.ts';

export interface BackgroundProcess {
  readonly pid: number;
  readonly command: string;
  readonly status: 'running' | 'exited';
  readonly exitCode?: number | null;
  readonly signal?: NodeJS.Signals | null;
  /** Why this program stopped it, as the rest of a sentence; absent when it ended in another way. */
  readonly stopped?: string;
}

export interface BackgroundProcessesOptions {
  /** `<home>/.gemini/tmp/background-processes`. */
  logDirectory: string;
  /** From `createChildEnvironment`. */
  environment: Record<string, string>;
  /** Further variables for one command, requested before it starts. */
  environmentFor?: EnvironmentFor;
  /** See ShellRunnerOptions. */
  useMarks?: UseMarks | undefined;
  /** Removes the secrets from a log when its command has ended. */
  conceal?: ((text: string) => string) | undefined;
  /** Puts each command into a sandbox; absent: none was asked for. */
  confine?: Confine | undefined;
  /** Called for each command that ends by itself or is stopped for too much output. */
  onEnded?: (process: BackgroundProcess) => void;
  /** A command that prints more bytes is stopped; 0 for no limit. */
  maxOutputBytes?: number;
}

interface Entry {
  pid: number;
  command: string;
  finished: Promise<ShellExit>;
  exit: ShellExit | undefined;
  /** Why it was stopped. */
  stopped?: string;
  /** Bytes in its log at the last check. */
  logged: number;
  /** Settles when its log holds no secret. */
  concealed?: Promise<void>;
  end: () => Promise<void>;
}

/** Without an output limit, a longer log is truncated to its last part. */
const LOG_LIMIT = 16 * 1024 * 1024;
const LOG_CHECK_MS = 1000;
/** For a log that is new or grows fast; `yes` writes a gigabyte in a second. */
const BUSY_LOG_CHECK_MS = 50;
const FAST_GROWTH = 256 * 1024;
/** Opening a planted link fails instead of following it. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class BackgroundProcesses {
  private readonly options: BackgroundProcessesOptions;
  private readonly entries = new Map<number, Entry>();
  private readonly written = new Map<number, Promise<unknown>>();
  private readonly endedByUs = new Set<number>();
  private readonly maxOutputBytes: number;
  private logTimer: NodeJS.Timeout | undefined;

  constructor(options: BackgroundProcessesOptions) {
    this.options = options;
    this.maxOutputBytes = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  }

  logPath(pid: number): string {
    return join(this.options.logDirectory, `background-${pid}.log`);
  }

  /**
   * Rejects with the system's error when the command cannot be started or logged. `isUnconfined`: the user let this one
   * leave the sandbox.
   */
  async start(
    command: string,
    directory: string,
    isUnconfined = false,
  ): Promise<{ pid: number; finished: Promise<ShellExit> }> {
    // Before the command starts, so that ending it depends on no file.
    const { endProcess } = await import('./end-process.ts');
    const { path, handle } = await this.createLog();
    try {
      const used = (await this.options.useMarks?.(command)) ?? { command, variables: {} };
      const added = await this.options.environmentFor?.(used.command, directory);
      const environment = { ...this.options.environment, ...added, ...used.variables };
      const shell = toShellInvocation(used.command, environment);
      const confine = isUnconfined ? undefined : this.options.confine;
      const start = { invocation: shell, directory, environment };
      const { invocation, variables } = confine
        ? await confineShell(confine, start, 'background')
        : { invocation: shell, variables: environment };
      const started = { ...invocation, environment: { ...variables, ...invocation.environment } };
      const { startInvocation } = await import('../../util/start-invocation.ts');
      const child = startInvocation(started, {
        cwd: directory,
        stdio: ['ignore', handle.fd, handle.fd],
        detached: true,
      });
      const finished = new Promise<ShellExit>((resolve) => {
        child.once('exit', (code, signal) => resolve({ code, signal }));
      });
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      child.unref();
      const pid = child.pid!;
      await rename(path, this.logPath(pid));
      this.add({ pid, command, finished, end: () => endProcess({ pid, finished }) });
      return { pid, finished };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  }

  /** Takes over a command started in the foreground; `output` is its output so far. */
  async adopt(pid: number, command: string, output: string, moved: MovedCommand): Promise<void> {
    const { path, handle } = await this.createLog();
    await rename(path, this.logPath(pid));
    const entry = this.add({ pid, command, finished: moved.finished, end: () => moved.end() });
    const log = handle.createWriteStream();
    // A full disk loses the log, never the command.
    log.on('error', () => {});
    const { conceal } = this.options;
    log.write(conceal?.(output) ?? output);
    moved.onText((text) => log.write(text));
    moved.onTooMuchOutput((printedBytes) => {
      this.markStopped(entry, printedBytes);
      log.write(stoppedLine(entry));
      void entry.end();
    });
    const written = once(log, 'close').catch(() => {});
    void moved.finished.then(() => log.end());
    this.written.set(pid, written);
  }

  /** Resolves when the log of an adopted command is complete. */
  async logWritten(pid: number): Promise<void> {
    await this.written.get(pid);
  }

  list(): BackgroundProcess[] {
    return [...this.entries.values()].map(toBackgroundProcess);
  }

  get(pid: number): BackgroundProcess | undefined {
    const entry = this.entries.get(pid);
    return entry && toBackgroundProcess(entry);
  }

  /** The end of the log as clean text. Rejects when the log is missing or a link. */
  async readLogTail(pid: number): Promise<{ text: string; isWhole: boolean }> {
    const { cleanOutput } = await import('./clean-output.ts');
    const handle = await open(this.logPath(pid), READ_FLAGS);
    try {
      const { size } = await handle.stat();
      const start = Math.max(0, size - TAIL_BYTES);
      const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      const text = cleanOutput(buffer.subarray(0, bytesRead));
      // The first line of a tail is incomplete.
      return { text: start === 0 ? text : text.slice(text.indexOf('\n') + 1), isWhole: start === 0 };
    } finally {
      await handle.close();
    }
  }

  /** Ends one command on the user's request; subscribers are notified of this end too. */
  async kill(pid: number): Promise<void> {
    const entry = this.entries.get(pid);
    if (entry && entry.exit === undefined) await entry.end();
  }

  /** Ends one command; resolves when it is gone. */
  async end(pid: number): Promise<void> {
    const entry = this.entries.get(pid);
    if (!entry || entry.exit !== undefined) return;
    this.endedByUs.add(pid);
    await entry.end();
  }

  /** Ends all commands. */
  async dispose(): Promise<void> {
    clearTimeout(this.logTimer);
    await Promise.all([...this.entries.keys()].map((pid) => this.end(pid)));
    await Promise.all([...this.entries.values()].map(async ({ concealed }) => concealed));
  }

  private add(added: Omit<Entry, 'exit' | 'logged'>): Entry {
    const entry: Entry = { ...added, exit: undefined, logged: 0 };
    this.entries.set(entry.pid, entry);
    entry.concealed = entry.finished.then(() => this.concealLog(entry.pid));
    void entry.finished.then((exit) => {
      entry.exit = exit;
      if (!this.endedByUs.has(entry.pid)) this.options.onEnded?.(toBackgroundProcess(entry));
    });
    this.checkLogsIn(BUSY_LOG_CHECK_MS);
    return entry;
  }

  /** The command writes its log itself, so that it outlives this program: its secrets are removed when it has ended. */
  private async concealLog(pid: number): Promise<void> {
    const { conceal } = this.options;
    if (!conceal) return;
    await this.written.get(pid);
    const { concealFile } = await import('./conceal-file.ts');
    // A deleted or replaced log holds nothing of ours.
    await concealFile(this.logPath(pid), conceal).catch(() => undefined);
  }

  private async createLog(): Promise<{ path: string; handle: FileHandle }> {
    const { logDirectory } = this.options;
    makeDirectory(logDirectory);
    const path = join(logDirectory, `starting-${builtin.crypto.randomUUID()}.log`);
    // Append mode, so that writing to a truncated log continues at its new end.
    const handle = await open(path, 'ax', 0o600);
    return { path, handle };
  }

  private checkLogsIn(milliseconds: number): void {
    clearTimeout(this.logTimer);
    this.logTimer = setTimeout(() => void this.checkLogs(), milliseconds).unref();
  }

  private async checkLogs(): Promise<void> {
    const running = [...this.entries.values()].filter(({ exit }) => exit === undefined);
    if (running.length === 0) return;
    // A deleted or replaced log skips the check, never ends the command.
    const growths = await Promise.all(running.map((entry) => this.checkLog(entry).catch(() => 0)));
    const hasNew = [...this.entries.values()].some((entry) => entry.exit === undefined && !running.includes(entry));
    const isBusy = hasNew || Math.max(...growths) > FAST_GROWTH;
    this.checkLogsIn(isBusy ? BUSY_LOG_CHECK_MS : LOG_CHECK_MS);
  }

  /** How many bytes the log grew since the last check. */
  private async checkLog(entry: Entry): Promise<number> {
    const path = this.logPath(entry.pid);
    const { size } = await lstat(path);
    const growth = size - entry.logged;
    entry.logged = size;
    if (this.maxOutputBytes === 0) await boundLog(path, LOG_LIMIT);
    else if (size > this.maxOutputBytes && entry.stopped === undefined) await this.stop(entry, path);
    return growth;
  }

  private async stop(entry: Entry, path: string): Promise<void> {
    this.markStopped(entry, entry.logged);
    await entry.end();
    const { size } = await lstat(path);
    this.markStopped(entry, size);
    await boundLog(path, this.maxOutputBytes);
    await appendFile(path, stoppedLine(entry), { flag: APPEND_FLAGS });
  }

  private markStopped(entry: Entry, printedBytes: number): void {
    entry.stopped = describeTooMuchOutput(printedBytes, this.maxOutputBytes);
  }
}

function stoppedLine({ stopped }: Entry): string {
  return `\n[Stopped: ${stopped}]\n`;
}

function toBackgroundProcess({ pid, command, exit, stopped }: Entry): BackgroundProcess {
  if (exit === undefined) return { pid, command, status: 'running' };
  const end = { exitCode: exit.code, signal: exit.signal };
  return { pid, command, status: 'exited', ...end, ...(stopped !== undefined && { stopped }) };
}
