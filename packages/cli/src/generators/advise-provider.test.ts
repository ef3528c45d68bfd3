import { describe, expect, it } from 'vitest';
import { describeMeant } from './advise-provider.ts';
import type { ProviderPlaces } from '../providers/provider-places.ts';

const places = (environment: Record<string, string>, providers: Record<string, object> = {}) =>
  ({ home: '/none', settings: { providers, castor: {} }, environment }) as unknown as ProviderPlaces;

describe('what a user without a Gemini key probably meant', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['claude-opus-5', {}, 'claude-opus-5 is a model of Anthropic: castor --model anthropic/claude-opus-5'],
    ['gpt-5.6', { OPENAI_API_KEY: 'k' }, 'gpt-5.6 is a model of OpenAI: castor --model openai/gpt-5.6'],
    ['ollama', {}, 'ollama is a provider, whose models are named with a slash: castor --model ollama/<model>'],
    [
      'anthropic',
      {},
      'anthropic is a provider, whose models are named with a slash: castor --model anthropic/claude-opus-5',
    ],
    ['w', {}, 'w is a provider, whose models are named with a slash: castor --model w/<model>'],
    ['own-model', {}, 'own-model is a model of w: castor --model w/own-model'],
    ['auto', { MISTRAL_API_KEY: 'k' }, 'MISTRAL_API_KEY is set; to use it: castor --model mistral/<model>'],
    ['auto', {}, undefined],
    ['constructor', {}, undefined],
    ['gemini-2.5-pro', { MISTRAL_API_KEY: 'k' }, undefined],
  ])('by %s with %j', (model, environment, expected) => {
    const own = { w: { baseUrl: 'https://llm.example', models: { 'own-model': {} } } };
    expect(describeMeant(model, places(environment, own))).toBe(expected);
  });
});
