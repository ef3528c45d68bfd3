/**
 * stdout and stderr of the process: the one place text leaves through. All of it is
 * sanitised here unless raw was asked for. What comes together is written together. A
 * reader that has gone away is not a failure; a disk that is full is. Nothing is lost
 * to a slow reader.
 */

import { sanitize, TerminalSanitizer } from './sanitize.ts';

export interface Output {
  /** Whether the answer may be shown as it arrives: what a person has seen cannot be taken back from a file. */
  readonly isLive: boolean;
  /** Resolves when the reader keeps up. */
  answer(text: string): Promise<void> | undefined;
  /** Called before something of the answer is written: what is shown can be on record by then. */
  beforeAnswer?: () => void;
  /** Ends the answer with a newline if it has none. */
  endAnswer(): Promise<void> | undefined;
  /** One message on stderr. */
  note(message: string): void;
  /** Aborted when the reader has closed the pipe, or a write fails. */
  readonly closed: AbortSignal;
  /** Why writing failed, unless the reader has just gone away. */
  readonly failure: Error | undefined;
  /** Writes at once what there is to write; resolves when it has reached the reader or can no longer. */
  drained(): Promise<void>;
}

export interface OutputOptions {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Lets control sequences of the answer through. */
  raw?: boolean;
}

/** Words that come one by one are written together, this often at most, and never more of them at once. */
const PAUSE_MS = 10;
const MAX_WAITING = 65_536;

export function createOutput({ stdout, stderr, raw = false }: OutputOptions): Output {
  const sanitizer = new TerminalSanitizer();
  const closed = new AbortController();
  let failure: Error | undefined;
  let endsWithNewline = true;
  let waiting = '';
  let isScheduled = false;
  let lastWriteAt = -Infinity;

  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error;
    closed.abort();
  });
  // stderr has no reader, so the error cannot be reported.
  stderr.on('error', () => {});

  function write(text: string): Promise<void> | undefined {
    if (text === '' || closed.signal.aborted) return undefined;
    endsWithNewline = text.endsWith('\n');
    waiting += text;
    if (waiting.length >= MAX_WAITING) flush();
    else if (!isScheduled) schedule();
    return stdout.writableNeedDrain ? untilWritable(stdout, closed.signal) : undefined;
  }

  /** What stood still for a while is shown at once: when all that arrived with it has been taken in. */
  function schedule(): void {
    isScheduled = true;
    const pause = lastWriteAt + PAUSE_MS - performance.now();
    if (pause > 0) setTimeout(flush, pause);
    else process.nextTick(flush);
  }

  function flush(): void {
    isScheduled = false;
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    lastWriteAt = performance.now();
    output.beforeAnswer?.();
    if (!closed.signal.aborted) stdout.write(text);
  }

  const output: Output = {
    isLive: stdout.isTTY === true,
    closed: closed.signal,
    get failure() {
      return failure;
    },
    answer: (text) => write(raw ? text : sanitizer.write(text)),
    endAnswer() {
      const rest = raw ? '' : sanitizer.end();
      const ended = rest === '' ? endsWithNewline : false;
      return write(ended ? rest : `${rest}\n`);
    },
    note(message) {
      // On a terminal both are one text.
      flush();
      stderr.write(`${sanitize(message)}\n`);
    },
    async drained() {
      if (waiting !== '') {
        flush();
        // A disk that takes nothing says so a moment later.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all([flushed(stdout), flushed(stderr)]);
    },
  };
  return output;
}

function untilWritable(stream: NodeJS.WriteStream, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      closed.removeEventListener('abort', done);
      resolve();
    };
    stream.on('drain', done);
    closed.addEventListener('abort', done);
  });
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}
