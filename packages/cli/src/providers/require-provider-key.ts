/** Checks before a session is opened that the key of its provider can be found. Sends nothing. */

import { parseProviderModel } from '@castor/core/program';
import { configureProvider } from './configure-provider.ts';
import { requireKey } from './find-key.ts';
import type { ModelPlaces } from './prepare-model.ts';
import { userVariables } from './user-variables.ts';

/** Throws an ExitError with a sentence. */
export async function requireProviderKey(model: string, places: ModelPlaces): Promise<void> {
  const id = parseProviderModel(model)?.provider;
  if (id === undefined) return;
  const environment = userVariables(places);
  const provider = configureProvider(id, { ...places, environment });
  await requireKey(provider, { home: places.home, environment, envFile: places.configuration.envFile });
}
