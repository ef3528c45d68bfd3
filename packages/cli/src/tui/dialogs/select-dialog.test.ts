import { describe, expect, it } from 'vitest';
import { createKey } from '../input/key.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { SelectDialog } from './select-dialog.ts';

const SPACE = { styles: createStyles(chooseTheme({}).theme, 'none'), width: 40, maxRows: 12 };
const QUESTION = {
  title: 'Where?',
  options: [
    { label: 'File', value: 'file', hint: 'In a file of the project, which everybody who works on it gets.' },
    { label: 'Memory', value: 'memory', hint: 'Nowhere.' },
  ],
};

describe('SelectDialog', () => {
  it('shows whole what did not fit of the chosen answer, in rows that are there for each', () => {
    const dialog = new SelectDialog(QUESTION, () => {});
    expect(dialog.view(SPACE).rows).toEqual([
      '? Where?',
      '● 1. File  In a file of the project, wh…',
      '  2. Memory  Nowhere.',
      '     In a file of the project, which',
      '     everybody who works on it gets.',
    ]);
    dialog.onKey(createKey('down'));
    expect(dialog.view(SPACE).rows.slice(1)).toEqual([
      '  1. File  In a file of the project, wh…',
      '● 2. Memory  Nowhere.',
      '',
      '',
    ]);
  });

  it('leaves it out where there is no room for it', () => {
    const dialog = new SelectDialog({ ...QUESTION, body: () => ['one', 'two', 'three', 'four'] }, () => {});
    const { rows } = dialog.view({ ...SPACE, maxRows: 9 });
    expect(rows.slice(1)).toEqual([
      '  one',
      '  two',
      '  three',
      '  four',
      '● 1. File  In a file of the project, wh…',
      '  2. Memory  Nowhere.',
    ]);
  });
});
