/**
 * Asks a provider for its list of models: one cheap request, which also proves the key. Servers on this machine are
 * asked for the facts that only they know.
 */

import { ApiError, UnauthorizedError } from '../../protocol/errors.ts';
import { type HttpClient, type HttpClientOptions, createHttpClient } from '../http/http-client.ts';
import type { ProtocolName } from '../providers.ts';
import { parseObject, readFailure, readText } from '../wire/answer.ts';
import { findReportedError, judgeFailure } from '../wire/judge-failure.ts';
import type { WireEndpoint } from '../wire/wire-protocol.ts';
import { type ListedModel, readModelList, readProps, readShow } from './model-list.ts';
import { ollamaWindow } from './ollama-window.ts';

export interface ListModelsOptions extends HttpClientOptions {
  /** The provider's id: LM Studio and llama.cpp say more on paths of their own. */
  id: string;
  protocol: ProtocolName;
  endpoint: WireEndpoint;
  signal?: AbortSignal | undefined;
}

const PATHS: Readonly<Record<ProtocolName, string>> = {
  chat: 'models',
  responses: 'models',
  anthropic: 'v1/models?limit=1000',
  gemini: 'v1beta/models?pageSize=1000',
  ollama: 'api/tags',
};
const ANTHROPIC_VERSION = { 'anthropic-version': '2023-06-01' };
const MAX_LIST_BYTES = 32 * 1024 * 1024;
/** A server with more models is listed without the details of the rest. */
const MOST_SHOWN = 64;

/** Rejects with UnauthorizedError for a rejected key, else with ApiError. */
export async function listModels(options: ListModelsOptions): Promise<ListedModel[]> {
  const http = createHttpClient({ ...options, purpose: 'model list' });
  try {
    return await ask(http, options);
  } finally {
    http.close();
  }
}

async function ask(http: HttpClient, options: ListModelsOptions): Promise<ListedModel[]> {
  const { id, protocol, endpoint } = options;
  if (id === 'lmstudio') {
    const own = await getJson(http, rootUrl(endpoint, '/api/v0/models'), options).catch(unlessRejected);
    if (own !== undefined) return readModelList(own);
  }
  const isOllama = protocol === 'ollama';
  const [listed, running] = await Promise.all([
    getJson(http, listUrl(options), options),
    isOllama ? askOllama(http, options, 'api/ps') : undefined,
  ]);
  const list = readModelList(listed);
  if (id === 'llamacpp') {
    const props = readProps(await getJson(http, rootUrl(endpoint, '/props'), options).catch(unlessRejected));
    return list.map((model) => ({ ...model, known: { ...model.known, ...props } }));
  }
  if (!isOllama) return list;
  return Promise.all(
    list.map(async (model, index) => {
      if (index >= MOST_SHOWN) return model;
      const shown = readShow(await askOllama(http, options, 'api/show', model.id));
      const { trainedWindow, allottedWindow: _allotted, ...known } = shown;
      return {
        ...model,
        known: { ...model.known, ...known, ...(trainedWindow !== undefined && ollamaWindow(shown, running, model.id)) },
        ...(trainedWindow !== undefined && { trainedWindow }),
      };
    }),
  );
}

/** Undefined where the server does not offer it. */
async function askOllama(http: HttpClient, options: ListModelsOptions, path: string, model?: string): Promise<unknown> {
  const body = model === undefined ? undefined : [Buffer.from(JSON.stringify({ model }))];
  return getJson(http, options.endpoint.url(path), options, body).catch(unlessRejected);
}

export function listUrl({ protocol, endpoint }: ListModelsOptions): URL {
  return endpoint.url(PATHS[protocol]);
}

/** A path of the server's own, beside the versioned ones. */
export function rootUrl(endpoint: WireEndpoint, path: string): URL {
  return new URL(path, endpoint.url(''));
}

/** A detail that a server does not offer is not needed; a rejected key is. */
export function unlessRejected(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}

export async function getJson(
  http: HttpClient,
  url: URL,
  { endpoint, protocol, signal }: ListModelsOptions,
  body?: readonly Buffer[],
): Promise<unknown> {
  const headers = {
    ...(protocol === 'anthropic' && ANTHROPIC_VERSION),
    ...(await endpoint.headers('')),
    ...(body && { 'content-type': 'application/json' }),
  };
  const response = await (body ? http.post({ url, headers, body, signal }) : http.get({ url, headers, signal }));
  const failure = await readFailure(response);
  if (!failure) return parseObject(await readText(response, MAX_LIST_BYTES));
  const masked = endpoint.mask(failure.body);
  const error = judgeFailure(
    { ...failure, url, isLocal: endpoint.isLocal, body: masked },
    findReportedError(masked) ?? { types: [] },
  );
  const { status } = failure;
  throw error instanceof UnauthorizedError || status !== 403 ? error : new UnauthorizedError(error.message, { status });
}
