/**
 * LiveOutput: what a person sees of a command while it runs, as deltas. At most one a
 * second and each of bounded size, so that a flood of output floods nobody; what is
 * left out is named. A redrawn line appears again as a line of its own.
 */

const INTERVAL_MS = 1000;
/** Per delta, in characters. */
const LIMIT = 16 * 1024;

export class LiveOutput {
  readonly #emit: (text: string) => void;
  readonly #unfinishedLine: () => string;
  readonly #intervalMs: number;
  #waiting: string[] = [];
  #waitingLength = 0;
  #dropped = 0;
  /** The part of the unfinished line that has been shown. */
  #shown = '';
  #timer: NodeJS.Timeout | undefined;
  #lastEmit = -Infinity;

  constructor(options: { emit: (text: string) => void; unfinishedLine: () => string; intervalMs?: number }) {
    this.#emit = options.emit;
    this.#unfinishedLine = options.unfinishedLine;
    this.#intervalMs = options.intervalMs ?? INTERVAL_MS;
  }

  /** `text` is complete; the unfinished line may have changed too. */
  push(text: string): void {
    if (text !== '') this.#keep(text);
    const wait = this.#lastEmit + this.#intervalMs - performance.now();
    if (wait <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), wait).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const line = this.#unfinishedLine();
    const done = this.#waiting.join('');
    const text = this.#delta(done, line);
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#dropped = 0;
    this.#shown = line;
    if (text === '') return;
    this.#lastEmit = performance.now();
    this.#emit(text);
  }

  /** Shows a remark of ours on a line of its own. */
  remark(text: string): void {
    this.flush();
    this.#emit(`\n${text}\n`);
  }

  #delta(done: string, line: string): string {
    const note = this.#dropped > 0 ? `\n... [${this.#dropped} characters not shown] ...\n` : '';
    const next = done === '' ? line : done;
    const rest = done === '' ? '' : line;
    if (note === '' && next.startsWith(this.#shown)) return next.slice(this.#shown.length) + rest;
    const breakBefore = this.#shown === '' || note !== '' ? '' : '\n';
    return note + breakBefore + next + rest;
  }

  #keep(text: string): void {
    const tail = text.length > LIMIT ? text.slice(-LIMIT) : text;
    this.#dropped += text.length - tail.length;
    this.#waiting.push(tail);
    this.#waitingLength += tail.length;
    while (this.#waitingLength > LIMIT && this.#waiting.length > 1) {
      const oldest = this.#waiting.shift()!;
      this.#waitingLength -= oldest.length;
      this.#dropped += oldest.length;
    }
  }
}
