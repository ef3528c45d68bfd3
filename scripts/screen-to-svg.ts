/** What a terminal emulator shows, as a picture: one text element for each run of cells that look alike. */

import type { IBufferCell, Terminal } from '@xterm/headless';

const CELL = { width: 8.4, height: 18 };
const PADDING = 14;
/** The paper and the ink of a terminal. */
export interface Paper {
  readonly background: string;
  readonly foreground: string;
}
export const DARK: Paper = { background: '#1e1e1e', foreground: '#d6dae0' };
export const LIGHT: Paper = { background: '#ffffff', foreground: '#24292f' };
/** The sixteen, as most terminals have them. */
const ANSI = [
  ['#1d1f21', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#c8ccd4'],
  ['#6b7280', '#ff7b86', '#b5e890', '#ffd68a', '#84c6ff', '#dd9bf0', '#7fdbe6', '#ffffff'],
].flat();

export interface PictureOptions {
  readonly title: string;
  readonly paper?: Paper;
}

export function toSvg(emulator: Terminal, { title, paper = DARK }: PictureOptions): string {
  const { width, height } = sizeOf(emulator);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${paper.background}"/>
${drawScreen(emulator, paper)}
</svg>
`;
}

export function sizeOf({ cols, rows }: Pick<Terminal, 'cols' | 'rows'>): { width: number; height: number } {
  return {
    width: Math.ceil(cols * CELL.width + 2 * PADDING),
    height: Math.ceil(rows * CELL.height + 2 * PADDING),
  };
}

/** The cells of the screen, as one group. */
export function drawScreen(emulator: Terminal, paper: Paper, attributes = ''): string {
  const runs = Array.from({ length: emulator.rows }, (_, row) => readRuns(emulator, row, paper)).flat();
  return `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve" style="white-space:pre"${attributes}>
${runs.map(drawRun).join('\n')}
</g>`;
}

/** The cells of one row; empty where nothing is to be seen. */
export function drawRow(emulator: Terminal, row: number, paper: Paper): string {
  return readRuns(emulator, row, paper).map(drawRun).join('');
}

interface Look {
  foreground: string;
  background: string | undefined;
  isBold: boolean;
  isDim: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
  /** The same for cells that look alike. */
  key: string;
}

interface Run extends Look {
  text: string;
  cells: number;
  row: number;
  column: number;
}

function readRuns({ buffer: { active }, cols }: Terminal, row: number, paper: Paper): Run[] {
  const line = active.getLine(active.baseY + row);
  const runs: Run[] = [];
  for (let column = 0; column < cols; column++) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const look = lookOf(cell, paper);
    const last = runs.at(-1);
    const characters = cell.getChars() || ' ';
    if (last && last.key === look.key) {
      last.text += characters;
      last.cells += cell.getWidth();
    } else runs.push({ ...look, text: characters, cells: cell.getWidth(), row, column });
  }
  return runs.filter(({ text, background }) => text.trim() !== '' || background);
}

function lookOf(cell: IBufferCell, paper: Paper): Look {
  const own = { foreground: colorOf(cell, 'Fg') ?? paper.foreground, background: colorOf(cell, 'Bg') };
  const isInverse = cell.isInverse() !== 0;
  const look = {
    foreground: isInverse ? (own.background ?? paper.background) : own.foreground,
    background: isInverse ? own.foreground : own.background,
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
  };
  return { ...look, key: JSON.stringify(look) };
}

function colorOf(cell: IBufferCell, side: 'Fg' | 'Bg'): string | undefined {
  if (cell[`is${side}Default`]()) return undefined;
  const color = cell[`get${side}Color`]();
  if (cell[`is${side}RGB`]()) return `#${color.toString(16).padStart(6, '0')}`;
  return ANSI[color] ?? fromCube(color);
}

function fromCube(color: number): string {
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const grey = 8 + (color - 232) * 10;
  const cube = color - 16;
  const rgb =
    color >= 232 ? [grey, grey, grey] : [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level);
  return `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function drawRun({
  text,
  cells,
  row,
  column,
  foreground,
  background,
  isBold,
  isDim,
  isItalic,
  isUnderlined,
}: Run): string {
  const left = (cell: number) => (PADDING + cell * CELL.width).toFixed(1);
  const top = PADDING + row * CELL.height;
  const length = (cells * CELL.width).toFixed(1);
  const box = background
    ? `<rect x="${left(column)}" y="${top}" width="${length}" height="${CELL.height}" fill="${background}"/>`
    : '';
  const look = [
    isBold && 'font-weight="bold"',
    isItalic && 'font-style="italic"',
    isUnderlined && 'text-decoration="underline"',
    isDim && 'opacity="0.6"',
  ].filter(Boolean);
  // Blanks at the ends are left out: browsers do not agree on whether they count.
  // Those inside are made hard: not every browser keeps two of them.
  const words = text.trim().replaceAll(/ {2,}/g, (blanks) => '\u00a0'.repeat(blanks.length));
  if (words === '') return box;
  const before = text.length - text.trimStart().length;
  const after = text.length - text.trimEnd().length;
  const span = ((cells - before - after) * CELL.width).toFixed(1);
  const attributes = [
    `x="${left(column + before)}"`,
    `y="${top + 13}"`,
    `textLength="${span}"`,
    `fill="${foreground}"`,
    ...look,
  ].join(' ');
  return `${box}<text ${attributes}>${escapeXml(words)}</text>`;
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
