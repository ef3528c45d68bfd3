/** Looks for servers of models on this machine, only when the user asks: short requests to the usual ports. */

import type { ListedModel } from '@castor/core/program';
import { listProviders } from './configure-provider.ts';
import type { ConfiguredProvider } from './configure-provider.ts';
import { findKey } from './find-key.ts';
import type { ProviderPlaces } from './provider-places.ts';
import { askForModels } from './verify-key.ts';

/** The ids whose rows are servers on this machine, each on a port of its own. */
export const LOCAL_IDS: readonly string[] = ['ollama', 'lmstudio', 'llamacpp', 'vllm'];
const LIMIT_MS = 300;

export interface LocalServer {
  provider: ConfiguredProvider;
  models: ListedModel[];
}

/** The servers that answer. An address beyond this machine is asked only where the user configured it. */
export async function findLocalServers(places: ProviderPlaces, signal?: AbortSignal): Promise<LocalServer[]> {
  const asked = listProviders(places).filter(({ id, isLocal }) => isLocal || LOCAL_IDS.includes(id));
  const found = await Promise.all(
    asked.map(async (provider) => {
      try {
        const key = await findKey(provider, places);
        return [
          { provider, models: await askForModels({ provider, key: key?.value, places, timeoutMs: LIMIT_MS, signal }) },
        ];
      } catch {
        // No server listens there, or it is another program.
        return [];
      }
    }),
  );
  return found.flat();
}
