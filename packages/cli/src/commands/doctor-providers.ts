/** Checks the providers beside the Gemini API: those of the settings, their keys, and that of the chosen model. It sends nothing. */

import { parseProviderModel } from '@castor/core/program';
import { ExitError } from '../exit-codes.ts';
import { describeSmallModel } from '../providers/check-small-model.ts';
import { configureProvider, listProviders } from '../providers/configure-provider.ts';
import type { ConfiguredProvider } from '../providers/configure-provider.ts';
import { describeMissingKey } from '../providers/find-key.ts';
import { loadPlaces } from '../providers/load-places.ts';
import { LOCAL_IDS } from '../providers/local-servers.ts';
import type { ProviderPlaces } from '../providers/provider-places.ts';
import { missingKeyOf } from '../providers/reachable-models.ts';
import type { Check } from './doctor-check.ts';
import type { SubcommandContext } from './subcommand-context.ts';

/** Each of the settings that is misconfigured, and the ones whose key is set or stored. */
export function checkProviders(context: SubcommandContext): Check[] {
  const { places } = loadPlaces(context);
  const problems = Object.keys(places.settings.providers).flatMap((id) => {
    const problem = problemOf(() => configureProvider(id, places));
    return problem === undefined ? [] : [{ topic: 'providers', status: 'problem' as const, says: problem }];
  });
  const small = describeSmallModel(places);
  if (small !== undefined) problems.push({ topic: 'providers', status: 'problem', says: small });
  return [...problems, ...problemsOfKeys(places)];
}

function problemsOfKeys(places: ProviderPlaces): Check[] {
  let connected: ConfiguredProvider[] = [];
  const problem = problemOf(() => {
    connected = listProviders(places).filter((each) => isConnected(each, places));
  });
  if (problem !== undefined) return [{ topic: 'providers', status: 'problem', says: problem }];
  if (connected.length === 0) return [];
  const names = connected.map(({ id, addressSource }) =>
    addressSource === undefined ? id : `${id} (${addressSource})`,
  );
  return [
    { topic: 'providers', status: 'ok', says: `connected: ${names.join(', ')}; castor models lists their models` },
  ];
}

/** A server on this machine counts only where the user set its address. */
function isConnected(provider: ConfiguredProvider, places: ProviderPlaces): boolean {
  if (provider.id === 'gemini') return false;
  if (LOCAL_IDS.includes(provider.id)) return provider.addressSource !== undefined;
  return missingKeyOf(provider, places) === undefined;
}

export interface CheckedModel {
  check: Check;
  /** Where requests would go; absent for a model that cannot be asked. */
  address?: { baseUrl: string; addressSource: string | undefined };
}

/** The model that a start would use. */
export function checkProviderModel(model: string, named: string, context: SubcommandContext): CheckedModel {
  const { places } = loadPlaces(context);
  const problem = (says: string): CheckedModel => ({ check: { topic: 'model', status: 'problem', says } });
  let provider: ConfiguredProvider;
  try {
    provider = configureProvider(parseProviderModel(named)?.provider ?? '', places);
    if (missingKeyOf(provider, places) !== undefined) return problem(describeMissingKey(provider, places));
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return problem(error.message);
  }
  const { name, addressSource, baseUrl, keyVariables = [] } = provider;
  const variable = keyVariables.find((each) => places.environment[each.name]?.trim())?.name;
  const key = variable === undefined ? '' : `; ${variable} is set`;
  const check: Check = { topic: 'model', status: 'ok', says: `${model}, of ${name}${key}` };
  return baseUrl === '' ? { check } : { check, address: { baseUrl, addressSource } };
}

function problemOf(configure: () => unknown): string | undefined {
  try {
    configure();
    return undefined;
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return error.message;
  }
}
