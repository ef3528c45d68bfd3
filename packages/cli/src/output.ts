/**
 * stdout and stderr of the process: the only place that writes text. Sanitises all of it unless raw output was
 * requested, and batches text that arrives together. A reader that closes the pipe is not a failure; a full disk is. A
 * slow reader loses nothing.
 */

import { sanitize, TerminalSanitizer } from './sanitize.ts';

export interface Output {
  /** Whether the answer may be shown as it arrives: text written to a file cannot be taken back. */
  readonly isLive: boolean;
  /** Resolves when the reader keeps up. A failure is red where the reader is a terminal with colours. */
  answer(text: string, tone?: 'failure'): Promise<void> | undefined;
  /** Called before a part of the answer is written, so that the caller can record it first. */
  beforeAnswer?: () => void;
  /** Ends the answer with a newline if it has none. */
  endAnswer(): Promise<void> | undefined;
  /** One message on stderr. */
  note(message: string): void;
  /** Aborted when the reader closes the pipe, or a write fails. */
  readonly closed: AbortSignal;
  /** Why writing failed, unless the reader closed the pipe. */
  readonly failure: Error | undefined;
  /** Flushes the buffer; resolves when the text has reached the reader or no longer can. */
  drained(): Promise<void>;
  /** Drops what the reader has not taken: it does not read any more. */
  abandon(): void;
}

export interface OutputOptions {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Passes control sequences of the answer through. */
  raw?: boolean;
}

/** Batches words that arrive one by one: the least time between two writes, and the most text in one. */
const PAUSE_MS = 10;
const MAX_WAITING = 65_536;

const RED = '\u001b[31m';
const DEFAULT_COLOR = '\u001b[39m';

export function createOutput({ stdout, stderr, raw = false }: OutputOptions): Output {
  const sanitizer = new TerminalSanitizer();
  const closed = new AbortController();
  let failure: Error | undefined;
  let endsWithNewline = true;
  let waiting = '';
  let isScheduled = false;
  let lastWriteAt = -Infinity;
  let isAbandoned = false;

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

  /** After a pause the text is written at once, as soon as everything that arrived with it is buffered. */
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
    answer(text, tone) {
      const safe = raw ? text : sanitizer.write(text);
      const isRed = tone === 'failure' && stdout.isTTY === true && stdout.hasColors();
      return write(isRed ? `${RED}${safe}${DEFAULT_COLOR}` : safe);
    },
    endAnswer() {
      const rest = raw ? '' : sanitizer.end();
      const ended = rest === '' ? endsWithNewline : false;
      return write(ended ? rest : `${rest}\n`);
    },
    note(message) {
      // A terminal shows both as one text.
      flush();
      stderr.write(`${sanitize(message)}\n`);
    },
    async drained() {
      if (waiting !== '') {
        flush();
        // A full disk reports its error a moment later.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all([isAbandoned || flushed(stdout), flushed(stderr)]);
    },
    abandon() {
      isAbandoned = true;
      closed.abort();
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
