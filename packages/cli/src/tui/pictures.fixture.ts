/** What a terminal shows of rows, as text: each row, and under it the runs of cells that have a look of their own. */

import headless from '@xterm/headless';
import type { IBufferCell } from '@xterm/headless';

export async function pictureOf(rows: readonly string[], columns: number): Promise<string> {
  const height = Math.max(rows.length * 4, 10);
  const terminal = new headless.Terminal({ cols: columns, rows: height, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(rows.map((row) => `${row}\x1b[m\r\n`).join(''), resolve));
  const { active } = terminal.buffer;
  const end = active.cursorY;
  const lines: string[] = [];
  for (let row = 0; row < end; row++) {
    const line = active.getLine(row);
    const cells = Array.from({ length: columns }, (_, column) => line?.getCell(column));
    lines.push(`|${line?.translateToString(true) ?? ''}`);
    const runs = runsOf(cells);
    if (runs.length > 0) lines.push(`    ${runs.join(' · ')}`);
  }
  terminal.dispose();
  return lines.join('\n');
}

function runsOf(cells: readonly (IBufferCell | undefined)[]): string[] {
  const runs: { from: number; to: number; look: string }[] = [];
  for (const [column, cell] of cells.entries()) {
    const look = cell ? lookOf(cell) : '';
    const last = runs.at(-1);
    // Words of one look are one run, whatever is between them.
    if (look === '' && (cell?.getChars() ?? '').trim() === '') continue;
    if (last && last.look === look) last.to = column;
    else runs.push({ from: column, to: column, look });
  }
  return runs.filter(({ look }) => look !== '').map(({ from, to, look }) => `${from}-${to} ${look}`);
}

function lookOf(cell: IBufferCell): string {
  const isBlank = cell.getChars().trim() === '';
  const weight = [
    cell.isBold() && 'bold',
    cell.isItalic() && 'italic',
    cell.isUnderline() && 'underlined',
    cell.isInverse() && 'inverse',
    cell.isStrikethrough() && 'struck',
  ];
  // The colour of a blank is not seen.
  const parts = isBlank ? [] : [colorOf(cell, 'Fg'), ...weight];
  const background = colorOf(cell, 'Bg');
  return [...parts, background && `on ${background}`].filter(Boolean).join(' ');
}

function colorOf(cell: IBufferCell, side: 'Fg' | 'Bg'): string {
  if (cell[`is${side}Default`]()) return '';
  const color = cell[`get${side}Color`]();
  return cell[`is${side}RGB`]() ? `#${color.toString(16).padStart(6, '0')}` : String(color);
}
