/**
 * Computes the bytes that make the terminal show finished lines once, in its own scrollback, and below them a small
 * frame that changes. It owns the picture of the frame on the screen and nothing else: never a row above the frame,
 * never the whole screen, and only positions relative to the cursor. Its bytes may arrive after the window has changed:
 * so final text is only ever appended to, never rewritten, and everything that is erased is below it.
 */

import { changeFrame } from './change-frame.ts';
import { compactRow } from '../text/compact-row.ts';
import { drawFrame } from './draw-frame.ts';
import { eraseFrom, eraseResized, toSeam } from './erase-frame.ts';
import { NO_FRAME, fitFrame } from './fit-frame.ts';
import type { FittedFrame } from './fit-frame.ts';
import type { Frame, Painter, Reflow, Size } from './painter.ts';
import { ERASE_BELOW, repeatLines } from './moves.ts';
import { additionTo } from './row-change.ts';
import { hasSureWidth } from '../text/row-width.ts';

export interface InlinePainterOptions {
  readonly reflow?: Reflow;
  /** The final part of the frame stays where it is and counts as written; false if it may not. */
  readonly onGrownLeft?: (() => boolean) | undefined;
}

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';

export class InlinePainter implements Painter {
  readonly isWhole = false;
  readonly needsSettledWindow = true;
  private reflow: Reflow;
  private readonly onGrownLeft: () => boolean;
  private size: Size | undefined;
  /** The frame on the screen. */
  private shown = NO_FRAME;
  /** The bytes that erase a resized frame, until the next paint. */
  private erased = '';
  private isDisturbed = false;
  /** Whether the terminal has identified itself. */
  private isHeard = false;
  private lastTail = '';

  constructor({ reflow = 'either', onGrownLeft = () => false }: InlinePainterOptions = {}) {
    this.reflow = reflow;
    this.onGrownLeft = onGrownLeft;
  }

  /** The terminal has identified itself: sets its reflow, if that was unknown. */
  learn(reflow: Reflow | undefined): void {
    this.isHeard = true;
    if (this.reflow === 'either' && reflow) this.reflow = reflow;
  }

  /** Writes `lines` above the frame, permanently, and replaces the frame. Lines may be wider than the terminal. */
  paint(lines: readonly string[], frame: Frame, size: Size): string {
    this.resize(size);
    const next = this.calm(fitFrame(frame, size, this.reflow));
    const { shown } = this;
    const change = lines.length === 0 && this.erased === '' ? changeFrame(shown, next) : undefined;
    const out = change ?? this.rewrite(lines.map(compactRow), next);
    const cursor = shown.isCursorShown === next.isCursorShown ? '' : next.isCursorShown ? SHOW_CURSOR : HIDE_CURSOR;
    this.shown = next;
    // tmux does not support repeating such a character, and other terminals are unknown.
    const bytes = this.reflow === 'rows' ? repeatLines(out) : out;
    return bytes + cursor === '' ? '' : `${BEGIN}${bytes}${cursor}${END}`;
  }

  /** The window changes: the terminal may have redrawn the screen, even if the window returns to its size. */
  disturb(): void {
    this.isDisturbed = true;
  }

  /** The terminal was resized and reflowed the frame; erase it with the next paint. */
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

  /** The scrollback belongs to the terminal. */
  scroll(): boolean {
    return false;
  }

  /** Erases the frame and leaves the cursor where it began. Other output may follow. */
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
   * Shows half a word only when it has not grown for a frame: where the end of the final part is found by its column,
   * it could be left behind in a window that has changed meanwhile.
   */
  private calm(next: FittedFrame): FittedFrame {
    const isCalm = next.tail === this.lastTail || next.restsAtSeam;
    this.lastTail = next.tail;
    return isCalm ? next : { ...next, tail: '', rows: [...next.grown, ...next.rows.slice(next.grown.length)] };
  }

  /** Erases what is not final; then the text flows as in any program, and the frame is drawn under it. */
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

  /** Moves the cursor to the end of the kept rows, with nothing after or below it. */
  private clear(kept: number): string {
    const { rows, rest, restsAtSeam, grown } = this.shown;
    if (rows.length === 0) return '';
    if (kept === 0) return eraseFrom(0, this.shown, this.reflow);
    if (rest.row === kept - 1) return restsAtSeam ? ERASE_BELOW : `\r\n${toSeam(grown.slice(0, kept))}${ERASE_BELOW}`;
    return `${eraseFrom(kept, this.shown, this.reflow)}${toSeam(grown.slice(0, kept))}`;
  }
}

/** How many final rows are kept, and the text appended to the last of them. */
function continuation({ grown, restsAtSeam }: FittedFrame, final: readonly string[]) {
  let kept = 0;
  while (kept < grown.length && grown[kept] === final[kept]) kept++;
  const [row = '', next] = [grown[kept], final[kept]];
  // Where a terminal may count cells differently, the end of a row is unknown: the row is written again.
  const isSure = restsAtSeam || hasSureWidth(row);
  const added = kept === grown.length - 1 && next !== undefined && isSure ? additionTo(row, next) : undefined;
  if (added !== undefined) return { kept: kept + 1, added };
  const isAtEnd = restsAtSeam && kept === grown.length;
  while (!isAtEnd && kept > 0 && !hasSureWidth(grown[kept - 1] ?? '')) kept--;
  return { kept, added: '' };
}
