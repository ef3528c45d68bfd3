/**
 * LiveOutput: shows the user the output of a running command, as deltas. It emits at most
 * one delta a second, each of bounded size, so that a flood of output does not reach the
 * surface; it reports how much it omits. A redrawn line appears again as a separate line.
 * Once the user types into the command, deltas come at screen rate so that they see what
 * they type, and a carriage return in a delta restarts the unfinished line.
 */

const INTERVAL_MS = 1000;
const ATTENDED_INTERVAL_MS = 30;
/** Per delta, in characters. */
const LIMIT = 16 * 1024;

export class LiveOutput {
  private readonly emit: (text: string) => void;
  private readonly unfinishedLine: () => string;
  private intervalMs: number;
  private isAttended = false;
  private waiting: string[] = [];
  private waitingLength = 0;
  private dropped = 0;
  /** The part of the unfinished line that has been shown. */
  private shown = '';
  private timer: NodeJS.Timeout | undefined;
  private lastEmit = -Infinity;

  constructor(options: {
    emit: (text: string) => void;
    unfinishedLine: () => string;
    intervalMs?: number | undefined;
  }) {
    this.emit = options.emit;
    this.unfinishedLine = options.unfinishedLine;
    this.intervalMs = options.intervalMs ?? INTERVAL_MS;
  }

  /** `text` is complete; the unfinished line may have changed too. */
  push(text: string): void {
    if (text !== '') this.keep(text);
    const wait = this.lastEmit + this.intervalMs - performance.now();
    if (wait <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), wait).unref();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const line = this.unfinishedLine();
    const done = this.waiting.join('');
    const text = this.delta(done, line);
    this.waiting = [];
    this.waitingLength = 0;
    this.dropped = 0;
    this.shown = line;
    if (text === '') return;
    this.lastEmit = performance.now();
    this.emit(text);
  }

  /** The user types into the command and watches it. */
  attend(): void {
    if (this.isAttended) return;
    this.isAttended = true;
    this.intervalMs = Math.min(this.intervalMs, ATTENDED_INTERVAL_MS);
    this.flush();
  }

  /** Shows our own remark on a separate line. */
  remark(text: string): void {
    this.flush();
    this.emit(`\n${text}\n`);
    // The line is repeated completely below the remark.
    this.shown = '';
  }

  private delta(done: string, line: string): string {
    const note = this.dropped > 0 ? `\n... [${this.dropped} characters not shown] ...\n` : '';
    const next = done === '' ? line : done;
    const rest = done === '' ? '' : line;
    if (note === '' && next.startsWith(this.shown)) return next.slice(this.shown.length) + rest;
    const breakBefore = this.shown === '' || note !== '' ? '' : this.isAttended ? '\r' : '\n';
    return note + breakBefore + next + rest;
  }

  private keep(text: string): void {
    const tail = text.length > LIMIT ? text.slice(-LIMIT) : text;
    this.dropped += text.length - tail.length;
    this.waiting.push(tail);
    this.waitingLength += tail.length;
    while (this.waitingLength > LIMIT && this.waiting.length > 1) {
      const oldest = this.waiting.shift()!;
      this.waitingLength -= oldest.length;
      this.dropped += oldest.length;
    }
  }
}
