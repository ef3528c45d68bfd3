/**
 * Adds to a refusal for lack of a Gemini key what the user probably meant: the provider of a bare name, or the provider
 * whose key is set. Loaded after the refusal only.
 */

import { bundledModels } from '@castor/core/program';
import { AccessError } from '../start/auth-type.ts';
import { requestedModel } from '../start/credentials.ts';
import type { StartContext } from '../start/start.ts';
import { configureProvider, listProviders, providerIds } from '../providers/configure-provider.ts';
import type { ConfiguredProvider } from '../providers/configure-provider.ts';
import { precedingVariable } from '../providers/find-key.ts';
import { loadPlaces } from '../providers/load-places.ts';
import type { ProviderPlaces } from '../providers/provider-places.ts';

/** Before the list of options: a terminal shows the message up to it. */
export function adviseProvider(
  error: unknown,
  refused: Pick<StartContext, 'args' | 'cwd' | 'home' | 'environment'>,
): void {
  if (!(error instanceof AccessError) || !error.isKeyEnough) return;
  const { places } = loadPlaces(refused);
  const advice = describeMeant(requestedModel({ ...places, args: refused.args }), places);
  if (advice !== undefined)
    error.message = error.message.replace(/ (Options:)|$/, (_, rest = '') => ` ${advice}\n${rest}`.trimEnd());
}

/** One sentence, or undefined where nothing is near. */
export function describeMeant(model: string, places: ProviderPlaces): string | undefined {
  const name = model.toLowerCase();
  if (providerIds(places).includes(name)) {
    const form = `${name}/${defaultOf(name, places) ?? '<model>'}`;
    return `${name} is a provider, whose models are named with a slash: castor --model ${form}`;
  }
  // Those whose key is set first.
  const providers = listProviders(places)
    .filter(({ protocol }) => protocol !== 'gemini')
    .toSorted((left, right) => Number(hasKey(right, places)) - Number(hasKey(left, places)));
  if (name === 'auto') {
    const ready = providers.find((provider) => hasKey(provider, places));
    if (ready === undefined) return undefined;
    const variable = precedingVariable(ready, places.environment);
    return `${variable} is set; to use it: castor --model ${ready.id}/${ready.defaultModel ?? '<model>'}`;
  }
  const owner = providers.find(
    ({ id, defaultModel, models }) =>
      [models, bundledModels(id)].some((table) => Object.hasOwn(table, name)) || defaultModel === name,
  );
  return owner && `${name} is a model of ${owner.name}: castor --model ${owner.id}/${name}`;
}

function hasKey(provider: ConfiguredProvider, { environment }: ProviderPlaces): boolean {
  return precedingVariable(provider, environment) !== undefined;
}

function defaultOf(id: string, places: ProviderPlaces): string | undefined {
  try {
    return configureProvider(id, places).defaultModel;
  } catch {
    // Its mistake is told when it is used.
    return undefined;
  }
}
