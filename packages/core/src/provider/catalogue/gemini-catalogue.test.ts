import { describe, expect, it } from 'vitest';
import { GEMINI_CATALOGUE } from './gemini-catalogue.ts';
import type { ModelFacts } from './model-catalogue.ts';

const { find, unknown, aliases, stableModels, presets, chains, prices } = GEMINI_CATALOGUE;
const LARGE = { ...unknown, contextWindow: 1_048_576 };
const SECOND: ModelFacts = {
  ...LARGE,
  helpedByTodos: true,
  chatPreset: 'chat-base-2.5',
  variants: { pro: 'gemini-2.5-pro', flash: 'gemini-2.5-flash' },
};
const THIRD: ModelFacts = { ...LARGE, chatPreset: 'chat-base-3', gradedBy: 'number' };

describe('GEMINI_CATALOGUE', () => {
  it.each<[string, ModelFacts | undefined]>([
    ['gemini-3-pro-preview', { ...THIRD, mediaInResponses: true, compressionPreset: 'chat-compression-3-pro' }],
    ['gemini-3-flash-preview', { ...THIRD, mediaInResponses: true, compressionPreset: 'chat-compression-3-flash' }],
    ['gemini-3.1-pro-preview-customtools', { ...THIRD, compressionPreset: 'chat-compression-3-pro' }],
    ['gemini-3.5-flash', { ...THIRD, compressionPreset: 'chat-compression-3-flash' }],
    ['gemini-3.1-flash-lite', THIRD],
    ['gemini-2.5-pro', { ...SECOND, compressionPreset: 'chat-compression-2.5-pro' }],
    ['gemini-2.5-flash', { ...SECOND, compressionPreset: 'chat-compression-2.5-flash' }],
    ['gemini-2.5-flash-lite', { ...SECOND, compressionPreset: 'chat-compression-2.5-flash-lite' }],
    [
      'gemini-2.5-flash-preview-05-20',
      { ...SECOND, helpedByTodos: false, compressionPreset: 'chat-compression-2.5-flash' },
    ],
    ['gemini-2.0-flash', { ...LARGE, helpedByTodos: true }],
    ['gemma-4-31b-it', { ...unknown, contextWindow: 256_000 }],
    ['models/gemini-2.5-pro-mine', { ...SECOND, compressionPreset: 'chat-compression-2.5-pro' }],
    ['tunedModels/gemini-3-pro-x1', { ...THIRD, mediaInResponses: true, compressionPreset: 'chat-compression-3-pro' }],
    ['tunedModels/sentences-x1', LARGE],
    ['models/something', undefined],
    ['my-gemini-3-pro', undefined],
    ['claude-opus-5', undefined],
    ['constructor', undefined],
    ['', undefined],
  ])('knows of %s', (model, facts) => {
    expect(find(model)).toEqual(facts);
  });

  it('assumes little of an unknown model', () => {
    expect(unknown.contextWindow).toBe(128_000);
  });

  it('names only models and presets that it knows itself', () => {
    const named = [
      ...Object.values(aliases).flatMap(({ preview, stable }) => [preview, stable]),
      ...Object.entries(stableModels).flat(),
      ...chains.flatMap(({ leads, others }) => [...leads, ...others]),
      ...Object.keys(prices),
    ];
    expect(named.filter((model) => !find(model))).toEqual([]);
    const used = named.flatMap((model) => [find(model)?.chatPreset, find(model)?.compressionPreset]);
    expect(used.filter((preset) => preset !== undefined && !Object.hasOwn(presets, preset))).toEqual([]);
    const asked = Object.values(presets).flatMap(({ modelConfig }) => modelConfig.model ?? []);
    expect(asked.filter((model) => !find(model) && !Object.hasOwn(aliases, model))).toEqual([]);
  });
});
