import { describe, expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { stripStyles } from '../text/row-width.ts';
import { isPage, renderOutcome, renderPage } from './outcome-rows.ts';

const styles = createStyles(chooseTheme({ background: 'dark' }).theme, 'truecolor');

describe('the outcome of a slash command', () => {
  it('hangs under its row, also where it wraps', () => {
    const rows = renderOutcome('gemini-3-flash from now on', { styles, width: 20 }).map(stripStyles);
    expect(rows).toEqual(['  └ gemini-3-flash', '    from now on']);
  });

  it('is a page when it has several lines: strong title, bars in the accent, indents kept', () => {
    const text = 'Context  a model · 12 %\n  tools   9.4k  ███';
    expect(isPage(text)).toBe(true);
    const rows = renderPage(text, { styles, width: 60 });
    expect(rows.map(stripStyles)).toEqual(text.split('\n'));
    expect(rows[0]).toBe(`${styles.bold('Context')}  a model · 12 %`);
    expect(rows[1]).toBe(`${styles.secondary('  tools   9.4k  ')}${styles.accent('███')}`);
  });
});
