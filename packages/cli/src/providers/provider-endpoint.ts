/** The endpoint of a configured provider: its address, key, headers and proxy. It sends nothing. */

import { createEndpoint, proxyFromEnvironment } from '@castor/core/program';
import type { EndpointKey, WireEndpoint } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { chooseProxy } from '../start/proxy.ts';
import { isLoopback } from './base-url.ts';
import type { ConfiguredProvider } from './configure-provider.ts';
import { describeUnsentKey } from './find-key.ts';
import type { KeyPlaces } from './find-key.ts';

declare const CASTOR_VERSION: string;

/** A proxy of a company does not know the servers on this machine. */
export function proxyFor({
  environment,
}: Pick<KeyPlaces, 'environment'>): ((url: URL) => string | undefined) | undefined {
  const proxy = proxyFromEnvironment(environment);
  return proxy && ((url) => (isLoopback(url) ? undefined : proxy(url)));
}

/** Throws an ExitError for an invalid address, proxy or header, and for missing Google credentials. */
export async function createProviderEndpoint(
  provider: ConfiguredProvider,
  key: EndpointKey | undefined,
  places: KeyPlaces,
): Promise<WireEndpoint> {
  const { id, baseUrl, addressSource, headers } = provider;
  refuseUnsendable(provider, key);
  const address = URL.parse(baseUrl);
  if (address !== null && !isLoopback(address)) chooseProxy(places.environment, baseUrl);
  try {
    if (!provider.usesGoogleCredentials) {
      // The user's own headers may hold the key.
      const withoutKey = Object.keys(headers).length === 0 ? describeUnsentKey(provider, places) : undefined;
      return createEndpoint({ baseUrl, key, withoutKey, headers, userAgent });
    }
    const { createVertexAccess } = await import('./vertex-access.ts');
    return await createVertexAccess({ ...places, provider, key, userAgent, proxyFor: proxyFor(places) });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const place = addressSource === undefined ? '' : ` (its address is from ${addressSource})`;
    throw new ExitError(ExitCode.Settings, `the provider ${id} is misconfigured${place}: ${error.message}`, {
      cause: error,
    });
  }
}

/** A key with a line break or a letter outside of ASCII cannot travel in a header. Its place is named, never its value. */
function refuseUnsendable({ id, name }: ConfiguredProvider, key: EndpointKey | undefined): void {
  if (key === undefined || /^[\x20-\x7e]*$/.test(key.value.trim())) return;
  throw new ExitError(
    ExitCode.Settings,
    `the key of ${name} in ${key.source ?? `the provider ${id}`} is invalid: expected one line of ASCII letters, digits and signs.`,
  );
}

function userAgent(model: string): string {
  return `Castor-cli-command/${CASTOR_VERSION}/${model} (${process.platform}; ${process.arch}; terminal)`;
}
