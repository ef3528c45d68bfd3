/**
 * The models a user could choose, each with what is known of it and whether it can be reached now. Without a question to
 * the network: from the settings, the lists of the last refresh and the bundled catalogue.
 */

import { GEMINI_CATALOGUE } from '@castor/core';
import { bundledModels, familyOf } from '@castor/core/program';
import type { KnownModel, ListedModel } from '@castor/core/program';
import { listProviders } from './configure-provider.ts';
import type { ConfiguredProvider } from './configure-provider.ts';
import { enteredKey } from './entered-keys.ts';
import { listStoredKeys } from './key-store.ts';
import type { StoredKey } from './key-store.ts';
import { LOCAL_IDS } from './local-servers.ts';
import { readCachedLists } from './model-cache.ts';
import type { ProviderPlaces } from './provider-places.ts';
import { readUpdatedModels } from './updated-models.ts';

export interface ReachableModel {
  /** As `provider/model`; a Gemini name stays plain. */
  id: string;
  provider: string;
  known: KnownModel;
  reachable: boolean;
  /** What is missing, as a clause. */
  missing?: string | undefined;
  /** Whether a server on this machine sent it. */
  isLocal?: boolean;
  /** What the model was trained for, where its server allots less. */
  trainedWindow?: number | undefined;
}

export type StoredKeys = () => readonly StoredKey[];

/** Whether a request could be sent, without running a command or asking the keyring. */
export function missingKeyOf(
  provider: ConfiguredProvider,
  { home, environment }: ProviderPlaces,
  storedKeys: StoredKeys = () => listStoredKeys(home),
): string | undefined {
  const { id, keyVariables = [], apiKeyCommand, baseUrl, isKeyOptional, usesGoogleCredentials } = provider;
  const hasVariable = keyVariables.some(({ name }) => environment[name]?.trim());
  if (hasVariable || enteredKey(provider) !== undefined || isKeyOptional || (apiKeyCommand?.length ?? 0) > 0)
    return undefined;
  if (usesGoogleCredentials) {
    const isConfigured =
      environment['GOOGLE_CLOUD_PROJECT']?.trim() || environment['GOOGLE_APPLICATION_CREDENTIALS']?.trim();
    return isConfigured ? undefined : 'Google credentials missing';
  }
  const origin = URL.parse(baseUrl)?.origin;
  if (storedKeys().some((stored) => stored.id === id && stored.origin === origin)) return undefined;
  return `key missing: ${keyVariables[0]?.name ?? `castor login ${id}`}`;
}

/** Servers on this machine are left out: only asking them tells what they serve. */
export function listKnownModels(
  places: ProviderPlaces,
  gemini: { missing: string | undefined },
  storedKeys?: StoredKeys,
): ReachableModel[] {
  const cached = readCachedLists(places.home);
  const updated = readUpdatedModels(places.home);
  const others = listProviders(places).flatMap((provider) => {
    const { id, baseUrl, isForeign, models: fromSettings } = provider;
    if (id === 'gemini') return [];
    const list = cached[id]?.baseUrl === baseUrl ? cached[id].models : {};
    const bundled = bundledModels(id, { updated, isForeign });
    const isLocalRow = LOCAL_IDS.includes(id);
    const names = [
      ...new Set([...Object.keys(fromSettings), ...(isLocalRow ? [] : Object.keys(list)), ...Object.keys(bundled)]),
    ];
    const missing = names.length === 0 ? undefined : missingKeyOf(provider, places, storedKeys);
    return names.map((name): ReachableModel => ({
      id: `${id}/${name}`,
      provider: id,
      known: knownOf(provider, name, list[name], bundled),
      reachable: missing === undefined,
      missing,
    }));
  });
  return [...listGeminiModels(gemini.missing), ...others];
}

/** Models of other presets are not asked to think. */
const THINKING_PRESETS: Readonly<Record<string, KnownModel['thinking']>> = {
  'chat-base-2.5': 'budget',
  'chat-base-3': 'effort',
};

function listGeminiModels(missing: string | undefined): ReachableModel[] {
  return Object.entries(GEMINI_CATALOGUE.prices).map(([name, price]) => {
    const { contextWindow, chatPreset } = GEMINI_CATALOGUE.find(name) ?? GEMINI_CATALOGUE.unknown;
    const thinking = THINKING_PRESETS[chatPreset];
    const known: KnownModel = { contextWindow, tools: true, images: true, price, ...(thinking && { thinking }) };
    return { id: name, provider: 'gemini', known, reachable: missing === undefined, missing };
  });
}

/** Settings precede the server, the server the catalogue, the catalogue the family. */
function knownOf(
  { id, isForeign, models }: ConfiguredProvider,
  name: string,
  listed: KnownModel = {},
  bundled: Readonly<Record<string, KnownModel>> = bundledModels(id, { isForeign }),
): KnownModel {
  const own = (table: Readonly<Record<string, KnownModel>>) => (Object.hasOwn(table, name) ? table[name] : {});
  return { ...familyOf(name), ...own(bundled), ...listed, ...own(models) };
}

export function toReachable(provider: ConfiguredProvider, { id, known, trainedWindow }: ListedModel): ReachableModel {
  return {
    id: `${provider.id}/${id}`,
    provider: provider.id,
    known: knownOf(provider, id, known),
    reachable: true,
    isLocal: provider.isLocal,
    trainedWindow,
  };
}
