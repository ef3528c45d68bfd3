/**
 * A terminal in memory: a program's output in, cells out. It is the only terminal the program talks to: titles,
 * clipboards, mice and bells end here, and queries are answered here. Loaded with the first command that is shown.
 */

import headless from '@xterm/headless';
import { sanitize } from '../../sanitize.ts';
import { renderCells, lengthOf } from './screen-rows.ts';
import type { ScreenLook, ScreenPicture } from './screen-rows.ts';
import type { Caret, Size } from '../terminal/painter.ts';
import { rowWidth } from '../text/row-width.ts';
import { StringFilter } from '../terminal/string-filter.ts';

/** The key modes a program has set. */
export interface KeyModes {
  readonly hasApplicationCursor: boolean;
  readonly hasBracketedPaste: boolean;
}

type Terminal = InstanceType<typeof headless.Terminal>;

const SHOW_CURSOR = 25;
const ERASE_ALL = 3;
const WIDTHS = 'castor';
/**
 * Sequences the emulator executes step by step, as often as their count: a count larger than any screen is rejected.
 */
const COUNTED = [
  ...Array.from('bILMPSTXZ@', (final) => ({ final })),
  ...Array.from('@A', (final) => ({ intermediates: ' ', final })),
  ...Array.from('}~', (final) => ({ intermediates: "'", final })),
];
const MOST_STEPS = 500;
/** A character and the marks that join it; no language needs more. */
const MOST_MARKS = 16;
/** Bytes at a time. */
const PIECE = 2 * 1024;

export class Emulator {
  private readonly terminal: Terminal;
  private readonly strings = new StringFilter();
  private isCursorShown = true;
  private scrolled = 0;

  constructor({ columns, rows }: Size, onAnswer: (text: string) => void) {
    const options = { cols: columns, rows, scrollback: 1, allowProposedApi: true, logLevel: 'off' } as const;
    this.terminal = new headless.Terminal(options);
    this.terminal.onData(onAnswer);
    this.terminal.unicode.register({ version: WIDTHS, wcwidth: widthOf, charProperties });
    this.terminal.unicode.activeVersion = WIDTHS;
    this.followCursor('h', true);
    this.followCursor('l', false);
    this.refuseExcess();
    this.terminal.onScroll(() => this.noteScroll());
    // A program that clears its screen and what was above it begins anew.
    this.terminal.parser.registerCsiHandler({ final: 'J' }, (parts) => {
      if (parts.includes(ERASE_ALL)) this.scrolled = 0;
      return false;
    });
  }

  /** Lines of a flood that will not be written. */
  skip(lines: number): void {
    this.scrolled += lines;
  }

  /** In small pieces: between them the emulator yields, however long one of them takes. */
  write(bytes: Uint8Array, done: () => void): void {
    const cells = this.strings.filter(bytes);
    for (let start = 0; start < cells.length; start += PIECE) this.terminal.write(cells.subarray(start, start + PIECE));
    this.terminal.write('', done);
  }

  resize({ columns, rows }: Size): void {
    this.terminal.resize(columns, rows);
  }

  dispose(): void {
    this.terminal.dispose();
  }

  /** Whether a program uses the alternate screen. */
  get isWhole(): boolean {
    return this.terminal.buffer.active.type === 'alternate';
  }

  /** Whether the program is in the middle of a synchronized picture. */
  get isDrawing(): boolean {
    return this.terminal.modes.synchronizedOutputMode;
  }

  get keyModes(): KeyModes {
    const { applicationCursorKeysMode, bracketedPasteMode } = this.terminal.modes;
    return { hasApplicationCursor: applicationCursorKeysMode, hasBracketedPaste: bracketedPasteMode };
  }

  /**
   * The terminal's own cursor stands in the last row only: long rows must not stand below it (AGENTS.md). Elsewhere,
   * and in a program on the alternate screen, the cell of the cursor is drawn as one, if it can be.
   */
  picture(look: ScreenLook): ScreenPicture {
    const { active } = this.terminal.buffer;
    const { cursor, isWhole, isCursorShown } = this;
    const lines = Array.from({ length: this.terminal.rows }, (_, row) => active.getLine(active.baseY + row)!);
    const used = isWhole ? lines.length : lines.findLastIndex((line) => lengthOf(line) > 0) + 1;
    const height = Math.max(used, cursor.row + 1);
    const isLow = !isWhole && cursor.row === height - 1;
    const isDrawn = isCursorShown && look.hasCursor && look.depth !== 'none' && !isLow;
    const rows = lines
      .slice(0, height)
      .map((line, row) => renderCells(line, look, isDrawn && row === cursor.row ? cursor.column : undefined));
    return { rows, cursor, showsCursor: isCursorShown && !isDrawn, isWhole, scrolled: isWhole ? 0 : this.scrolled };
  }

  /** One row has left the screen; the rows that continue a line are not counted. */
  private noteScroll(): void {
    const { active } = this.terminal.buffer;
    if (!this.isWhole && active.baseY > 0 && active.getLine(active.baseY - 1)?.isWrapped === false) this.scrolled++;
  }

  private get cursor(): Caret {
    const { cursorX, cursorY } = this.terminal.buffer.active;
    // After the last column the cursor stays on it until the next character.
    return { row: cursorY, column: Math.min(cursorX, this.terminal.cols - 1) };
  }

  /** Rejects sequences that would keep the emulator busy for minutes. */
  private refuseExcess(): void {
    for (const id of COUNTED) this.terminal.parser.registerCsiHandler(id, ([count]) => Number(count) > MOST_STEPS);
  }

  private followCursor(final: 'h' | 'l', isShown: boolean): void {
    this.terminal.parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(SHOW_CURSOR)) this.isCursorShown = isShown;
      return false;
    });
  }
}

/** A cache of the width plus one; 0 means not computed yet. */
let widths: Uint8Array | undefined;

/**
 * Counts cells like the rest of Castor, so that a row is as wide for the program as for us; invisible characters have
 * none.
 */
function widthOf(code: number): 0 | 1 | 2 {
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : 1;
  widths ??= new Uint8Array(0x11_00_00);
  const known = widths[code] ?? 0;
  if (known > 0) return (known - 1) as 0 | 1 | 2;
  const width = Math.min(rowWidth(sanitize(String.fromCodePoint(code))), 2) as 0 | 1 | 2;
  widths[code] = width + 1;
  return width;
}

/** The width of a character, whether it joins the one before it, and how many have: packed in the emulator's format. */
function charProperties(code: number, preceding: number): number {
  const width = widthOf(code);
  const before = (preceding >> 1) & 3;
  if (width > 0 || before === 0) return width << 1;
  const marks = (preceding >> 3) + 1;
  return marks > MOST_MARKS ? 1 << 1 : (marks << 3) | (before << 1) | 1;
}
