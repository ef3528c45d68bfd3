import { describe, expect, it } from 'vitest';
import { createNameReader, spellCallId, spellName } from './spelling.ts';

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;

describe('spellName', () => {
  it.each(['read_file', 'a', 'A-1_b', 'x'.repeat(64)])('keeps %s', (name) => expect(spellName(name)).toBe(name));

  it.each(['mcp.server:tool', 'with space', '', 'ä', 'x'.repeat(65), 'y'.repeat(500)])(
    'makes %j legal, the same way each time, and readable again',
    (name) => {
      const spelled = spellName(name);
      expect(spelled).toMatch(LEGAL);
      expect(spellName(name)).toBe(spelled);
      expect(createNameReader([name])(spelled)).toBe(name);
    },
  );

  it('keeps names apart that differ only in what is replaced or cut', () => {
    const names = ['a.b', 'a:b', 'a b', `${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`];
    expect(new Set(names.map(spellName)).size).toBe(names.length);
  });

  it('returns an undeclared name unchanged', () => {
    expect(createNameReader(['a.b'])('unheard_of')).toBe('unheard_of');
  });
});

describe('spellCallId', () => {
  it('keeps a legal id', () => expect(spellCallId('call_1-a')).toBe('call_1-a'));

  it.each(['read_file-1700000000000-0123456789ab-and-more', 'a.b', '', 'ä'])('replaces %j', (id) => {
    expect(spellCallId(id)).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(spellCallId(id)).toBe(spellCallId(id));
  });

  it('makes ids of exactly nine letters and digits where they are required', () => {
    expect(spellCallId('abcdefghi', 9)).toBe('abcdefghi');
    expect(spellCallId('abc-efghi', 9)).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(spellCallId('call_1', 9)).not.toBe(spellCallId('call_2', 9));
  });
});
