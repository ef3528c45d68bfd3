import type { Settings } from '@castor/core/program';
import { describe, expect, it } from 'vitest';
import { footerItems } from './footer-items.ts';

const FOOTER: Settings['ui']['footer'] = {
  items: undefined,
  showLabels: true,
  hideCWD: false,
  hideSandboxStatus: false,
  hideModelInfo: false,
  hideContextPercentage: true,
};

function items(footer: Partial<typeof FOOTER>, { used = 0, showMemoryUsage = false } = {}): readonly string[] {
  // Only the footer and the memory are read.
  return footerItems({ footer: { ...FOOTER, ...footer }, showMemoryUsage } as Settings['ui'], used);
}

describe('the parts of the footer', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['the folder and the model', items({}), ['workspace', 'git-branch', 'model-name']],
    [
      'the context, when it is nearly full',
      items({}, { used: 0.9 }),
      ['workspace', 'git-branch', 'model-name', 'context-used'],
    ],
    [
      'the context, when it is wanted',
      items({ hideContextPercentage: false, hideCWD: true }),
      ['model-name', 'context-used'],
    ],
    ['nothing', items({ hideCWD: true, hideModelInfo: true }), []],
    ['the memory last', items({ hideCWD: true }, { showMemoryUsage: true }), ['model-name', 'memory-usage']],
    [
      'what was listed, as far as it is known, once',
      items({ items: ['hostname', 'quota', 'workspace', 'hostname'], hideCWD: true }, { showMemoryUsage: true }),
      ['hostname', 'workspace', 'memory-usage'],
    ],
  ])('are %s', (_what, given, expected) => {
    expect(given).toEqual(expected);
  });
});
