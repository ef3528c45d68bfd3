import { describe, expect, it } from 'vitest';
import { wrapRows } from './wrap-rows.ts';

describe('wrapRows', () => {
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
