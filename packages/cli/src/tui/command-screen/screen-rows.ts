/**
 * Renders the terminal of a command as rows: characters, and the styles the settings allow. A cell contains nothing
 * else, so nothing else gets out. Pure.
 */

import type { IBufferCell, IBufferLine } from '@xterm/headless';
import { sanitize } from '../../sanitize.ts';
import type { Caret } from '../terminal/painter.ts';
import { RESET } from '../text/row-width.ts';
import { toSgr } from '../theme/color-depth.ts';
import type { ColorDepth } from '../theme/color-depth.ts';
import type { Style } from '../theme/styles.ts';

export interface ScreenLook {
  readonly depth: ColorDepth;
  /** `tools.shell.showColor`; without it only bold and the like remain. */
  readonly showsColors: boolean;
  /** For text without a style of its own. */
  readonly plain: Style;
  /** Whether the user types into it and needs the cursor. */
  readonly hasCursor: boolean;
}

/** The screen at one moment. */
export interface ScreenPicture {
  /** From the top to the last row with content; all of them for a program on the alternate screen. */
  readonly rows: readonly string[];
  readonly cursor: Caret;
  /** The terminal shows it; else the program hides it, or its cell is drawn as one. */
  readonly showsCursor: boolean;
  /** Whether a program uses the alternate screen. */
  readonly isWhole: boolean;
  /** Lines that have scrolled off the top. */
  readonly scrolled: number;
}

/** One row; the cell at `cursor` is shown as the cursor. */
export function renderCells(line: IBufferLine, look: ScreenLook, cursor?: number): string {
  let row = '';
  let text = '';
  let sgr = '';
  const flush = () => {
    if (text !== '') row += sgr === '' ? look.plain(text) : `\x1b[${sgr}m${text}${RESET}`;
    text = '';
  };
  let cell: IBufferCell | undefined;
  const end = Math.max(lengthOf(line), cursor === undefined ? 0 : cursor + 1);
  for (let column = 0; column < end; column++) {
    cell = line.getCell(column, cell);
    // The second half of a wide character.
    if (!cell || cell.getWidth() === 0) continue;
    const next = sgrOf(cell, look, column === cursor);
    if (next !== sgr) flush();
    sgr = next;
    text += charactersOf(cell);
  }
  flush();
  return row;
}

/** Up to the last visible cell. */
export function lengthOf(line: IBufferLine): number {
  let cell: IBufferCell | undefined;
  for (let column = line.length - 1; column >= 0; column--) {
    cell = line.getCell(column, cell);
    if (!cell) continue;
    const characters = cell.getChars();
    const isBlank = (characters === '' || characters === ' ') && cell.getWidth() > 0;
    if (!isBlank || !cell.isBgDefault() || cell.isInverse() || cell.isUnderline()) return column + 1;
  }
  return 0;
}

function charactersOf(cell: IBufferCell): string {
  const characters = cell.getChars();
  const blank = ' '.repeat(cell.getWidth());
  if (characters === '' || cell.isInvisible()) return blank;
  // A cell may contain marks that join its character, and some are harmful.
  return characters.length === 1 && characters < '\x7f' ? characters : sanitize(characters) || blank;
}

function sgrOf(cell: IBufferCell, { depth, showsColors }: ScreenLook, isCursor: boolean): string {
  if (depth === 'none' || (!isCursor && cell.isAttributeDefault())) return '';
  const codes: (string | undefined)[] = [
    cell.isBold() ? '1' : undefined,
    cell.isDim() ? '2' : undefined,
    cell.isItalic() ? '3' : undefined,
    cell.isUnderline() ? '4' : undefined,
    // In inverse text the cursor is not inverse.
    (cell.isInverse() !== 0) !== isCursor ? '7' : undefined,
    cell.isStrikethrough() ? '9' : undefined,
  ];
  if (showsColors) codes.push(colorOf(cell, depth, 'text'), colorOf(cell, depth, 'background'));
  return codes.filter((code) => code !== undefined).join(';');
}

function colorOf(cell: IBufferCell, depth: ColorDepth, layer: 'text' | 'background'): string | undefined {
  const isText = layer === 'text';
  if (isText ? cell.isFgDefault() : cell.isBgDefault()) return undefined;
  const color = isText ? cell.getFgColor() : cell.getBgColor();
  if (isText ? cell.isFgRGB() : cell.isBgRGB()) return toSgr(hexOf(color), depth, layer);
  const base = isText ? 30 : 40;
  if (color < 16) return String(color < 8 ? base + color : base + 52 + color);
  return depth === 'ansi16' ? toSgr(hexOf(fromPalette(color)), depth, layer) : `${base + 8};5;${color}`;
}

function hexOf(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}

/** The colours from 16 on: a cube, then greys. */
function fromPalette(index: number): number {
  if (index >= 232) return (8 + (index - 232) * 10) * 0x01_01_01;
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return (level(Math.floor(cube / 36)) << 16) | (level(Math.floor(cube / 6) % 6) << 8) | level(cube % 6);
}
