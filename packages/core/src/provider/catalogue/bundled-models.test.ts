/** The generated table of models, and what is told by the name of a model that it does not hold. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROVIDERS } from '../providers.ts';
import { bundledModels } from './bundled-models.ts';
import { familyOf } from './model-families.ts';
import { MODELS, MODELS_DATE } from './models-data.ts';

const LINE =
  /^\S+ [1-9]\d* (?:[1-9]\d*|-) (?:-|(?:[\d.]+\/[\d.]+(?:\/[\d.]*){0,2})(?:\+[1-9]\d*:[\d.]+\/[\d.]+(?:\/[\d.]*){0,2})?) (?:t?i?d?|-) (?:effort(?::n?i?l?m?h?x?a?)?|budget|switch|always|-)$/;

describe('the bundled table of models', () => {
  it('knows window, output, price with cache, abilities and thinking', () => {
    expect(bundledModels('anthropic')['claude-opus-5']).toEqual({
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      price: { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
      tools: true,
      images: true,
      documents: true,
    });
    expect(bundledModels('openai')['gpt-5.4']).toEqual({
      contextWindow: 1_050_000,
      maxOutput: 128_000,
      price: { input: 2.5, output: 15, cached: 0.25, long: { above: 272_000, input: 5, output: 22.5, cached: 0.5 } },
      tools: true,
      images: true,
      documents: true,
      thinking: 'effort',
      efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    });
  });

  it('is empty for a provider it does not hold', () => {
    expect(bundledModels('ollama')).toEqual({});
    expect(bundledModels('constructor')).toEqual({});
  });

  it.each(Object.keys(MODELS))('holds only whole lines for %s, which is a provider', (provider) => {
    expect(PROVIDERS.map(({ id }) => id)).toContain(provider);
    const lines = MODELS[provider]?.trim().split(/\n| \| /) ?? [];
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
    expect(new Set(lines.map((line) => line.split(' ')[0])).size).toBe(lines.length);
  });

  it('says its date and stays small', () => {
    expect(MODELS_DATE).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(readFileSync(new URL('models-data.ts', import.meta.url)).length).toBeLessThan(80_000);
  });

  it('knows the default and the small model of every provider', () => {
    const named = PROVIDERS.flatMap(({ id, defaultModel, smallModel }) =>
      [defaultModel, smallModel].flatMap((model) => (model === undefined ? [] : [[id, model] as const])),
    );
    expect(named.filter(([id, model]) => bundledModels(id)[model] === undefined)).toEqual([]);
  });
});

describe('the family of a name', () => {
  it.each([
    ['claude-3-haiku-20240307', undefined],
    ['claude-3-5-sonnet-20241022', undefined],
    ['claude-3-7-sonnet-20250219', 'budget'],
    ['claude-opus-4-20250514', 'budget'],
    ['claude-sonnet-4@20250514', 'budget'],
    ['claude-opus-4-1', 'budget'],
    ['claude-haiku-4-5-20251001', 'budget'],
    ['anthropic/claude-sonnet-4.5', 'budget'],
    ['anthropic/claude-opus-4.6', 'adaptive'],
    ['claude-opus-4-7', 'adaptive'],
    ['claude-sonnet-5', 'adaptive'],
    ['claude-opus-5-5', 'adaptive'],
    ['claude-fable-5', 'always'],
    ['claude-mythos-5', 'always'],
  ])('asks %s to think by %s', (model, thinking) => {
    expect(familyOf(model)).toMatchObject({ family: 'claude', images: true });
    expect(familyOf(model)?.thinking).toBe(thinking);
  });

  it.each([
    ['gpt-5.6', { family: 'gpt', thinking: 'effort', images: true }],
    ['o4-mini', { family: 'gpt', thinking: 'effort', images: true }],
    ['gpt-4o', { family: 'gpt', images: true }],
    ['gpt-5-chat-latest', { family: 'gpt', images: true }],
    ['gpt-oss:20b', { family: 'local', thinking: 'effort', images: false }],
    ['deepseek-chat', { family: 'deepseek' }],
    ['deepseek/deepseek-r1', { family: 'deepseek', thinking: 'switch' }],
    ['qwen3-coder:30b', { family: 'qwen' }],
    ['qwen3:8b', { family: 'qwen', thinking: 'switch' }],
    ['qwen2.5-coder', { family: 'qwen' }],
    ['moonshotai/kimi-k2-thinking', { family: 'kimi', thinking: 'switch' }],
    ['kimi-k2-instruct', { family: 'kimi' }],
    ['glm-4.6', { family: 'glm', thinking: 'switch' }],
    ['devstral-small', { family: 'mistral' }],
  ])('knows %s', (model, known) => {
    expect(JSON.parse(JSON.stringify(familyOf(model)))).toEqual(known);
  });

  it('knows nothing of another name', () => {
    expect(familyOf('stories15M')).toBeUndefined();
  });
});
