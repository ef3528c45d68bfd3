/** Opens a provider with the address and the key that the user configured. */

import { randomUUID } from 'node:crypto';
import { createEndpoint, openProvider, parseProviderModel, proxyFromEnvironment } from '@castor/core/program';
import type { OpenProvider, Settings } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { isLoopback } from './base-url.ts';
import { configureProvider } from './configure-provider.ts';
import type { ConfiguredProvider, ProviderSources } from './configure-provider.ts';
import { requireKey } from './find-key.ts';
import type { KeyPlaces } from './find-key.ts';

declare const CASTOR_VERSION: string;

export interface ProviderPlaces extends ProviderSources, KeyPlaces {
  settings: Pick<Settings, 'providers' | 'castor' | 'model'>;
}

export interface OpenedProvider extends OpenProvider {
  /** The key in use, to be kept from commands and logs. */
  secret?: string | undefined;
}

/** Throws an ExitError with a sentence: an unknown id, a missing address or key, an invalid header. */
export async function openConfigured(id: string, places: ProviderPlaces): Promise<OpenedProvider> {
  const provider = configureProvider(id, places);
  const key = await requireKey(provider, places);
  const { baseUrl, addressSource, headers } = provider;
  const proxy = proxyFromEnvironment(places.environment);
  // A proxy of a company does not know the servers on this machine.
  const proxyFor = proxy && ((url: URL) => (isLoopback(url) ? undefined : proxy(url)));
  const endpoint = await refuse(provider, async () => {
    if (!provider.usesGoogleCredentials) return createEndpoint({ baseUrl, key, headers, userAgent });
    const { createVertexAccess } = await import('./vertex-access.ts');
    return createVertexAccess({ ...places, provider, key, userAgent, proxyFor });
  });
  const opened = await openProvider(
    {
      id,
      name: provider.name,
      protocol: provider.protocol,
      endpoint,
      quirks: provider.quirks,
      models: provider.models,
      smallModel: smallModelOf(provider, places),
      ...(provider.usesGoogleCredentials && { cloud: 'vertex' as const }),
      cacheKey: randomUUID(),
    },
    {
      addressSource,
      idleTimeoutMs: places.settings.model.streamIdleTimeoutMs,
      proxyFor,
    },
  );
  return { ...opened, secret: key?.value };
}

/** The setting counts for its own provider only: no request goes to another. */
function smallModelOf({ id, smallModel }: ConfiguredProvider, { settings }: ProviderPlaces): string | undefined {
  const named = settings.castor.smallModel === undefined ? undefined : parseProviderModel(settings.castor.smallModel);
  return named?.provider === id && named.model !== '' ? named.model : smallModel;
}

async function refuse<T>({ id, addressSource }: ConfiguredProvider, create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const place = addressSource === undefined ? '' : ` (its address is from ${addressSource})`;
    throw new ExitError(ExitCode.Settings, `the provider ${id} is misconfigured${place}: ${error.message}`, {
      cause: error,
    });
  }
}

function userAgent(model: string): string {
  return `Castor-cli-command/${CASTOR_VERSION}/${model} (${process.platform}; ${process.arch}; terminal)`;
}
