import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { compactRow } from './compact-row.ts';

interface Cell {
  readonly text: string;
  readonly look: readonly (number | boolean)[];
}

const terminal = new headless.Terminal({ cols: 60, rows: 2, allowProposedApi: true });

/** What a terminal makes of a row. Of a blank only what is seen of it. */
async function cellsOf(row: string): Promise<Cell[]> {
  terminal.reset();
  await new Promise<void>((resolve) => terminal.write(`${row}|`, resolve));
  const line = terminal.buffer.active.getLine(0);
  return Array.from({ length: 60 }, (_, column) => {
    const cell = line?.getCell(column);
    if (!cell) throw new Error('There is no such cell.');
    const text = cell.getChars();
    const seen = [
      cell.getBgColorMode(),
      cell.getBgColor(),
      cell.isUnderline(),
      cell.isInverse(),
      cell.isStrikethrough(),
    ];
    const color = [cell.getFgColorMode(), cell.getFgColor(), cell.isBold(), cell.isDim(), cell.isItalic()];
    const isBlank = text === '' || text === ' ';
    return { text, look: isBlank && !cell.isInverse() ? seen : [...seen, ...color] };
  });
}

const SEQUENCES = [
  '0', '', '1', '2', '22', '3', '23', '4', '24', '7', '27', '9', '29', '31', '92', '39', '41', '103', '49',
  '38;5;12', '48;5;200', '38;2;1;2;3', '48;2;9;8;7', '1;4;35', '0;38;5;7;1',
]; // prettier-ignore

describe('compactRow', () => {
  it.each([
    ['plain', 'plain'],
    ['\x1b[31ma\x1b[39m \x1b[31mb\x1b[39m', '\x1b[31ma b\x1b[m'],
    ['\x1b[31ma\x1b[39m\x1b[32mb\x1b[39m\x1b[0m', '\x1b[31ma\x1b[32mb\x1b[m'],
    ['\x1b[1m\x1b[34mtitle\x1b[39m\x1b[22m rest', '\x1b[34;1mtitle \x1b[mrest'],
    ['\x1b[1ma\x1b[2mb\x1b[22mc', '\x1b[1ma\x1b[22;1;2mb\x1b[mc'],
  ])('says of %j only what is seen', (row, compact) => {
    expect(compactRow(row)).toBe(compact);
  });

  it('changes nothing that a terminal shows', async () => {
    let state = 7;
    const pick = (count: number) => (state = (state * 48_271) % 2_147_483_647) % count;
    for (let round = 0; round < 200; round++) {
      const row = Array.from({ length: 12 }, () =>
        pick(2) === 0 ? `\x1b[${SEQUENCES[pick(SEQUENCES.length)]}m` : ['a', ' ', 'bc ', '  ', '漢'][pick(5)],
      ).join('');
      const compact = compactRow(row);
      expect(await cellsOf(compact)).toEqual(await cellsOf(`${row}\x1b[0m`));
      expect(compactRow(compact)).toBe(compact);
    }
  });
});
