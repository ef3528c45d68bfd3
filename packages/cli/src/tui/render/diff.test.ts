import { describe, expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { renderDiff } from './diff.ts';

const styles = createStyles(chooseTheme({}).theme, 'none');
const DIFF = '--- a\n+++ b\n@@ -8,3 +8,3 @@\n eight\n-nine\n+NINE\n ten\n@@ -100,1 +100,2 @@\n hundred\n+more\n';

describe('renderDiff', () => {
  it('numbers every line and marks what changed', () => {
    expect(renderDiff(DIFF, { styles, width: 40 })).toEqual([
      '  8   eight',
      '  9 - nine',
      '  9 + NINE',
      ' 10   ten',
      '  ⋮',
      '100   hundred',
      '101 + more',
    ]);
  });

  it('leaves out the middle of a long one, and says how much', () => {
    const diff = `@@ -1,0 +1,50 @@\n${Array.from({ length: 50 }, (_, index) => `+line ${index}`).join('\n')}`;
    const rows = renderDiff(diff, { styles, width: 40, maxRows: 5 });
    expect(rows).toEqual([' 1 + line 0', ' 2 + line 1', ' 3 + line 2', '… 46 rows', '50 + line 49']);
  });

  it('shows every character where the user decides on it', () => {
    const diff = `@@ -0,0 +1,1 @@\n+${'x'.repeat(30)}\x1b[8mend\n`;
    const rows = renderDiff(diff, { styles, width: 24, isWhole: true });
    expect(rows.map((row) => row.slice(2)).join('')).toBe(`${'x'.repeat(30)}\\e[8mend`);
  });

  it('tells the key for lines it had to cut, and wraps them where results are whole', () => {
    const diff = `@@ -0,0 +1,2 @@\n+${'x'.repeat(40)}\n+short\n`;
    const options = { styles, width: 24, moreKey: 'ctrl+o' };
    expect(renderDiff(diff, options)).toEqual([`+ ${'x'.repeat(21)}…`, '+ short', '… 1 row cut · ctrl+o']);
    expect(renderDiff(diff, { ...options, wraps: true })).toEqual([
      `+ ${'x'.repeat(22)}`,
      `  ${'x'.repeat(18)}`,
      '+ short',
    ]);
  });

  const COLORS = createStyles(chooseTheme({}).theme, 'truecolor');

  it('marks the words that differ in lines that share half of their words', () => {
    const diff = '@@ -1,1 +1,1 @@\n-return total - discount;\n+return Math.max(0, total - discount);\n';
    const [removed, added] = renderDiff(diff, { styles: COLORS, width: 60 });
    expect(removed).not.toContain(COLORS.removedWord('return'));
    const word = COLORS.addedWord('x').split('x')[0];
    expect(added).toMatch(/ ?Math\.max\(0,/);
    expect(added?.split(word ?? '').length).toBe(3);
  });

  it('marks no words in lines that have little in common', () => {
    const diff = '@@ -1,1 +1,1 @@\n-one two three\n+four five six\n';
    expect(renderDiff(diff, { styles: COLORS, width: 60 }).join('')).not.toContain('\x1b[1mfour');
  });

  it('has no line numbers where there is no room', () => {
    expect(renderDiff(DIFF, { styles, width: 34 }).slice(0, 2)).toEqual(['  eight', '- nine']);
  });

  it('is said in words to a voice', () => {
    const spoken = createStyles(chooseTheme({}).theme, 'none', { isSpoken: true });
    expect(renderDiff(DIFF, { styles: spoken, width: 40, fileName: 'a.ts' })).toEqual([
      'Diff of a.ts, 2 added, 1 removed.',
      'Removed line 9: nine',
      'Added line 9: NINE',
      'Added line 101: more',
    ]);
  });
});
