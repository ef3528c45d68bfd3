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
  readonly terminal: Pick<TerminalSession, 'write' | 'size' | 'measure' | 'onResize' | 'drained'>;
  readonly reflow: Reflow;
  /** The lines that became final since the last call, and the frame under them. */
  readonly draw: (size: Size) => { lines: readonly string[]; frame: Frame };
  /** Told before the first frame of a new size. */
  readonly onResize: (size: Size) => void;
  /** What was final of the frame stays in the scrollback; answers whether it may. See Painter. */
  readonly onGrownLeft?: () => boolean;
  /** Told of a frame of which only a part fits. */
  readonly onTallFrame?: () => void;
  /** How long a window rests before it counts as resting; default SETTLE_MS. */
  readonly settleMs?: number | undefined;
}

const FRAME_MS = 33;
/**
 * Lines that arrive faster than a user can read: the frame under them is drawn anew each time, so that a frame comes the
 * later the more bytes it takes.
 */
const FRAME_BYTES_PER_MS = 3.6;
const MOST_FLOW_MS = 250;
/**
 * A window that is being dragged has many sizes; the last one counts. What is written for one and arrives in another
 * is put in the wrong place, so nothing is written before the window has come to rest.
 */
const SETTLE_MS = 60;
/** So often a window is found to be moving still; then it is drawn in as well as may be. */
const MOST_TRIES = 8;

export class Screen {
  private readonly options: ScreenOptions;
  private painter: Painter | LinearPainter | AlternatePainter;
  private readonly stopListening: () => void;
  private own: string[] = [];
  /** The last line above the frame. */
  private lastLine: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Present while the window changes. */
  private settling: NodeJS.Timeout | undefined;
  /** The size the terminal had when the window came to rest, whether or not a resize event reported it. */
  private believed: Size | undefined;
  private ticker: NodeJS.Timeout | undefined;
  private nextFrameAt = -Infinity;
  private isHeld = false;
  private isFrozen = false;
  private isDrawing = false;
  private isClosed = false;

  constructor(options: ScreenOptions) {
    this.options = options;
    const { onGrownLeft } = options;
    this.painter = new Painter({ reflow: options.reflow, onGrownLeft });
    this.stopListening = options.terminal.onResize(() => {
      if (this.painter instanceof Painter) {
        this.painter.disturb();
        this.settle();
      }
      options.onResize(options.terminal.size);
      this.refresh();
    });
  }

  /** The terminal has said what it is, and so maybe what it does with rows that no longer fit. */
  learn(reflow: Reflow | undefined): void {
    if (this.painter instanceof Painter) this.painter.learn(reflow);
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
    this.paint();
    return true;
  }

  /** Where scrolling is ours, the end is in sight again with the next frame. */
  follow(): void {
    if (this.painter instanceof AlternatePainter) this.painter.scroll(Infinity);
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
    this.schedule(Math.max(0, this.nextFrameAt - performance.now()));
  }

  /** Something was typed: a person looks at it. */
  drawNow(): void {
    if (!this.isFrozen) this.paint();
  }

  /** After one more frame nothing moves but by scrolling, so that text can be selected; and back. */
  freeze(isFrozen: boolean): void {
    this.isFrozen = false;
    this.drawNow();
    this.isFrozen = isFrozen;
  }

  private paint(): void {
    if (this.isHeld || this.isClosed || this.isDrawing || this.settling) return;
    if (this.isMoving()) return this.settle();
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
      if (this.painter instanceof Painter) this.painter.resize(size);
      const { lines, frame } = this.options.draw(size);
      if (frame.rows.length >= size.rows) this.options.onTallFrame?.();
      this.lastLine = lines.at(-1) ?? own.at(-1) ?? this.lastLine;
      const bytes = this.painter.paint([...own, ...lines], frame, size);
      this.nextFrameAt = performance.now() + (lines.length > 0 ? flowMsOf(bytes, lines) : FRAME_MS);
      this.options.terminal.write(bytes);
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

  /** Whether the whole screen is drawn here. */
  get isWhole(): boolean {
    return this.painter instanceof AlternatePainter;
  }

  /** Another program gets the terminal; the frame is erased first. */
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
    this.isFrozen = false;
    clearTimeout(this.settling);
    this.settling = undefined;
    this.believed = this.options.terminal.measure();
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

  /** Nothing is drawn until the window keeps its size, or until its size was asked for often enough. */
  private settle(tries = MOST_TRIES): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      if (this.isMoving() && tries > 0) return this.settle(tries - 1);
      this.believed = this.options.terminal.measure();
      this.settling = undefined;
      this.drawNow();
    }, this.options.settleMs ?? SETTLE_MS);
  }

  /** The terminal has a new size whose resize event has not arrived yet. */
  private isMoving(): boolean {
    if (!(this.painter instanceof Painter) || this.isClosed) return false;
    const measured = this.options.terminal.measure();
    return !isSameSize(measured, this.options.terminal.size) && !isSameSize(measured, this.believed);
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

/** What the frame has cost is what was written beside the lines. */
function flowMsOf(bytes: string, lines: readonly string[]): number {
  const cost = lines.reduce((rest, line) => rest - Buffer.byteLength(line), Buffer.byteLength(bytes));
  return Math.min(MOST_FLOW_MS, Math.max(FRAME_MS, cost / FRAME_BYTES_PER_MS));
}

function isSameSize(left: Size, right: Size | undefined): boolean {
  return left.columns === right?.columns && left.rows === right.rows;
}
