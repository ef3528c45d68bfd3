import { describe, expect, it } from 'vitest';
import { isAutoModel, resolveModel, tokenLimit } from './models.ts';

describe('resolveModel', () => {
  it.each([
    ['auto', 'gemini-3-pro-preview', 'gemini-2.5-pro'],
    ['pro', 'gemini-3-pro-preview', 'gemini-2.5-pro'],
    ['flash', 'gemini-3-flash-preview', 'gemini-2.5-flash'],
    ['flash-lite', 'gemini-3.1-flash-lite', 'gemini-3.1-flash-lite'],
    ['auto-gemini-3', 'gemini-3-pro-preview', 'gemini-2.5-pro'],
    ['auto-gemini-2.5', 'gemini-2.5-pro', 'gemini-2.5-pro'],
    ['gemini-3.1-pro-preview-customtools', 'gemini-3.1-pro-preview-customtools', 'gemini-2.5-pro'],
    ['gemini-3-flash-preview', 'gemini-3-flash-preview', 'gemini-2.5-flash'],
    ['gemini-2.5-flash', 'gemini-2.5-flash', 'gemini-2.5-flash'],
    ['  my-own-model\n', 'my-own-model', 'my-own-model'],
    ['constructor', 'constructor', 'constructor'],
  ])('makes %j %s, or %s without preview models', (requested, preview, stable) => {
    expect([resolveModel(requested), resolveModel(requested, { preview: true })]).toEqual([preview, preview]);
    expect(resolveModel(requested, { preview: false })).toBe(stable);
  });
});

describe('isAutoModel', () => {
  it('knows the names that leave the choice to us', () => {
    expect(
      ['auto', ' auto-gemini-3', 'auto-gemini-2.5', 'pro', 'gemini-2.5-pro', ''].map((name) => isAutoModel(name)),
    ).toEqual([true, true, true, false, false, false]);
  });
});

describe('tokenLimit', () => {
  it.each([
    ['gemini-2.5-pro', 1_048_576],
    ['models/gemini-2.5-flash-mine', 1_048_576],
    ['tunedModels/mine-1234', 1_048_576],
    ['gemini-9-ultra', 128_000],
    ['gemini-3.5-ultra', 1_048_576],
    ['auto', 1_048_576],
    ['offline', 128_000],
    ['never heard of', 128_000],
    ['toString', 128_000],
    ['gemma-4-31b-it', 256_000],
    ['models/gemma-4-26b-a4b-it', 256_000],
  ])('of %s is %s', (model, limit) => {
    expect(tokenLimit(model)).toBe(limit);
  });
});
