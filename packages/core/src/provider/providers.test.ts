import { describe, expect, it } from 'vitest';
import { parseProviderModel } from './provider-model.ts';
import { PROVIDERS } from './providers.ts';

describe('PROVIDERS', () => {
  it('has one row per id, each a word that is no collection of the Gemini API', () => {
    const ids = PROVIDERS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(parseProviderModel(`${id}/m`)).toEqual({ provider: id, model: 'm' });
  });

  it('says where each key and address comes from', () => {
    for (const row of PROVIDERS) {
      const hasKey = (row.keyVariables?.length ?? 0) > 0 || row.isKeyOptional || row.usesGoogleCredentials;
      expect(hasKey, row.id).toBe(true);
      expect(row.baseUrl ?? row.baseUrlVariables?.[0], row.id).toBeDefined();
    }
  });

  it('sends keys over TLS only, except to this machine', () => {
    for (const { id, baseUrl = 'https:' } of PROVIDERS) {
      expect(baseUrl, id).toMatch(/^(?:https:|http:\/\/127\.0\.0\.1[:/])/);
    }
  });
});

describe('parseProviderModel', () => {
  it.each([
    ['anthropic/claude-opus-5', 'anthropic', 'claude-opus-5'],
    ['openrouter/anthropic/claude-sonnet-5', 'openrouter', 'anthropic/claude-sonnet-5'],
    ['ollama/qwen3-coder:30b', 'ollama', 'qwen3-coder:30b'],
    ['google/gemini-2.5-pro', 'gemini', 'gemini-2.5-pro'],
    ['Anthropic/x', 'anthropic', 'x'],
    ['ollama/', 'ollama', ''],
    ['unheard-of/x', 'unheard-of', 'x'],
  ])('splits %s', (name, provider, model) => expect(parseProviderModel(name)).toEqual({ provider, model }));

  it.each(['gemini-2.5-pro', 'models/x', 'tunedModels/x', 'publishers/google/models/x', 'projects/p/x', '/x', ''])(
    'takes %j for a Gemini name',
    (name) => expect(parseProviderModel(name)).toBeUndefined(),
  );
});
