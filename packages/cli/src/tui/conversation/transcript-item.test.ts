import { describe, expect, it } from 'vitest';
import { readableCount } from '../../readable-numbers.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { renderUser } from './transcript-item.ts';

const options = { styles: createStyles(chooseTheme({}).theme, 'none'), width: 40 };

describe('a prompt in the scrollback', () => {
  it('stands there whole while it is of a size to be read', () => {
    const lines = Array.from({ length: 25 }, (_, index) => `line ${index}`);
    expect(renderUser(lines.join('\n'), options)).toEqual([
      `❯ ${lines[0]}`,
      ...lines.slice(1).map((line) => `  ${line}`),
    ]);
  });

  it.each([
    ['lines', Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n'), '❯ line 0', '  line 29'],
    ['one line', 'x'.repeat(1_000_000), `❯ ${'x'.repeat(38)}`, undefined],
    ['pairs that are cut', '😀'.repeat(5_000), `❯ ${'😀'.repeat(19)}`, undefined],
  ])('is shown by its beginning and its end when it is longer: %s', (_name, text, first, last) => {
    const rows = renderUser(text, options);
    expect([rows.length, rows[20]]).toEqual([26, `  … ${readableCount(text.length)} characters in all`]);
    expect(rows[0]).toBe(first);
    if (last !== undefined) expect(rows.at(-1)).toBe(last);
    expect(rows.every((row) => row.isWellFormed())).toBe(true);
  });
});
