/**
 * BackgroundProcesses: the commands a session put in the background on purpose. Each
 * writes to a log of its own, readable by the owner only and bounded in size, so it
 * needs neither us nor a pipe of ours to go on. `dispose` ends them; a death of ours
 * without it does not.
 */

import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanOutput } from './clean-output.ts';
import { endProcess } from './end-process.ts';
import type { MovedCommand } from './shell-outcome.ts';
import type { EnvironmentFor } from './shell-runner.ts';
import { toShellInvocation } from './shell-program.ts';
import type { ShellExit } from './shell-process.ts';
import { builtin } from '../../util/builtin-modules.ts';
import { makeDirectory } from '../../util/make-directory.ts';

export interface BackgroundProcess {
  readonly pid: number;
  readonly command: string;
  readonly status: 'running' | 'exited';
  readonly exitCode?: number | null;
  readonly signal?: NodeJS.Signals | null;
}

export interface BackgroundProcessesOptions {
  /** `<home>/.gemini/tmp/background-processes`. */
  logDirectory: string;
  /** From `createChildEnvironment`. */
  environment: Record<string, string>;
  /** Further variables for one command, asked before it starts. */
  environmentFor?: EnvironmentFor;
  /** Told of each that ended by itself. */
  onEnded?: (process: BackgroundProcess) => void;
  /** A log grown past this is cut to its end. */
  logLimit?: number;
}

interface Entry {
  pid: number;
  command: string;
  finished: Promise<ShellExit>;
  exit: ShellExit | undefined;
  end: () => Promise<void>;
}

const LOG_LIMIT = 16 * 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
const LOG_CHECK_MS = 1000;
/** A planted link is an error, not a way to somewhere else. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const BOUND_FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class BackgroundProcesses {
  private readonly options: BackgroundProcessesOptions;
  private readonly entries = new Map<number, Entry>();
  private readonly written = new Map<number, Promise<unknown>>();
  private readonly endedByUs = new Set<number>();
  private logTimer: NodeJS.Timeout | undefined;

  constructor(options: BackgroundProcessesOptions) {
    this.options = options;
  }

  logPath(pid: number): string {
    return join(this.options.logDirectory, `background-${pid}.log`);
  }

  /** Rejects with the system's error when it cannot be started or logged. */
  async start(command: string, directory: string): Promise<{ pid: number; finished: Promise<ShellExit> }> {
    const { path, handle } = await this.createLog();
    try {
      const added = await this.options.environmentFor?.(command, directory);
      const environment = { ...this.options.environment, ...added };
      const invocation = toShellInvocation(command, environment);
      const child = builtin.childProcess.spawn(invocation.file, invocation.args, {
        cwd: directory,
        env: { ...environment, ...invocation.environment },
        stdio: ['ignore', handle.fd, handle.fd],
        detached: true,
        windowsHide: true,
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
      this.add({ pid, command, finished, exit: undefined, end: () => endProcess({ pid, finished }) });
      return { pid, finished };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  }

  /** Takes over a command that was started in the foreground; `output` is what it wrote until now. */
  async adopt(pid: number, command: string, output: string, moved: MovedCommand): Promise<void> {
    const { path, handle } = await this.createLog();
    await rename(path, this.logPath(pid));
    this.add({ pid, command, finished: moved.finished, exit: undefined, end: () => moved.end() });
    const log = handle.createWriteStream();
    // A full disk costs the log, never the command.
    log.on('error', () => {});
    log.write(output);
    moved.onText((text) => log.write(text));
    const written = once(log, 'close').catch(() => {});
    void moved.finished.then(() => log.end());
    this.written.set(pid, written);
  }

  /** Resolves when the log of a command taken over is complete. */
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

  /** The end of the log as clean text. Rejects when there is none, or when it is a link. */
  async readLogTail(pid: number): Promise<{ text: string; isWhole: boolean }> {
    const handle = await open(this.logPath(pid), READ_FLAGS);
    try {
      const { size } = await handle.stat();
      const start = Math.max(0, size - TAIL_BYTES);
      const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      const text = cleanOutput(buffer.subarray(0, bytesRead));
      // The first line of a tail is a part of one.
      return { text: start === 0 ? text : text.slice(text.indexOf('\n') + 1), isWhole: start === 0 };
    } finally {
      await handle.close();
    }
  }

  /** Ends one of them because a person wants it; whoever is told of ends is told of this one. */
  async kill(pid: number): Promise<void> {
    const entry = this.entries.get(pid);
    if (entry && entry.exit === undefined) await entry.end();
  }

  /** Ends one of them; resolves when it is gone. */
  async end(pid: number): Promise<void> {
    const entry = this.entries.get(pid);
    if (!entry || entry.exit !== undefined) return;
    this.endedByUs.add(pid);
    await entry.end();
  }

  /** Ends all of them. */
  async dispose(): Promise<void> {
    clearInterval(this.logTimer);
    await Promise.all([...this.entries.keys()].map((pid) => this.end(pid)));
  }

  private add(entry: Entry): void {
    this.entries.set(entry.pid, entry);
    void entry.finished.then((exit) => {
      entry.exit = exit;
      if (!this.endedByUs.has(entry.pid)) this.options.onEnded?.(toBackgroundProcess(entry));
    });
    this.logTimer ??= setInterval(() => void this.boundLogs(), LOG_CHECK_MS).unref();
  }

  private async createLog(): Promise<{ path: string; handle: FileHandle }> {
    const { logDirectory } = this.options;
    makeDirectory(logDirectory);
    const path = join(logDirectory, `starting-${builtin.crypto.randomUUID()}.log`);
    // Appending, so that a log that was cut is written on at its new end.
    const handle = await open(path, 'ax', 0o600);
    return { path, handle };
  }

  private async boundLogs(): Promise<void> {
    const limit = this.options.logLimit ?? LOG_LIMIT;
    const running = [...this.entries.values()].filter(({ exit }) => exit === undefined);
    await Promise.all(running.map(({ pid }) => boundLog(this.logPath(pid), limit).catch(() => {})));
  }
}

/** Cuts a log to its last part. What the command writes in the very moment may be lost or come before it. */
export async function boundLog(path: string, limit: number): Promise<void> {
  const handle = await open(path, BOUND_FLAGS);
  try {
    const { size } = await handle.stat();
    if (size <= limit) return;
    const kept = Buffer.alloc(Math.min(size, TAIL_BYTES, limit));
    const { bytesRead } = await handle.read(kept, 0, kept.length, size - kept.length);
    const tail = kept.subarray(0, bytesRead);
    await handle.truncate(0);
    await handle.write(tail.subarray(tail.indexOf(0x0a) + 1));
  } finally {
    await handle.close();
  }
}

function toBackgroundProcess({ pid, command, exit }: Entry): BackgroundProcess {
  if (exit === undefined) return { pid, command, status: 'running' };
  return { pid, command, status: 'exited', exitCode: exit.code, signal: exit.signal };
}
