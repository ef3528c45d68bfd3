/**
 * The only writer of the terminal: finished lines and the frame, together, at most thirty times a second for events and
 * at once for keys. It decides when to draw, not what.
 */

import { AlternatePainter } from '../terminal/alternate-painter.ts';
import { LinearPainter } from '../terminal/linear-painter.ts';
import { InlinePainter } from '../terminal/inline-painter.ts';
import type { Frame, Painter, Reflow, Size } from '../terminal/painter.ts';
import type { TerminalSession } from '../terminal/terminal-session.ts';

export interface ScreenOptions {
  readonly terminal: Pick<TerminalSession, 'write' | 'size' | 'measure' | 'onResize' | 'drained'>;
  readonly reflow: Reflow;
  /** The lines that became final since the last call, and the frame under them. */
  readonly draw: (size: Size) => { lines: readonly string[]; frame: Frame };
  /** Called before the first frame of a new size. */
  readonly onResize: (size: Size) => void;
  /** The final part of the frame stays in the scrollback; returns whether it may. See Painter. */
  readonly onGrownLeft?: () => boolean;
  /** Called for a frame of which only a part fits. */
  readonly onTallFrame?: () => void;
  /** How long a window must keep its size to count as settled; default SETTLE_MS. */
  readonly settleMs?: number | undefined;
}

const FRAME_MS = 33;
/**
 * For lines that arrive faster than a user can read: each redraws the frame under them, so the more bytes a frame
 * takes, the later the next one follows.
 */
const FRAME_BYTES_PER_MS = 3.6;
const MOST_FLOW_MS = 250;
/**
 * A window that is being dragged has many sizes; the last one counts. Bytes written for one size that arrive in another
 * land in the wrong place, so nothing is written before the window has settled.
 */
const SETTLE_MS = 60;
/** How often a moving window is checked before the screen draws anyway. */
const MOST_TRIES = 8;

export class Screen {
  private readonly options: ScreenOptions;
  private painter: Painter;
  private readonly stopListening: () => void;
  private own: string[] = [];
  /** The last line above the frame. */
  private lastLine: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Set while the window changes. */
  private settling: NodeJS.Timeout | undefined;
  /** The size of the terminal when the window settled, whether or not a resize event reported it. */
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
    this.painter = new InlinePainter({ reflow: options.reflow, onGrownLeft });
    this.stopListening = options.terminal.onResize(() => {
      this.painter.disturb();
      if (this.painter.needsSettledWindow) this.settle();
      options.onResize(options.terminal.size);
      this.refresh();
    });
  }

  /** The terminal has identified itself, and so perhaps how it reflows rows that no longer fit. */
  learn(reflow: Reflow | undefined): void {
    this.painter.learn(reflow);
  }

  /** Switches to output for a screen reader: only the input line is redrawn. */
  useLinear(): void {
    this.options.terminal.write(this.painter.leave());
    this.painter = new LinearPainter();
  }

  /** Switches to drawing the whole screen; the terminal is on its alternate screen already. */
  useAlternate(): void {
    this.painter = new AlternatePainter();
  }

  /** Scrolls the alternate screen: rows down, or up when negative. Returns false elsewhere. */
  scroll(rows: number): boolean {
    const hasScrolled = this.painter.scroll(rows);
    if (hasScrolled) this.paint();
    return hasScrolled;
  }

  /** On the alternate screen, the next frame shows the end again. */
  follow(): void {
    this.painter.scroll(Infinity);
  }

  /** Prints lines of our own above the frame, permanently. */
  print(lines: readonly string[]): void {
    const isDoubleGap = lines[0] === '' && (this.own.at(-1) ?? this.lastLine) === '';
    this.own.push(...(isDoubleGap ? lines.slice(1) : lines));
    this.schedule(0);
  }

  /** An event arrived: it may wait for the next frame. */
  refresh(): void {
    if (this.timer) return;
    this.schedule(Math.max(0, this.nextFrameAt - performance.now()));
  }

  /** The user typed: draws at once. */
  drawNow(): void {
    if (!this.isFrozen) this.paint();
  }

  /** Freezes the screen after one more frame, except for scrolling, so that text can be selected; and unfreezes it. */
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
      this.painter.resize(size);
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

  /** Redraws periodically while something moves. */
  animate(isMoving: boolean): void {
    if (isMoving && !this.ticker && !this.isClosed) this.ticker = setInterval(() => this.refresh(), 100);
    if (isMoving) return;
    clearInterval(this.ticker);
    this.ticker = undefined;
  }

  /** Whether Castor draws the whole screen, on the alternate screen. */
  get isWhole(): boolean {
    return this.painter.isWhole;
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

  /** Writes the last lines and erases the frame. */
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
      // An error in the last frame must not leave the previous one on the screen.
      this.isClosed = true;
      clearTimeout(this.timer);
      this.stopListening();
      const text = this.own.map((line) => `${line}\r\n`).join('');
      this.options.terminal.write(`${this.isHeld ? '' : this.painter.leave()}${text}`);
    }
  }

  /** Draws nothing until the window keeps its size, or the checks are used up. */
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
    if (!this.painter.needsSettledWindow || this.isClosed) return false;
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

/** The cost of a frame is the bytes written besides the lines. */
function flowMsOf(bytes: string, lines: readonly string[]): number {
  const cost = lines.reduce((rest, line) => rest - Buffer.byteLength(line), Buffer.byteLength(bytes));
  return Math.min(MOST_FLOW_MS, Math.max(FRAME_MS, cost / FRAME_BYTES_PER_MS));
}

function isSameSize(left: Size, right: Size | undefined): boolean {
  return left.columns === right?.columns && left.rows === right.rows;
}
