/** Opens a provider with the address and the key that the user configured. */

import { createSessionId, openProvider, parseProviderModel } from '@castor/core/program';
import type { OpenProvider } from '@castor/core/program';
import { configureProvider } from './configure-provider.ts';
import type { ConfiguredProvider } from './configure-provider.ts';
import { requireKey } from './find-key.ts';
import { readCachedLists } from './model-cache.ts';
import { createProviderEndpoint, proxyFor } from './provider-endpoint.ts';
import type { ProviderPlaces } from './provider-places.ts';
import { readUpdatedModels } from './updated-models.ts';

export interface OpenedProvider extends OpenProvider {
  /** The key in use, to be kept from commands and logs. */
  secret?: string | undefined;
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
  return { ...opened, secret: key?.value };
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
