/** Opens a provider with the address and the key that the user configured. */

import { SECRET_NAME, createSessionId, openProvider, parseProviderModel } from '@castor/core/program';
import type { OpenProvider } from '@castor/core/program';
import { configureProvider } from './configure-provider.ts';
import type { ConfiguredProvider } from './configure-provider.ts';
import { requireKey } from './find-key.ts';
import { readCachedLists } from './model-cache.ts';
import { createProviderEndpoint, proxyFor } from './provider-endpoint.ts';
import type { ProviderPlaces } from './provider-places.ts';
import { readUpdatedModels } from './updated-models.ts';

/** A shorter value would mask words of answers. */
const SHORTEST_SECRET = 8;

export interface OpenedProvider extends OpenProvider {
  /** The key in use and what headers hold beside it, to be kept from commands, logs and recordings. */
  secrets: readonly string[];
}

/** Throws an ExitError with a sentence: an unknown id, a missing address or key, an invalid header. */
export async function openConfigured(id: string, places: ProviderPlaces): Promise<OpenedProvider> {
  const provider = configureProvider(id, places);
  const key = await requireKey(provider, places);
  const opened = await openProvider(
    {
      id,
      name: provider.name,
      protocol: provider.protocol,
      endpoint: await createProviderEndpoint(provider, key, places),
      quirks: provider.quirks,
      models: provider.models,
      listed: listOf(provider, places),
      isForeign: provider.isForeign,
      table: readUpdatedModels(places.home),
      smallModel: smallModelOf(provider, places),
      ...(provider.usesGoogleCredentials && { cloud: 'vertex' as const }),
      cacheKey: createSessionId(),
    },
    {
      addressSource: provider.addressSource,
      idleTimeoutMs: places.settings.model.streamIdleTimeoutMs,
      proxyFor: proxyFor(places),
    },
  );
  return { ...opened, secrets: [...(key ? [key.value] : []), ...secretsIn(provider.headers)] };
}

/** Values of headers that are named like credentials, with and without their scheme. */
function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, value.replace(/^\w+ /, '')])
    .filter((value) => value.length >= SHORTEST_SECRET);
}

/** Of the same address: another server may mean another model by the same name. */
function listOf({ id, baseUrl }: ConfiguredProvider, { home }: ProviderPlaces) {
  const list = readCachedLists(home)[id];
  return list?.baseUrl === baseUrl ? list.models : undefined;
}

/** The setting counts for its own provider only: no request goes to another. */
function smallModelOf({ id, smallModel }: ConfiguredProvider, { settings }: ProviderPlaces): string | undefined {
  const named = settings.castor.smallModel === undefined ? undefined : parseProviderModel(settings.castor.smallModel);
  return named?.provider === id && named.model !== '' ? named.model : smallModel;
}
