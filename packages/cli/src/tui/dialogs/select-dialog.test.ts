import { describe, expect, it } from 'vitest';
import { createKey } from '../input/key.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { SelectDialog } from './select-dialog.ts';

const SPACE = { styles: createStyles(chooseTheme({}).theme, 'none'), width: 60, maxRows: 24 };
const QUESTION = {
  title: 'Where?',
  options: [
    { label: 'File', value: 'file', hint: 'In a file of the project, which everybody who works on it gets.' },
    { label: 'Memory', value: 'memory', hint: 'Nowhere.' },
  ],
};

describe('SelectDialog', () => {
  it('has a title in its rule, answers in columns that wrap, and the keys', () => {
    const dialog = new SelectDialog(QUESTION, () => {});
    expect(dialog.view(SPACE).rows).toEqual([
      '── Where? ──────────────────────────────────────────────────',
      '',
      '❯ 1  File    In a file of the project, which everybody who',
      '             works on it gets.',
      '  2  Memory  Nowhere.',
      '',
      '  enter or a digit · esc leaves',
    ]);
    dialog.onKey(createKey('down'));
    expect(dialog.view(SPACE).rows[4]).toBe('❯ 2  Memory  Nowhere.');
  });

  it('puts what is in a second column below the answer where it is narrow', () => {
    const dialog = new SelectDialog(QUESTION, () => {});
    expect(dialog.view({ ...SPACE, width: 30 }).rows.slice(2, 6)).toEqual([
      '❯ 1  File',
      '       In a file of the',
      '       project, which',
      '       everybody who works on',
    ]);
  });

  it('gives way to its answers where rows are few: first the empty rows, then the matter', () => {
    const body = () => ['one', 'two', 'three', 'four'];
    const dialog = new SelectDialog(
      { title: 'Q', body, options: [1, 2].map((value) => ({ label: 'x', value })) },
      () => {},
    );
    expect(dialog.view({ ...SPACE, width: 40, maxRows: 8 }).rows).toEqual([
      '── Q ───────────────────────────────────',
      '  one',
      '  two',
      '  … 0 rows above, 2 below · pgup pgdn',
      '',
      '❯ 1  x',
      '  2  x',
      '  enter or a digit · esc leaves',
    ]);
  });

  it('shows every answer where all fit, and the matter scrolls', () => {
    const body = () => Array.from({ length: 30 }, (_, index) => `row ${index}`);
    const options = [1, 2, 3, 4, 5, 6, 7].map((value) => ({ label: `answer ${value}`, value }));
    const dialog = new SelectDialog({ title: 'Q', body, options, initial: 6 }, () => {});
    const { rows } = dialog.view({ ...SPACE, maxRows: 16 });
    expect(rows.filter((row) => /answer \d/.test(row))).toHaveLength(7);
    expect(rows.join('\n')).toMatch(/row 0\n[^]*rows above, \d+ below · pgup pgdn/);
  });

  it('tells a voice what Enter means, and again when an arrow changed it', () => {
    const spoken = { ...SPACE, styles: createStyles(chooseTheme({}).theme, 'none', { isSpoken: true }) };
    const dialog = new SelectDialog({ ...QUESTION, initial: 1, escapes: 'no' }, () => {});
    expect(dialog.view(spoken).rows.at(-1)).toBe('A digit answers, Enter means 2, Escape means no.');
    dialog.onKey(createKey('up'));
    expect(dialog.view(spoken).rows.at(-1)).toBe('A digit answers, Enter means 1, Escape means no.');
  });

  it('says what the chosen answer is about beside a list in a wide window, else below it', () => {
    const about = 'A sentence that is long enough to be told in more than a single row of the window beside the list.';
    const options = [{ label: 'Theme', value: 1, hint: 'dark', about, aside: 'ui.theme · holds at once' }];
    const dialog = new SelectDialog({ title: 'Settings', search: true, tellsBeside: true, options }, () => {});
    expect(dialog.view({ ...SPACE, width: 139 }).rows.slice(2, 5)).toEqual([
      `❯ Theme  dark${' '.repeat(70)}A sentence that is long enough to be told in more than a`,
      `${' '.repeat(83)}single row of the window beside the list.`,
      `${' '.repeat(83)}ui.theme · holds at once`,
    ]);
    expect(dialog.view({ ...SPACE, width: 79 }).rows.slice(4, 6)).toEqual([
      '  A sentence that is long enough to be told in more than a single row of the',
      '  window beside the list. ui.theme · holds at once',
    ]);
    expect(
      dialog
        .view({ ...SPACE, width: 39 })
        .rows.join(' ')
        .replaceAll(/\s+/g, ' '),
    ).toContain('ui.theme · holds at once');
  });

  it('lays out its columns in the width that is left of what is said beside it', () => {
    const hint = `on *      ${'~/.gemini/settings.json'}`;
    const options = ['Vim mode', 'x'.repeat(60)].map((label) => ({ label, value: label, hint, about: 'A sentence.' }));
    const dialog = new SelectDialog({ title: 'Settings', search: true, tellsBeside: true, options }, () => {});
    for (const width of [139, 134]) expect(dialog.view({ ...SPACE, width }).rows[2]).toContain(hint);
  });

  it('filters in its last row, with the count in its rule', () => {
    const options = ['Ayu', 'Default', 'Dracula'].map((label) => ({ label, value: label }));
    const dialog = new SelectDialog({ title: 'Theme', options, search: true }, () => {});
    const { rows, caret } = dialog.view({ ...SPACE, width: 40 });
    expect([rows[0], rows.at(-1), caret]).toEqual(
      ['── Theme ──────────────────── 1 of 3 ──', '❯ type to filter', { row: rows.length - 1, column: 2 }].map((each) =>
        typeof each === 'string' ? each.replace('──────────────────── 1', '───────────────────── 1') : each,
      ),
    );
    dialog.onText('d');
    expect(dialog.view(SPACE).rows.slice(2, 4)).toEqual(['❯ Default', '  Dracula']);
  });

  it('keeps the chosen answer in sight', () => {
    const options = Array.from({ length: 40 }, (_, value) => ({ label: `option ${value}`, value }));
    const dialog = new SelectDialog({ title: 'Q', options, search: true, initial: 30 }, () => {});
    const { rows } = dialog.view(SPACE);
    expect(rows).toContain('❯ option 30');
    expect(rows.length).toBeLessThanOrEqual(24);
  });
});
