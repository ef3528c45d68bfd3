/**
 * Real pipes for the output of commands. Node's own are sockets, which programs cannot
 * reopen as /dev/stdout, and one for each stream, which loses the order of stdout and
 * stderr. Named pipes are made a few at a time, opened once and unlinked at once.
 */

import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtin } from '../../util/builtin-modules.ts';
import { makeDirectory } from '../../util/make-directory.ts';

export interface OutputPipe {
  /** For the child; to be closed here as soon as it has started. */
  readonly writeEnd: number;
  /** Hands out each chunk in a buffer that is used again: copy what you keep. */
  read(onData: (bytes: Uint8Array) => void): Socket;
}

const BATCH = 8;
const CHUNK = 64 * 1024;

export class OutputPipes {
  private readonly parent: string;
  private directory: Promise<string> | undefined;
  private ready: string[] = [];
  private making: Promise<void> | undefined;
  private made = 0;

  constructor(tempDirectory: string) {
    this.parent = tempDirectory;
  }

  /** Undefined where no such pipe can be had: a full disk, a system without them. */
  async open(): Promise<OutputPipe | undefined> {
    try {
      return openPipe(await this.take());
    } catch {
      return undefined;
    }
  }

  async dispose(): Promise<void> {
    const directory = await this.directory?.catch(() => undefined);
    this.directory = undefined;
    this.ready = [];
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }

  private async take(): Promise<string> {
    for (;;) {
      const path = this.ready.pop();
      if (path !== undefined) return path;
      this.making ??= this.make().finally(() => (this.making = undefined));
      await this.making;
    }
  }

  private async make(): Promise<void> {
    this.directory ??= makeOwnDirectory(this.parent);
    const directory = await this.directory;
    const paths = Array.from({ length: BATCH }, () => join(directory, `output-${++this.made}`));
    await promisify(builtin.childProcess.execFile)('mkfifo', ['-m', '600', ...paths]);
    this.ready.push(...paths);
  }
}

async function makeOwnDirectory(parent: string): Promise<string> {
  makeDirectory(parent);
  return mkdtemp(join(parent, 'shell-'));
}

/** The reading end first: only with a reader does the writing end open without waiting. */
function openPipe(path: string): OutputPipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  return {
    writeEnd,
    read(onData) {
      const buffer = Buffer.allocUnsafeSlow(CHUNK);
      const callback = (count: number) => {
        onData(buffer.subarray(0, count));
        return true;
      };
      const socket = new Socket({ fd: readEnd, readable: true, writable: false, onread: { buffer, callback } });
      socket.resume();
      return socket;
    },
  };
}

export function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Closed already; nothing is lost.
  }
}
