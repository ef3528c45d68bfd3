/**
 * Runs a command over pipes: its own process group, no terminal, stdin closed. It is
 * finished when its process has exited and its output has been read, not when the last
 * holder of the pipe closes it.
 */

import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { closeQuietly } from './output-pipes.ts';
import type { OutputPipes } from './output-pipes.ts';
import type { ShellInvocation } from './shell-program.ts';
import type { TerminalSize } from './terminal-display.ts';
import { startInvocation } from '../../util/start-invocation.ts';

export interface ShellExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ShellProcess {
  /** The id of the process and of its group. */
  readonly pid: number;
  /** Whether it reads from a terminal that a user can type into. */
  readonly hasTerminal: boolean;
  /** Resolves after the exit, with all output before it read. Never rejects. */
  readonly finished: Promise<ShellExit>;
  write(text: string): void;
  /** Resizes its terminal; no effect without one. */
  resize(size: TerminalSize): void;
  /** False while another process may still write to the output after the exit. */
  isOutputClosed(): boolean;
  /** Whether a program reads single keys from its terminal. */
  isRaw(): Promise<boolean>;
}

export interface StartRequest {
  invocation: ShellInvocation;
  directory: string;
  environment: Record<string, string>;
  /** The size of its terminal, if it has one. */
  size: TerminalSize;
  /** The bytes are valid only during the call. */
  onData: (bytes: Uint8Array) => void;
}

/** After this long without output since the exit, the output is complete. */
const IDLE_AFTER_EXIT_MS = 50;
/** A process left behind may write forever. */
const LONGEST_AFTER_EXIT_MS = 150;

/** Rejects with the system's error when the process cannot be started. */
export async function startPiped(request: StartRequest, pipes: OutputPipes): Promise<ShellProcess> {
  const pipe = await pipes.open();
  const { invocation, directory, environment, onData } = request;
  const output = pipe?.writeEnd ?? 'pipe';
  let child: ChildProcess;
  try {
    const started = { ...invocation, environment: { ...environment, ...invocation.environment } };
    child = startInvocation(started, {
      cwd: directory,
      stdio: ['ignore', output, output],
      detached: process.platform !== 'win32',
    });
  } finally {
    if (pipe) closeQuietly(pipe.writeEnd);
  }
  const drain = new Drain();
  const streams = pipe ? [pipe.read(drain.wrap(onData))] : listen(child, drain.wrap(onData));
  for (const stream of streams) drain.follow(stream);

  const exited = new Promise<ShellExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return {
    pid: child.pid!,
    hasTerminal: false,
    finished: exited.then(async (exit) => {
      await drain.settled();
      return exit;
    }),
    write: () => {},
    resize: () => {},
    isOutputClosed: () => drain.isClosed,
    isRaw: async () => false,
  };
}

function listen(child: ChildProcess, onData: (bytes: Uint8Array) => void): Readable[] {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of streams) stream.on('data', onData);
  return streams;
}

/** Detects when the output of an exited process is complete. */
class Drain {
  private open = 0;
  private lastData = 0;
  private streams: { unref?(): void }[] = [];
  private onClosed: (() => void) | undefined;

  get isClosed(): boolean {
    return this.open === 0;
  }

  wrap(onData: (bytes: Uint8Array) => void): (bytes: Uint8Array) => void {
    return (bytes) => {
      this.lastData = performance.now();
      onData(bytes);
    };
  }

  follow(stream: Readable): void {
    this.open++;
    this.streams.push(stream as { unref?(): void });
    // A broken pipe ends the output in the same way as a closed one.
    stream.on('error', () => {});
    stream.once('close', () => {
      if (--this.open === 0) this.onClosed?.();
    });
  }

  /** Output is still read afterwards, so that a full pipe does not block a process left behind. */
  async settled(): Promise<void> {
    const start = performance.now();
    this.lastData = start;
    while (!this.isClosed) {
      const now = performance.now();
      const wait = Math.min(this.lastData + IDLE_AFTER_EXIT_MS, start + LONGEST_AFTER_EXIT_MS) - now;
      if (wait <= 0) break;
      await this.closedOr(wait);
      // A late timer fires before pending reads: let those run first.
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const stream of this.streams) stream.unref?.();
  }

  private closedOr(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.onClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
