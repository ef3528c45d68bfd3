import { describe, expect, it } from 'vitest';
import { answerText, withSources } from './grounding.ts';

const chunks = [{ web: { uri: 'https://a.org', title: 'A' } }, { web: { uri: 'https://b.org' } }, {}];

describe('withSources', () => {
  it('puts marks where segments end, counted in bytes of UTF-8', () => {
    const text = 'Käse ist gut. 🧀 Brot auch.';
    const end = (part: string) => Buffer.byteLength(text.slice(0, text.indexOf(part) + part.length));
    const groundingSupports = [
      { segment: { endIndex: end('auch.') }, groundingChunkIndices: [1] },
      { segment: { startIndex: 0, endIndex: end('gut.') }, groundingChunkIndices: [0, 1] },
      { segment: { endIndex: end('gut.') }, groundingChunkIndices: [0] },
      { groundingChunkIndices: [0] },
    ];
    expect(withSources(text, { groundingChunks: chunks, groundingSupports })).toBe(
      'Käse ist gut.[1][2] 🧀 Brot auch.[2]\n\nSources:\n[1] A (https://a.org)\n[2] Untitled (https://b.org)\n[3] Untitled (No URI)',
    );
  });

  it('cuts no character for an offset inside one, and survives offsets outside the text', () => {
    const groundingSupports = [
      { segment: { endIndex: 2 }, groundingChunkIndices: [0] },
      { segment: { endIndex: 999 }, groundingChunkIndices: [1] },
      { segment: { endIndex: -3 }, groundingChunkIndices: [2] },
    ];
    const cited = withSources('🧀x', { groundingChunks: chunks, groundingSupports });
    expect(cited.split('\n')[0]).toBe('[3]🧀[1]x[2]');
  });

  it('leaves a text without sources alone', () => {
    expect(withSources('text', undefined)).toBe('text');
    expect(withSources('text', { groundingSupports: [{ segment: { endIndex: 1 }, groundingChunkIndices: [0] }] })).toBe(
      'text',
    );
  });
});

describe('answerText', () => {
  it('leaves thoughts out', () => {
    const parts = [{ text: 'thinking', thought: true }, { text: 'a' }, { text: 'b' }];
    expect(answerText({ candidates: [{ content: { parts } }] })).toBe('ab');
    expect(answerText({})).toBe('');
  });
});
