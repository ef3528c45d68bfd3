import { describe, expect, it, vi } from 'vitest';
import type { Key } from '../input/key.ts';
import { stripStyles } from '../text/row-width.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { PageDialog } from './page-dialog.ts';

const styles = createStyles(chooseTheme({ background: 'dark' }).theme, 'none');
const space = { styles, width: 60, maxRows: 8 };
const key = (name: string): Key => ({ name, text: '', ctrl: false, alt: false, shift: false, cmd: false }) as Key;
const lines = Array.from({ length: 12 }, (_, index) => `row ${index + 1}`);

describe('a page', () => {
  it('scrolls, finds a word, and is closed by Escape after the search', () => {
    const close = vi.fn();
    const page = new PageDialog({ title: 'Results', rows: () => lines }, close);
    const shown = () => page.view(space).rows.map(stripStyles);
    expect(shown()).toEqual([
      expect.stringMatching(/^── Results ─+ 1–5 of 12 ──$/),
      '',
      ...lines.slice(0, 5),
      '  ↑ ↓ pgup pgdn scroll · / finds · esc closes',
    ]);
    page.onKey(key('end'));
    expect(shown()[2]).toBe('row 8');
    page.onText('/');
    page.onText('row 3');
    expect(shown().slice(2, 3)).toEqual(['row 3']);
    expect(shown().at(-1)).toBe('/ row 3');
    page.onKey(key('escape'));
    expect(close).not.toHaveBeenCalled();
    page.onKey(key('escape'));
    expect(close).toHaveBeenCalledOnce();
  });

  it('lays its rows out once for a width', () => {
    const rows = vi.fn(() => lines);
    const page = new PageDialog({ title: 'Results', rows }, () => {});
    page.view(space);
    page.view(space);
    page.view({ ...space, width: 40 });
    expect(rows).toHaveBeenCalledTimes(2);
  });
});
