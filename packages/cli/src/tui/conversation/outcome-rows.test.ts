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

  it('has marks in the colours of their states, and no strong sentence for a title', () => {
    const rows = renderPage('A hook was skipped.\n  ✓ github\n  ✗ postgres\n! sentry\n  ▸ linear\n- figma', {
      styles,
      width: 60,
    });
    expect(rows).toEqual([
      styles.secondary('A hook was skipped.'),
      `  ${styles.success('✓')}${styles.secondary(' github')}`,
      `  ${styles.error('✗')}${styles.secondary(' postgres')}`,
      `${styles.warning('!')}${styles.secondary(' sentry')}`,
      `  ${styles.accent('▸')}${styles.secondary(' linear')}`,
      styles.secondary('- figma'),
    ]);
  });
});
