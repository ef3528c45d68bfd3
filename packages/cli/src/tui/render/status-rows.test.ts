import { describe, expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { renderFooter, renderLoading } from './status-rows.ts';

const styles = createStyles(chooseTheme({}).theme, 'none');
const FOOTER = {
  folder: '/home/somebody/work/a-customer/a-department/the-project',
  branch: undefined,
  model: 'gemini',
  contextUsed: undefined,
  mode: 'default',
  isTrusted: true,
  queued: 0,
  items: ['workspace', 'git-branch', 'model-name'],
} as const;

describe('renderFooter', () => {
  it('keeps the end of a long folder, and the branch', () => {
    expect(renderFooter(FOOTER, styles, 100)).toBe('  …dy/work/a-customer/a-department/the-project · gemini');
    const long = { ...FOOTER, branch: 'feature/that-has-a-name-without-an-end' };
    expect(renderFooter(long, styles, 100)).toBe('  …ment/the-project (feature/that-has-a-name…) · gemini');
  });

  it('counts what runs in the background', () => {
    expect(renderFooter({ ...FOOTER, folder: '~', inBackground: 2 }, styles, 100)).toBe(
      '  ~ · gemini · 2 in background',
    );
  });
});

describe('renderLoading', () => {
  const state = { frame: '·', thought: 'Waiting', retry: undefined, elapsedSeconds: 3, keyHints: ['tab to type'] };

  it.each([
    [80, '· Waiting (esc to cancel, tab to type, 3s)'],
    [60, '· Waiting (esc to cancel, 3s)'],
  ])('says at %j columns what keys do', (width, expected) => {
    expect(renderLoading(state, styles, width)).toBe(expected);
  });
});
