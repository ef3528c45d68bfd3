/**
 * What to send so that the terminal shows finished lines once, in its own scrollback,
 * and below them a small frame that changes. It owns the picture of the frame on the
 * screen and nothing else: never a row above the frame, never the whole screen, and no
 * place but relative to the cursor. What it sends may arrive after the window has changed:
 * so what is final is only ever added to, never written again, and all that is taken away
 * is below it.
 */

import { changeFrame } from './change-frame.ts';
import { compactRow } from './compact-row.ts';
import { drawFrame } from './draw-frame.ts';
import { eraseFrom, eraseResized, toSeam } from './erase-frame.ts';
import { NO_FRAME, fitFrame } from './fit-frame.ts';
import type { FittedFrame } from './fit-frame.ts';
import { ERASE_BELOW, repeatLines } from './moves.ts';
import { additionTo } from './row-change.ts';
import { hasSureWidth } from './row-width.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Caret {
  readonly row: number;
  readonly column: number;
}

export interface Frame {
  /** Without line ends; wider ones are cut. */
  readonly rows: readonly string[];
  /** Where the real cursor stands; without it the cursor is hidden. */
  readonly caret?: Caret | undefined;
  /** The user is not typing: the caret may be drawn, and the cursor parked where a resize does no harm. */
  readonly isCaretDrawn?: boolean;
  /** All before this place is final already, and will not look otherwise. */
  readonly seam?: Caret | undefined;
}

/**
 * What a terminal does with rows that no longer fit when it gets narrower: it cuts them
 * (`none`), breaks them and keeps the cursor at its text (`text`), or breaks them and moves the
 * cursor also for rows below it (`rows`, xterm.js). Of most it is not known which of the
 * last two they do (`either`): there no row that may break stands below the cursor.
 */
export type Reflow = 'none' | 'text' | 'rows' | 'either';

export interface PainterOptions {
  readonly reflow?: Reflow;
  /** What of the frame is final stays where it is and counts as written; false if nothing may. */
  readonly onGrownLeft?: (() => boolean) | undefined;
}

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';

export class Painter {
  private reflow: Reflow;
  private readonly onGrownLeft: () => boolean;
  private size: Size | undefined;
  /** What is on the screen. */
  private shown = NO_FRAME;
  /** What a resize takes away, until the next frame. */
  private erased = '';
  private isDisturbed = false;
  /** Whether the terminal has said what it is. */
  private isHeard = false;
  private lastTail = '';

  constructor({ reflow = 'either', onGrownLeft = () => false }: PainterOptions = {}) {
    this.reflow = reflow;
    this.onGrownLeft = onGrownLeft;
  }

  /** The terminal has said what it is: what that means, if anything was not known. */
  learn(reflow: Reflow | undefined): void {
    this.isHeard = true;
    if (this.reflow === 'either' && reflow) this.reflow = reflow;
  }

  /** Writes `lines` above the frame, for good, and makes the frame this one. Lines may be wider than the terminal. */
  paint(lines: readonly string[], frame: Frame, size: Size): string {
    this.resize(size);
    const next = this.calm(fitFrame(frame, size, this.reflow));
    const { shown } = this;
    const change = lines.length === 0 && this.erased === '' ? changeFrame(shown, next) : undefined;
    const out = change ?? this.rewrite(lines.map(compactRow), next);
    const cursor = shown.isCursorShown === next.isCursorShown ? '' : next.isCursorShown ? SHOW_CURSOR : HIDE_CURSOR;
    this.shown = next;
    // tmux repeats no such character, and of others it is not known.
    const bytes = this.reflow === 'rows' ? repeatLines(out) : out;
    return bytes + cursor === '' ? '' : `${BEGIN}${bytes}${cursor}${END}`;
  }

  /** The window changes: what is on the screen may be another picture by now, even if it comes back to its size. */
  disturb(): void {
    this.isDisturbed = true;
  }

  /** The terminal has another size, and has made something else of the frame: that is taken away with the next one. */
  resize(size: Size): void {
    const before = this.size ?? size;
    const isSame = before.columns === size.columns && before.rows === size.rows && !this.isDisturbed;
    this.size = size;
    this.isDisturbed = false;
    const { shown, reflow } = this;
    if (isSame || shown.rows.length === 0) return;
    const isLeft = shown.grown.length > 0 && this.onGrownLeft();
    this.erased = eraseResized(shown, isLeft, {
      before,
      after: size,
      reflow,
      isLeast: reflow === 'either' && !this.isHeard,
    });
    this.shown = { ...NO_FRAME, isCursorShown: shown.isCursorShown };
  }

  /** Takes the frame away; the cursor stands where it began. What follows may be written as usual. */
  leave(): string {
    const { rows, isCursorShown } = this.shown;
    const frame = rows.length > 0 ? eraseFrom(0, this.shown, this.reflow) : '';
    const out = this.erased + frame + (isCursorShown ? '' : SHOW_CURSOR);
    this.forget();
    return out;
  }

  /** Another program wrote to the terminal: the next frame begins where the cursor is. */
  forget(): void {
    this.shown = NO_FRAME;
    this.erased = '';
  }

  /**
   * Half a word is shown when it has not grown for a frame: where the end of what is final is found by its column, it
   * could be left behind in a window that has changed meanwhile.
   */
  private calm(next: FittedFrame): FittedFrame {
    const isCalm = next.tail === this.lastTail || next.restsAtSeam;
    this.lastTail = next.tail;
    return isCalm ? next : { ...next, tail: '', rows: [...next.grown, ...next.rows.slice(next.grown.length)] };
  }

  /** What is not final is taken away; then text flows as in any program, and the frame is drawn under it. */
  private rewrite(lines: readonly string[], next: FittedFrame): string {
    const final = [...lines, ...next.grown];
    const { kept, added } = continuation(this.shown, final);
    const old = this.erased + this.clear(kept);
    this.erased = '';
    const hasText = kept > 0 || final.length > 0;
    const text = final.slice(kept).map((row, index) => (kept + index > 0 ? `\r\n${row}` : row));
    const isBelow = hasText && next.grown.length === 0;
    return `${old}${added}${text.join('')}${isBelow ? '\r\n' : ''}${drawFrame(next, this.reflow)}`;
  }

  /** The cursor comes to the end of the rows that are kept, with nothing behind or below it. */
  private clear(kept: number): string {
    const { rows, rest, restsAtSeam, grown } = this.shown;
    if (rows.length === 0) return '';
    if (kept === 0) return eraseFrom(0, this.shown, this.reflow);
    if (rest.row === kept - 1) return restsAtSeam ? ERASE_BELOW : `\r\n${toSeam(grown.slice(0, kept))}${ERASE_BELOW}`;
    return `${eraseFrom(kept, this.shown, this.reflow)}${toSeam(grown.slice(0, kept))}`;
  }
}

/** How many rows of what was final are kept, and what the last of them goes on with. */
function continuation({ grown, restsAtSeam }: FittedFrame, final: readonly string[]) {
  let kept = 0;
  while (kept < grown.length && grown[kept] === final[kept]) kept++;
  const [row = '', next] = [grown[kept], final[kept]];
  // Where a terminal may count cells in another way than we do, the end of a row cannot be named: it is written again.
  const isSure = restsAtSeam || hasSureWidth(row);
  const added = kept === grown.length - 1 && next !== undefined && isSure ? additionTo(row, next) : undefined;
  if (added !== undefined) return { kept: kept + 1, added };
  const isAtEnd = restsAtSeam && kept === grown.length;
  while (!isAtEnd && kept > 0 && !hasSureWidth(grown[kept - 1] ?? '')) kept--;
  return { kept, added: '' };
}
