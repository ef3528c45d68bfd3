import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_WIDTHS } from '../input/graphemes.ts';
import { useWidths } from '../terminal/row-width.ts';
import { wrapRows } from './wrap-rows.ts';

describe('wrapRows', () => {
  afterEach(() => useWidths(DEFAULT_WIDTHS));

  it('breaks rows as the terminal counts them', () => {
    const text = 'one 👨‍👩‍👧 two ❤️ three';
    expect(wrapRows(text, { width: 12 })).toEqual(['one 👨‍👩‍👧 two', '❤️ three']);
    useWidths({ ...DEFAULT_WIDTHS, joins: false });
    expect(wrapRows(text, { width: 12 })).toEqual(['one 👨‍👩‍👧', 'two ❤️', 'three']);
    useWidths({ ...DEFAULT_WIDTHS, variation: 1 });
    expect(wrapRows('two ❤️ three', { width: 11 })).toEqual(['two ❤️ three']);
  });

  it('goes on in the second column where there is one, and room for it', () => {
    const text = 'Keys:\n  ctrl+b  Sends the running command to the background.';
    expect(wrapRows(text, { width: 34, first: 'i ', hasColumns: true })).toEqual([
      'i Keys:',
      '    ctrl+b  Sends the running',
      '            command to the',
      '            background.',
    ]);
    expect(wrapRows(text, { width: 26, first: 'i ', hasColumns: true })).toEqual([
      'i Keys:',
      '    ctrl+b  Sends the',
      '    running command to the',
      '    background.',
    ]);
  });
});
