/**
 * Asks a server what it says of one model: the window it allots, whether the model calls tools and sees images. A local
 * server is the only source of these facts, and a wrong window cuts the conversation in silence.
 */

import { isRecord } from '../../util/is-record.ts';
import { type HttpClient, createHttpClient } from '../http/http-client.ts';
import { type ListModelsOptions, getJson, listUrl, rootUrl, unlessRejected } from './list-models.ts';
import { type ListedModel, readModelList, readProps, readShow } from './model-list.ts';
import { ollamaWindow } from './ollama-window.ts';
import type { KnownModel } from './provider-catalogue.ts';

export interface DescribeModelOptions extends ListModelsOptions {
  /** The user has set the window of the model: what the server would allot does not matter. */
  isWindowSet?: boolean | undefined;
}

/** Empty where the server does not know the model. Rejects with ApiError or UnauthorizedError like `listModels`. */
export async function describeModel(options: DescribeModelOptions, model: string): Promise<KnownModel> {
  const http = createHttpClient({ ...options, purpose: 'model list' });
  try {
    if (options.protocol === 'ollama') return await describeOllama(http, options, model);
    return (await findListed(http, options, model)) ?? {};
  } finally {
    http.close();
  }
}

/** `/api/show` knows the model, `/api/ps` what is allotted to it while it is loaded. */
async function describeOllama(http: HttpClient, options: DescribeModelOptions, model: string): Promise<KnownModel> {
  const { endpoint } = options;
  const body = [Buffer.from(JSON.stringify({ model }))];
  const [shown, running] = await Promise.all([
    getJson(http, endpoint.url('api/show'), options, body),
    options.isWindowSet ? undefined : getJson(http, endpoint.url('api/ps'), options).catch(unlessRejected),
  ]);
  const window = readShow(shown);
  const { trainedWindow: _trained, allottedWindow: _allotted, ...known } = window;
  return { ...known, ...ollamaWindow(window, running, model) };
}

async function findListed(
  http: HttpClient,
  options: ListModelsOptions,
  model: string,
): Promise<KnownModel | undefined> {
  const { id, endpoint } = options;
  // LM Studio tells the window it has loaded a model with on a path of its own.
  if (id === 'lmstudio') {
    const own = await getJson(http, rootUrl(endpoint, '/api/v0/models'), options).catch(unlessRejected);
    const found = own === undefined ? undefined : findIn(readModelList(own), model);
    if (found) return found.known;
  }
  const list = await getJson(http, listUrl(options), options);
  const found = findIn(readModelList(list), model);
  if (!isLlamaServer(id, list)) return found?.known;
  // It answers every name with the model it has loaded.
  const props = await getJson(http, rootUrl(endpoint, '/props'), options).catch(unlessRejected);
  return { ...found?.known, ...readProps(props) };
}

function findIn(list: readonly ListedModel[], model: string): ListedModel | undefined {
  return list.find(({ id }) => id === model);
}

function isLlamaServer(id: string, list: unknown): boolean {
  const rows = isRecord(list) && Array.isArray(list['data']) ? (list['data'] as unknown[]) : [];
  return id === 'llamacpp' || rows.some((row) => isRecord(row) && row['owned_by'] === 'llamacpp');
}
