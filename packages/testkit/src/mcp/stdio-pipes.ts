/**
 * Writes to the pipes of a process synchronously: a crash loses nothing that was written before it, and a client that
 * does not read blocks the server, as it blocks servers that are not written in JavaScript.
 */

import { closeSync, openSync, writeSync } from 'node:fs';

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;

const RETRY_MILLISECONDS = 1;

export function writeAll(pipe: number, content: string | Buffer): void {
  const bytes = Buffer.from(content);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(pipe, bytes, written);
    } catch (error) {
      // The client has closed its end.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      // A client may hand over a pipe that does not block.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MILLISECONDS);
    }
  }
}

/** Closes our end; the null device takes its number, so that no later file does. */
export function closePipe(pipe: number): void {
  closeSync(pipe);
  openSync('/dev/null', pipe === STDIN ? 'r' : 'w');
}
