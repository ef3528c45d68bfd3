/**
 * Sends each request to the provider that its model names: `provider/model` goes to that provider, any other name to the
 * main generator. Providers are opened once, on first use. A conversation may change its model, and back, at any time.
 */

import { GEMINI_CATALOGUE } from './catalogue/gemini-catalogue.ts';
import type { ModelCatalogue, ModelPrice } from './catalogue/model-catalogue.ts';
import { PLAIN_PRESET } from './catalogue/plain-preset.ts';
import type { ContentGenerator } from './content-generator.ts';
import type { OpenProvider } from './open-provider.ts';
import { parseProviderModel } from './provider-model.ts';
import type { ProviderRoutes, ProviderSwitchOptions } from './provider-routes.ts';

export interface ProviderSwitch extends ContentGenerator {
  readonly catalogue: ModelCatalogue;
  /**
   * Opens the provider of a model, so that its facts are known. Resolves to undefined for a model of the main generator.
   * Rejects with the sentence that says what is missing: an unknown provider, a missing key.
   */
  prepare(model: string): Promise<OpenProvider | undefined>;
  /** The next request opens the provider anew, since its key or address has changed. */
  forget(id: string): void;
}

export function createProviderSwitch(options: ProviderSwitchOptions): ProviderSwitch {
  const { main, mainCatalogue = GEMINI_CATALOGUE } = options;
  const prices: Record<string, ModelPrice> = { ...mainCatalogue.prices };
  let routes: ProviderRoutes | undefined;

  /** Nothing of other providers is loaded before one is named. */
  async function load(): Promise<ProviderRoutes> {
    const { createProviderRoutes } = await import('./provider-routes.ts');
    return (routes ??= createProviderRoutes({ ...options, mainCatalogue, prices }));
  }
  const serve = ({ model }: { model: string }) => (parseProviderModel(model) ? load() : main);

  const generator: ContentGenerator = {
    generateContent: async (request, ...rest) => (await serve(request)).generateContent(request, ...rest),
    generateContentStream: async (request, ...rest) => (await serve(request)).generateContentStream(request, ...rest),
    countTokens: async (request) => (await serve(request)).countTokens(request),
    embedContent: async (request) => (await serve(request)).embedContent(request),
  };
  return {
    ...generator,
    catalogue: {
      ...mainCatalogue,
      find: (model) => (parseProviderModel(model) ? routes?.find(model) : mainCatalogue.find(model)),
      presets: { ...mainCatalogue.presets, [PLAIN_PRESET]: { modelConfig: {} } },
      prices,
    },
    forget: (id) => routes?.forget(id),
    prepare: async (model) => (parseProviderModel(model) ? (await load()).prepare(model) : undefined),
  };
}
