/**
 * Sends each request to the provider that its model names: `provider/model` goes to that provider, any other name to the
 * main generator. Providers are opened once, on first use. A conversation may change its model, and back, at any time.
 */

import type { GenerateContentResponse } from '../protocol/content.ts';
import { GEMINI_CATALOGUE } from './catalogue/gemini-catalogue.ts';
import { PLAIN_PRESET } from './catalogue/plain-preset.ts';
import type { ModelCatalogue, ModelFacts, ModelPrice } from './catalogue/model-catalogue.ts';
import type { ContentGenerator } from './content-generator.ts';
import type { OpenProvider } from './open-provider.ts';
import { parseProviderModel } from './provider-model.ts';

/** The prefix that only says what a plain name means anyway. */
const MAIN_ID = 'gemini';

export interface ProviderSwitch extends ContentGenerator {
  readonly catalogue: ModelCatalogue;
  /**
   * Opens the provider of a model, so that its facts are known. Resolves to undefined for a model of the main generator.
   * Rejects with the sentence that says what is missing: an unknown provider, a missing key.
   */
  prepare(model: string): Promise<OpenProvider | undefined>;
}

export interface ProviderSwitchOptions {
  /** Serves every name without a provider. */
  main: ContentGenerator;
  /** Default: the Gemini API's. */
  mainCatalogue?: ModelCatalogue;
  /** Opens a provider by its id. Rejects with a sentence for the user. */
  open(id: string): Promise<OpenProvider>;
}

export function createProviderSwitch({
  main,
  mainCatalogue = GEMINI_CATALOGUE,
  open,
}: ProviderSwitchOptions): ProviderSwitch {
  const opening = new Map<string, Promise<OpenProvider>>();
  const opened = new Map<string, OpenProvider>();
  const prices: Record<string, ModelPrice> = { ...mainCatalogue.prices };

  function openOnce(id: string): Promise<OpenProvider> {
    const known = opening.get(id) ?? open(id).then((provider) => remember(id, provider));
    opening.set(id, known);
    // A failure is not remembered: the user may add the key and try again.
    known.catch(() => opening.delete(id));
    return known;
  }

  function remember(id: string, provider: OpenProvider): OpenProvider {
    opened.set(id, provider);
    for (const name of provider.models.names()) notePrice(id, name, provider);
    return provider;
  }

  function notePrice(id: string, name: string, { models }: OpenProvider): void {
    const price = models.priceOf(name);
    if (price) prices[`${id}/${name}`] = price;
  }

  /** The generator of a request, and the request under the model's own name. */
  async function route<Request extends { model: string }>(
    request: Request,
  ): Promise<{ generator: ContentGenerator; own: Request; prefix: string }> {
    const named = parseProviderModel(request.model);
    if (!named) return { generator: main, own: request, prefix: '' };
    if (named.provider === MAIN_ID) return { generator: main, own: { ...request, model: named.model }, prefix: '' };
    const { generator } = await openOnce(named.provider);
    return { generator, own: { ...request, model: named.model }, prefix: `${named.provider}/` };
  }

  function find(model: string): ModelFacts | undefined {
    const named = parseProviderModel(model);
    if (!named || named.provider === MAIN_ID) return mainCatalogue.find(named?.model ?? model);
    const provider = opened.get(named.provider);
    if (!provider) return undefined;
    const facts = provider.models.factsOf(named.model);
    return { ...facts, utilityModel: `${named.provider}/${facts.utilityModel ?? named.model}` };
  }

  return {
    catalogue: {
      ...mainCatalogue,
      find,
      presets: { ...mainCatalogue.presets, [PLAIN_PRESET]: { modelConfig: {} } },
      prices,
    },

    async prepare(model) {
      const named = parseProviderModel(model);
      if (!named || named.provider === MAIN_ID) return undefined;
      const provider = await openOnce(named.provider);
      notePrice(named.provider, named.model, provider);
      return provider;
    },

    async generateContent(request, promptId, role) {
      const { generator, own, prefix } = await route(request);
      return withPrefix(await generator.generateContent(own, promptId, role), prefix);
    },

    async generateContentStream(request, promptId, role) {
      const { generator, own, prefix } = await route(request);
      const stream = await generator.generateContentStream(own, promptId, role);
      return prefix === '' ? stream : withPrefixes(stream, prefix);
    },

    async countTokens(request) {
      const { generator, own } = await route(request);
      return generator.countTokens(own);
    },

    async embedContent(request) {
      const { generator, own } = await route(request);
      return generator.embedContent(own);
    },
  };
}

/** Frames name the model that answered; with its provider, as everywhere above the wire. */
async function* withPrefixes(
  stream: AsyncGenerator<GenerateContentResponse>,
  prefix: string,
): AsyncGenerator<GenerateContentResponse, void> {
  for await (const response of stream) yield withPrefix(response, prefix);
}

function withPrefix(response: GenerateContentResponse, prefix: string): GenerateContentResponse {
  if (prefix !== '' && response.modelVersion !== undefined) response.modelVersion = `${prefix}${response.modelVersion}`;
  return response;
}
