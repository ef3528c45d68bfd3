/**
 * Keeps the beginning and the end of what a program writes, however much that is: the program writes into a named pipe, and the worker
 * reads it. The file has at most 4 MiB and says how much was left out.
 */

import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Environment, Starter } from './starter.ts';

const [HEAD, TAIL] = [1024 * 1024, 3 * 1024 * 1024];

export interface OutputPlace {
  starter: Starter;
  environment: Environment;
  /** Of the pipe, which is removed at the end. */
  pipe: string;
  /** Of the file. */
  path: string;
  /** The file cannot be written: nothing more is read. */
  onFailure: () => void;
}

/** Throws the system's error, and one where the disk of the task has no named pipes. */
export async function openBoundedOutput(place: OutputPlace): Promise<BoundedOutput> {
  const { starter, environment, pipe, path } = place;
  for (const old of [pipe, path]) rmSync(old, { force: true });
  const words = ['mkfifo', '-m', '600', pipe] as const;
  const made = starter.start({ words, directory: '/', environment, stdout: '/dev/null', stderr: '/dev/null' });
  if ((await made.ended) !== 0) throw new Error(`The pipe ${pipe} for the output of the check could not be made.`);
  return new BoundedOutput(place);
}

export class BoundedOutput {
  private readonly place: OutputPlace;
  private readonly file: number;
  /** Held open by the worker as well, so that it never ends by itself. */
  private readonly pipe: number;
  private readonly socket: Socket;
  private kept = 0;
  private total = 0;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private failure: { error: unknown } | undefined;

  constructor(place: OutputPlace) {
    this.place = place;
    this.file = openSync(place.path, 'a', 0o600);
    this.pipe = openSync(place.pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const reader = openSync(place.pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    this.socket = new Socket({ fd: reader, readable: true, writable: false });
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('error', (error) => this.fail(error));
  }

  /** Reads all that was written up to now, and completes the file. Throws the system's error where it could not be written. */
  async end(): Promise<void> {
    try {
      if (!this.failure) await this.untilRead();
      this.complete();
    } finally {
      this.socket.destroy();
      closeSync(this.pipe);
      closeSync(this.file);
      rmSync(this.place.pipe, { force: true });
    }
    if (this.failure) throw this.failure.error;
  }

  /** A mark behind everything: what is read before it is complete, also while a process still has the pipe. */
  private async untilRead(): Promise<void> {
    const mark = Buffer.from(`\0${crypto.randomUUID()}\0`);
    await new Promise<void>((resolve) => {
      let seen = Buffer.alloc(0);
      let isWritten = false;
      const write = () => {
        isWritten ||= tryWrite(this.pipe, mark);
      };
      this.socket.removeAllListeners('data');
      this.socket.once('close', resolve);
      this.socket.on('data', (chunk) => {
        write();
        seen = Buffer.concat([seen, chunk]);
        const at = seen.indexOf(mark);
        this.take(seen.subarray(0, at === -1 ? Math.max(0, seen.length - mark.length) : at));
        seen = seen.subarray(Math.max(0, seen.length - mark.length));
        if (at !== -1 || this.failure) resolve();
      });
      write();
    });
  }

  private take(chunk: Buffer): void {
    if (this.failure || chunk.length === 0) return;
    this.total += chunk.length;
    const first = chunk.subarray(0, Math.max(0, HEAD - this.kept));
    this.write(first);
    this.kept += first.length;
    if (first.length === chunk.length) return;
    // A copy: the socket uses its memory again.
    this.tail.push(Buffer.from(chunk.subarray(first.length)));
    this.tailBytes += chunk.length - first.length;
    if (this.tailBytes > 2 * TAIL) this.shorten();
  }

  private shorten(): Buffer {
    const whole = Buffer.concat(this.tail);
    const end = whole.subarray(Math.max(0, whole.length - TAIL));
    this.tail = [end];
    this.tailBytes = end.length;
    return end;
  }

  private complete(): void {
    const end = this.shorten();
    const left = this.total - this.kept - end.length;
    if (left > 0) this.write(Buffer.from(`\n… ${left.toLocaleString('en-US')} bytes left out …\n`));
    this.write(end);
  }

  private write(bytes: Buffer): void {
    if (this.failure) return;
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(this.file, bytes, done);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.socket.destroy();
    this.place.onFailure();
  }
}

/** False while the pipe is full: then there is more to read. */
function tryWrite(pipe: number, bytes: Buffer): boolean {
  try {
    return writeSync(pipe, bytes) === bytes.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    return false;
  }
}
