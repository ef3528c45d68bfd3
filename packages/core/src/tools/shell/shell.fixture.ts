/**
 * Provides tests with their own folder and named pipes, with which a test and a real
 * process wait for each other instead of sleeping. A pipe held open by a process also
 * proves that it is alive: its end arrives when the last holder is gone.
 */

import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import type { ReadStream } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAKE_FIFO = 'mkfifo';

export interface ShellFixture extends AsyncDisposable {
  readonly directory: string;
  makeFifo(name: string): Fifo;
}

interface Fifo {
  readonly path: string;
  /** Opens the reading end; reads line by line. */
  listen(): FifoReader;
}

interface FifoReader {
  /** Resolves with the next line, or undefined at the end. */
  nextLine(): Promise<string | undefined>;
  /** Resolves when no process holds the writing end any more. */
  readonly ended: Promise<void>;
}

export async function createShellFixture(): Promise<ShellFixture> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'castor-shell-')));
  const streams: ReadStream[] = [];
  return {
    directory,
    makeFifo(name) {
      const path = join(directory, name);
      execFileSync(MAKE_FIFO, [path]);
      return {
        path,
        listen() {
          const stream = createReadStream(path);
          streams.push(stream);
          return readLines(stream);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const stream of streams) stream.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function readLines(stream: ReadStream): FifoReader {
  const lines: string[] = [];
  const waiting: ((line: string | undefined) => void)[] = [];
  let rest = '';
  let isEnded = false;
  const ended = new Promise<void>((resolve) => {
    stream.once('end', () => {
      isEnded = true;
      for (const give of waiting.splice(0)) give(undefined);
      resolve();
    });
  });
  stream.setEncoding('utf8');
  stream.on('error', () => {});
  stream.on('data', (chunk) => {
    rest += String(chunk);
    const parts = rest.split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
    while (lines.length > 0 && waiting.length > 0) waiting.shift()!(lines.shift());
  });
  return {
    ended,
    nextLine: () =>
      new Promise((resolve) => {
        if (lines.length > 0) resolve(lines.shift());
        else if (isEnded) resolve(undefined);
        else waiting.push(resolve);
      }),
  };
}
