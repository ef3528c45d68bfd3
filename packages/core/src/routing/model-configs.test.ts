import { describe, expect, it } from 'vitest';
import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import { ModelConfigError, ModelConfigs, createModelConfigResolver } from './model-configs.ts';
import type { ModelConfigOverride } from './model-configs.ts';

const CHAT = { temperature: 1, topP: 0.95, topK: 64 };
const HIGH = { includeThoughts: true, thinkingLevel: 'HIGH' };

const scope = (name: string, temperature: number, match: ModelConfigOverride['match'] = {}): ModelConfigOverride => ({
  match: { overrideScope: name, ...match },
  modelConfig: { generateContentConfig: { temperature } },
});

describe('createModelConfigResolver', () => {
  it.each([
    ['gemini-3-pro-preview', 'gemini-3-pro-preview', HIGH],
    ['auto', 'gemini-3-pro-preview', HIGH],
    ['gemini-3.7-flash-of-tomorrow', 'gemini-3.7-flash-of-tomorrow', HIGH],
    ['gemini-2.5-flash', 'gemini-2.5-flash', { includeThoughts: true, thinkingBudget: 8192 }],
    ['auto-gemini-2.5', 'gemini-2.5-pro', { includeThoughts: true, thinkingBudget: 8192 }],
    ['models/gemini-2.5-pro', 'models/gemini-2.5-pro', { includeThoughts: true, thinkingBudget: 8192 }],
    ['a-model-nobody-knows', 'a-model-nobody-knows', { includeThoughts: true }],
    ['constructor', 'constructor', { includeThoughts: true }],
  ])('gives %s the settings of its family', (asked, model, thinkingConfig) => {
    expect(createModelConfigResolver()({ model: asked })).toEqual({ model, config: { ...CHAT, thinkingConfig } });
  });

  it('keeps to stable models without access to preview ones', () => {
    const resolve = createModelConfigResolver({ preview: false });
    expect(resolve({ model: 'auto' }).model).toBe('gemini-2.5-pro');
    expect(resolve({ model: 'loop-detection' })).toEqual({
      model: 'gemini-2.5-flash',
      config: { temperature: 0, topP: 1 },
    });
    expect(resolve({ model: 'chat-compression-3-pro' }).model).toBe('gemini-2.5-pro');
  });

  it('resolves every built-in alias that names a model to a concrete one', () => {
    const resolve = createModelConfigResolver();
    const names = Object.keys(GEMINI_CATALOGUE.presets).filter((name) => !/^(chat-)?base/.test(name));
    const models = new Set(names.map((name) => resolve({ model: name }).model));
    expect([...models].toSorted()).toEqual([
      'gemini-2.5-flash',
      'gemini-2.5-flash-lite',
      'gemini-2.5-pro',
      'gemini-3-flash-preview',
      'gemini-3-pro-preview',
      'gemini-3.1-flash-lite',
    ]);
  });

  it('gives the web aliases their tools and the classifier its limits', () => {
    const resolve = createModelConfigResolver();
    expect(resolve({ model: 'web-search' }).config).toEqual({ temperature: 0, topP: 1, tools: [{ googleSearch: {} }] });
    expect(resolve({ model: 'web-fetch' }).config).toEqual({ temperature: 0, topP: 1, tools: [{ urlContext: {} }] });
    expect(resolve({ model: 'classifier' })).toEqual({
      model: 'gemini-3.1-flash-lite',
      config: { temperature: 0, topP: 1, maxOutputTokens: 1024, thinkingConfig: { thinkingBudget: 512 } },
    });
  });

  it('merges objects along a chain of aliases and replaces arrays', () => {
    const resolve = createModelConfigResolver({
      customAliases: {
        mine: {
          extends: 'chat-base-2.5',
          modelConfig: { model: 'flash', generateContentConfig: { stopSequences: ['a', 'b'], temperature: 0.5 } },
        },
        'mine-short': {
          extends: 'mine',
          modelConfig: { generateContentConfig: { stopSequences: ['c'], thinkingConfig: { thinkingBudget: 0 } } },
        },
      },
    });
    expect(resolve({ model: 'mine-short' })).toEqual({
      model: 'gemini-3-flash-preview',
      config: {
        temperature: 0.5,
        topP: 0.95,
        topK: 64,
        stopSequences: ['c'],
        thinkingConfig: { includeThoughts: true, thinkingBudget: 0 },
      },
    });
  });

  it('lets the user describe a model by its name, also when it is reached by what people call it', () => {
    const resolve = createModelConfigResolver({
      customAliases: {
        'gemini-3-pro-preview': {
          modelConfig: { model: 'gemini-3-pro-preview', generateContentConfig: { seed: 7 } },
        },
      },
    });
    expect(resolve({ model: 'auto' })).toEqual({ model: 'gemini-3-pro-preview', config: { seed: 7 } });
  });

  it('applies an override only where all of its match fits', () => {
    const resolve = createModelConfigResolver({
      customOverrides: [scope('reviewer', 0.1, { model: 'gemini-2.5-pro', isRetry: true })],
    });
    const temperature = (key: object) => resolve({ model: 'gemini-2.5-pro', ...key }).config.temperature;
    expect(temperature({ overrideScope: 'reviewer', isRetry: true })).toBe(0.1);
    expect(temperature({ overrideScope: 'reviewer' })).toBe(1);
    expect(temperature({ isRetry: true })).toBe(1);
    expect(resolve({ model: 'gemini-2.5-flash', overrideScope: 'reviewer', isRetry: true }).config.temperature).toBe(1);
  });

  it('takes a request without a scope for one of the core', () => {
    const resolve = createModelConfigResolver({ customOverrides: [scope('core', 0.2)] });
    expect(resolve({ model: 'flash' }).config.temperature).toBe(0.2);
    expect(resolve({ model: 'flash', overrideScope: 'agent' }).config.temperature).toBe(1);
  });

  it.each([
    ['the deeper alias wins over the root, whatever the order', [on('classifier', 1), on('base', 2)], 1],
    ['an alias wins over the model it comes to', [on('classifier', 1), on('gemini-3.1-flash-lite', 2)], 1],
    ['a named model wins over none', [on('gemini-3.1-flash-lite', 1), scope('core', 2)], 1],
    ['of the same depth the more specific wins', [both('classifier', 1), on('classifier', 2)], 1],
    ['of equals the later wins', [on('classifier', 1), on('classifier', 2)], 2],
  ])('orders overrides: %s', (_title, customOverrides, temperature) => {
    const resolve = createModelConfigResolver({ customOverrides });
    expect(resolve({ model: 'classifier' }).config.temperature).toBe(temperature);
  });

  it('lets an override send the request to another model', () => {
    const customOverrides = [{ match: { model: 'next-speaker-checker' }, modelConfig: { model: 'flash-lite' } }];
    const resolve = createModelConfigResolver({ customOverrides });
    expect(resolve({ model: 'next-speaker-checker' }).model).toBe('gemini-3.1-flash-lite');
  });

  it('hands out settings that can be changed without changing the next answer', () => {
    const resolve = createModelConfigResolver();
    const { config } = resolve({ model: 'web-search' });
    config.tools?.push({ urlContext: {} });
    expect(resolve({ model: 'web-search' }).config.tools).toEqual([{ googleSearch: {} }]);
  });

  it('refuses at once an alias that extends nothing or itself, and names it', () => {
    const create = (parent: string) => () =>
      createModelConfigResolver({
        customAliases: { mine: { extends: parent, modelConfig: {} }, other: { extends: 'mine', modelConfig: {} } },
      });
    expect(create('nothing')).toThrow(
      new ModelConfigError('modelConfigs.customAliases: the alias "mine" extends "nothing", which does not exist.'),
    );
    expect(create('other')).toThrow(
      new ModelConfigError('modelConfigs.customAliases: the alias "other" extends "mine", and so in the end itself.'),
    );
  });

  it('says so when an alias is asked for that names no model', () => {
    expect(() => createModelConfigResolver()({ model: 'chat-base' })).toThrow(/"chat-base" has no model/);
  });

  it("sends requests beside the conversation to the small model of the conversation's provider, without presets", () => {
    const catalogue: ModelCatalogue = {
      ...GEMINI_CATALOGUE,
      find: (model) =>
        model.startsWith('far/')
          ? { ...GEMINI_CATALOGUE.unknown, utilityModel: 'far/little' }
          : GEMINI_CATALOGUE.find(model),
    };
    let mainModel = 'far/big';
    const configs = new ModelConfigs({
      catalogue,
      mainModel: () => mainModel,
      customAliases: { 'loop-detection': { modelConfig: { model: 'gemini-2.5-pro' } } },
    });
    expect(configs.resolve({ model: 'classifier' })).toEqual({ model: 'far/little', config: {} });
    expect(configs.resolve({ model: 'far/big' }).model).toBe('far/big');
    // The user's own alias names its model on purpose.
    expect(configs.resolve({ model: 'loop-detection' }).model).toBe('gemini-2.5-pro');
    mainModel = 'gemini-2.5-pro';
    expect(configs.resolve({ model: 'classifier' }).model).toBe('gemini-3.1-flash-lite');
  });
});

function on(model: string, temperature: number): ModelConfigOverride {
  return { match: { model }, modelConfig: { generateContentConfig: { temperature } } };
}

function both(model: string, temperature: number): ModelConfigOverride {
  return scope('core', temperature, { model });
}
