import type { Settings } from '@castor/core/program';
import { describe, expect, it } from 'vitest';
import { loadingPhrases, phraseAt } from './loading-phrases.ts';

function phrases(kind: Settings['ui']['loadingPhrases'], customWittyPhrases: string[] = []): readonly string[] {
  // Only the two keys are read.
  return loadingPhrases({ loadingPhrases: kind, customWittyPhrases } as unknown as Settings['ui']);
}

describe('what is said while the agent works', () => {
  it('is nothing, tips, small talk, one’s own, or all of it', () => {
    expect(phrases('off', ['mine'])).toEqual([]);
    expect(phrases('tips', ['mine']).every((phrase) => phrase.startsWith('Tip: '))).toBe(true);
    expect(phrases('witty').some((phrase) => phrase.startsWith('Tip: '))).toBe(false);
    expect(phrases('witty', ['mine', ' '])).toEqual(['mine']);
    expect(phrases('all', ['mine'])).toEqual(['mine', phrases('tips')[0]]);
  });

  it.each([
    [['a', 'b'], 0, 'a'],
    [['a', 'b'], 16_000, 'b'],
    [['a', 'b'], 31_000, 'a'],
    [[], 0, undefined],
  ])('changes with time: %j after %d ms is %s', (given, elapsedMs, expected) => {
    expect(phraseAt(given, elapsedMs)).toBe(expected);
  });
});
