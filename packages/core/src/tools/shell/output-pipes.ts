/**
 * Provides real pipes for the output of commands. Node's own are sockets, which programs
 * cannot reopen as /dev/stdout, and separate for each stream, which loses the order of
 * stdout and stderr. Named pipes are created a few at a time, opened once and unlinked
 * immediately.
 */

import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtin } from '../../util/builtin-modules.ts';
import { makeDirectory } from '../../util/make-directory.ts';

export interface OutputPipe {
  /** For the child; to be closed in this process as soon as the child has started. */
  readonly writeEnd: number;
  /** Passes each chunk in a buffer that is reused: copy what you keep. */
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

  /** Undefined when a pipe cannot be created: a full disk, an unsupported system. */
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

/** Opens the reading end first: without a reader, opening the writing end would block. */
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
    // Already closed; nothing is lost.
  }
}
