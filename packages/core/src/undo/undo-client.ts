/**
 * UndoClient: starts the process beside the program and asks it, one request after the other. A process that ends early
 * fails the requests that wait; nothing of it outlives the program, since it ends with its input.
 */

import type { ChildProcess } from 'node:child_process';
import { dirname, extname, join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';
import { TooLarge } from './walk-rules.ts';
import type { Answers, OpenRequest, UndoReply, UndoRequest } from './undo-requests.ts';

/** The disk has no room for what was to be kept. */
export class StoreFull extends Error {
  override readonly name = 'StoreFull';
}

interface Held {
  ref?(): void;
  unref?(): void;
}

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/**
 * How the process is started: threads for files that are put in place together, and little memory. A collection of young objects frees the
 * buffers of packed blocks: with half the room for such objects, half as many blocks wait for it, and the process needs 20 MB less.
 */
export const UNDO_PROCESS = {
  flags: ['--max-semi-space-size=1', '--max-old-space-size=512', '--no-warnings'],
  // A separate heap for each thread would cost 10 MB.
  environment: { UV_THREADPOOL_SIZE: '16', MALLOC_ARENA_MAX: '1' },
} as const;

export class UndoClient {
  /** How many files and folders the running walk has seen. */
  progress = 0;
  private readonly process: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private readonly ended: Promise<void>;
  private count = 0;
  private rest = '';
  private problem: Error | undefined;
  private isClosing = false;

  private constructor() {
    const { flags, environment: env } = UNDO_PROCESS;
    this.process = builtin.childProcess.spawn(process.execPath, [...flags, findProgram()], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env,
      cwd: '/',
    });
    this.process.stdout?.setEncoding('utf8').on('data', (piece: string) => this.read(piece));
    this.process.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      this.process.on('error', (error) => this.fail(error));
      this.process.on('close', (code, signal) => {
        this.fail(new Error(`The process that keeps files for undo ended (${signal ?? code ?? 'unknown'}).`));
        resolve();
      });
    });
  }

  /** Rejects when the process cannot be started or the store cannot be opened. */
  static async open(request: Omit<OpenRequest, 'do'>): Promise<{ client: UndoClient; opened: Answers['open'] }> {
    const client = new UndoClient();
    try {
      return { client, opened: await client.ask({ do: 'open', ...request }) };
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  ask<R extends UndoRequest>(request: R): Promise<Answers[R['do']]> {
    const id = ++this.count;
    this.progress = 0;
    return new Promise((resolve, reject) => {
      if (this.problem) {
        reject(this.problem);
        return;
      }
      this.waiting.set(id, { resolve, reject });
      this.hold();
      this.process.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  /** Ends the process after the requests that it has. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.hold();
    this.process.stdin?.end();
    await this.ended;
  }

  private read(piece: string): void {
    const lines = `${this.rest}${piece}`.split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.settle(JSON.parse(line) as UndoReply);
  }

  private settle(reply: UndoReply): void {
    if ('progress' in reply) {
      this.progress = reply.progress;
      return;
    }
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    this.hold();
    if ('value' in reply) waiting?.resolve(reply.value as never);
    else waiting?.reject(toError(reply));
  }

  /** An idle process does not keep the program alive; a request that waits does, and so does its end, up to the last byte. */
  private hold(): void {
    for (const each of [this.process, this.process.stdin, this.process.stdout] as (Held | null)[])
      if (this.waiting.size > 0 || this.isClosing) each?.ref?.();
      else each?.unref?.();
  }

  private fail(error: Error): void {
    this.problem ??= error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

function toError({ error, isTooLarge, isDiskFull }: Extract<UndoReply, { error: string }>): Error {
  if (isTooLarge) return new TooLarge(error);
  return isDiskFull ? new StoreFull(error) : new Error(error);
}

/** Beside this file: in the sources, in the built library, and in the bundle, which has a path here instead of an address. */
function findProgram(): string {
  const here = import.meta.url.replace(/^file:\/\//, '');
  const extension = extname(here);
  return join(dirname(decodeURIComponent(here)), `undo-process${extension === '' ? '.cjs' : extension}`);
}
