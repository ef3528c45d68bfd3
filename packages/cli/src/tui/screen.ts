/**
 * The one who writes to the terminal: finished lines and the frame, together, at most
 * thirty times a second for what arrives and at once for what is typed. It knows when
 * to draw and nothing about what.
 */

import { AlternatePainter } from './terminal/alternate-painter.ts';
import { LinearPainter } from './terminal/linear-painter.ts';
import { Painter } from './terminal/painter.ts';
import type { Frame, Reflow, Size } from './terminal/painter.ts';
import type { TerminalSession } from './terminal/terminal-session.ts';

export interface ScreenOptions {
  readonly terminal: Pick<TerminalSession, 'write' | 'size' | 'onResize' | 'drained'>;
  readonly reflow: Reflow;
  /** The lines that became final since the last call, and the frame under them. */
  readonly draw: (size: Size) => { lines: readonly string[]; frame: Frame };
  /** Told before the first frame of a new size. */
  readonly onResize: (size: Size) => void;
}

const FRAME_MS = 33;
/** A window that is being dragged sends many sizes; the last one counts. */
const RESIZE_MS = 20;

export class Screen {
  private readonly options: ScreenOptions;
  private painter: Painter | LinearPainter | AlternatePainter;
  private readonly stopListening: () => void;
  private own: string[] = [];
  /** The last line above the frame. */
  private lastLine: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private ticker: NodeJS.Timeout | undefined;
  private lastFrameAt = -Infinity;
  private isHeld = false;
  private isDrawing = false;
  private isClosed = false;

  constructor(options: ScreenOptions) {
    this.options = options;
    this.painter = new Painter({ reflow: options.reflow });
    this.stopListening = options.terminal.onResize(() => {
      options.onResize(options.terminal.size);
      this.schedule(RESIZE_MS);
    });
  }

  /** From here on for a screen reader: nothing is drawn again but the input line. */
  useLinear(): void {
    this.options.terminal.write(this.painter.leave());
    this.painter = new LinearPainter();
  }

  /** From here on the whole screen is drawn; the terminal has been switched to its other one. */
  useAlternate(): void {
    this.painter = new AlternatePainter();
  }

  /** Where scrolling is ours: rows down, or up when negative. Answers whether it is. */
  scroll(rows: number): boolean {
    if (!(this.painter instanceof AlternatePainter)) return false;
    this.painter.scroll(rows);
    this.drawNow();
    return true;
  }

  /** Lines of our own, above the frame, for good. */
  print(lines: readonly string[]): void {
    const isDoubleGap = lines[0] === '' && (this.own.at(-1) ?? this.lastLine) === '';
    this.own.push(...(isDoubleGap ? lines.slice(1) : lines));
    this.schedule(0);
  }

  /** Something arrived: it may wait for the next frame. */
  refresh(): void {
    if (this.timer) return;
    this.schedule(Math.max(0, this.lastFrameAt + FRAME_MS - performance.now()));
  }

  /** Something was typed: a person looks at it. */
  drawNow(): void {
    if (this.isHeld || this.isClosed || this.isDrawing) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    // A terminal that cannot keep up gets fewer frames, not a longer backlog.
    const drained = this.options.terminal.drained();
    if (drained) {
      void drained.then(() => this.refresh());
      return;
    }
    this.isDrawing = true;
    try {
      const { size } = this.options.terminal;
      const own = this.own;
      this.own = [];
      const { lines, frame } = this.options.draw(size);
      this.lastFrameAt = performance.now();
      this.lastLine = lines.at(-1) ?? own.at(-1) ?? this.lastLine;
      this.options.terminal.write(this.painter.paint([...own, ...lines], frame, size));
    } finally {
      this.isDrawing = false;
    }
  }

  /** Draws on its own while something moves. */
  animate(isMoving: boolean): void {
    if (isMoving && !this.ticker && !this.isClosed) this.ticker = setInterval(() => this.refresh(), 100);
    if (isMoving) return;
    clearInterval(this.ticker);
    this.ticker = undefined;
  }

  /** Somebody else has the terminal; the frame is taken away first. */
  hold(): void {
    if (this.isHeld) return;
    this.options.terminal.write(this.painter.leave());
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    this.painter.forget();
    this.drawNow();
  }

  /** The last lines, and no frame any more. */
  close(): void {
    if (this.isClosed) return;
    this.animate(false);
    try {
      this.drawNow();
    } finally {
      // What broke the last frame must not leave the one before it behind.
      this.isClosed = true;
      clearTimeout(this.timer);
      this.stopListening();
      const text = this.own.map((line) => `${line}\r\n`).join('');
      this.options.terminal.write(`${this.isHeld ? '' : this.painter.leave()}${text}`);
    }
  }

  private schedule(delay: number): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.drawNow();
    }, delay);
  }
}
