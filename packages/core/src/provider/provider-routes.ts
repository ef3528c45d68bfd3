/**
 * The routes to providers other than the main one: each is opened once, on first use, and remembered with its models and
 * prices. Loaded by provider-switch.ts when a request or a question first names a provider.
 */

import type { GenerateContentResponse } from '../protocol/content.ts';
import { ApiError } from '../protocol/errors.ts';
import type { ModelCatalogue, ModelFacts, ModelPrice } from './catalogue/model-catalogue.ts';
import type { ContentGenerator } from './content-generator.ts';
import type { OpenProvider } from './open-provider.ts';
import { parseProviderModel } from './provider-model.ts';

/** The prefix that only says what a plain name means anyway. */
const MAIN_ID = 'gemini';

export interface ProviderRoutes extends ContentGenerator {
  find(model: string): ModelFacts | undefined;
  prepare(model: string): Promise<OpenProvider | undefined>;
  forget(id: string): void;
}

export interface ProviderSwitchOptions {
  /** Serves every name without a provider. */
  main: ContentGenerator;
  /** Default: the Gemini API's. */
  mainCatalogue?: ModelCatalogue;
  /** Opens a provider by its id. Rejects with a sentence for the user. */
  open(id: string): Promise<OpenProvider>;
}

export interface ProviderRoutesOptions extends Required<ProviderSwitchOptions> {
  /** Receives the prices of every provider that is opened. */
  prices: Record<string, ModelPrice>;
}

export function createProviderRoutes({ main, mainCatalogue, open, prices }: ProviderRoutesOptions): ProviderRoutes {
  const opening = new Map<string, Promise<OpenProvider>>();
  const opened = new Map<string, OpenProvider>();

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

  /** A failure with what the routes know about the model: the window it named, names like its own. */
  async function explain(model: string, error: unknown): Promise<unknown> {
    const named = parseProviderModel(model);
    const provider = named && opened.get(named.provider);
    if (!provider || !(error instanceof ApiError)) return error;
    const { explainFailure } = await import('./explain-failure.ts');
    return explainFailure(error, named, provider);
  }

  async function explained<T>({ model }: { model: string }, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw await explain(model, error);
    }
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
    find,

    forget(id) {
      opening.delete(id);
      opened.delete(id);
    },

    async prepare(model) {
      const named = parseProviderModel(model);
      if (!named || named.provider === MAIN_ID) return undefined;
      const provider = await openOnce(named.provider);
      await provider.describe(named.model);
      notePrice(named.provider, named.model, provider);
      return provider;
    },

    async generateContent(request, promptId, role) {
      const { generator, own, prefix } = await route(request);
      return withPrefix(await explained(request, () => generator.generateContent(own, promptId, role)), prefix);
    },

    async generateContentStream(request, promptId, role) {
      const { generator, own, prefix } = await route(request);
      const stream = await explained(request, () => generator.generateContentStream(own, promptId, role));
      return prefix === '' ? stream : withPrefixes(stream, prefix, (error) => explain(request.model, error));
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
  explain: (error: unknown) => Promise<unknown>,
): AsyncGenerator<GenerateContentResponse, void> {
  try {
    for await (const response of stream) yield withPrefix(response, prefix);
  } catch (error) {
    throw await explain(error);
  }
}

function withPrefix(response: GenerateContentResponse, prefix: string): GenerateContentResponse {
  if (prefix !== '' && response.modelVersion !== undefined) response.modelVersion = `${prefix}${response.modelVersion}`;
  return response;
}
