/**
 * A provider as the user configured it: a row of the table, changed by the environment and the user's settings. It
 * reads no file and sends nothing. An address and its key come from the same place: where the environment sets the
 * address, a key of the settings is not used.
 */

import { parseProviderModel, PROVIDERS } from '@castor/core/program';
import type { ChatQuirks, KnownModel, ProtocolName, ProviderRow, Settings } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { nearest } from '../nearest.ts';
import { assertNoGeminiSettings } from '../start/auth-type.ts';
import { checkProviderKeys } from './check-provider-keys.ts';
import { isLoopback, normaliseBaseUrl, readAzureAddress, readOllamaHost } from './base-url.ts';
import type { AzureAddress } from './base-url.ts';

type ProviderSettings = Settings['providers'][string];

export interface ProviderSources {
  settings: Pick<Settings, 'providers' | 'castor'>;
  /** The user's own: without the variables of a project's .env file. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface ConfiguredProvider extends ProviderRow {
  readonly baseUrl: string;
  /** The variable or the setting the address came from; absent for the built-in one. */
  readonly addressSource?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Prints the key; absent where the address is not from the settings' own place. */
  readonly apiKeyCommand?: readonly string[] | undefined;
  readonly models: Readonly<Record<string, KnownModel>>;
  /** Whether the server runs on this machine. */
  readonly isLocal: boolean;
  /** Whether another server than the vendor's is at the address. */
  readonly isForeign: boolean;
}

/** The ids a model may name, the built-in ones first. */
export function providerIds({ settings }: ProviderSources): string[] {
  const own = Object.keys(settings.providers).map((id) => id.toLowerCase());
  return [...new Set([...PROVIDERS.map(({ id }) => id), ...own])];
}

/** Throws an ExitError for an unknown id and for a provider without an address. */
export function configureProvider(given: string, sources: ProviderSources): ConfiguredProvider {
  const id = given.toLowerCase();
  const own = settingsOf(id, sources);
  const row = PROVIDERS.find((each) => each.id === id) ?? (own && ownRow(id, own));
  if (!row) throw new ExitError(ExitCode.Input, describeUnknown(id, sources));
  if (parseProviderModel(`${given}/`)?.provider !== id) throw new ExitError(ExitCode.Settings, describeReserved(id));
  if (id === 'gemini') assertNoGeminiSettings(sources.settings.providers);
  checkProviderKeys(id, own);
  const address = addressOf(row, own, sources);
  checkAddress(id, address);
  const host = URL.parse(address.url);
  const isForeign = row.baseUrl !== undefined && host !== null && !isAt(host, row.baseUrl);
  // Another server behind OpenAI's variable speaks Chat Completions, and may reject what only OpenAI knows.
  const isLikeOpenai = isForeign && row.id === 'openai';
  const { version: deploymentVersion, deployment } = address;
  const usesChat = isLikeOpenai || deploymentVersion !== undefined;
  const protocol = own?.protocol ?? (usesChat ? 'chat' : row.protocol);
  const isLocal = host !== null && isLoopback(host);
  const { environment } = sources;
  return {
    ...row,
    ...(own?.name !== undefined && { name: own.name }),
    ...(deployment !== undefined && { defaultModel: deployment }),
    protocol,
    baseUrl: normaliseBaseUrl(address.url, protocol),
    addressSource: address.source,
    ...keysOf(row, own, address.source),
    isKeyOptional: row.isKeyOptional === true || isLocal,
    quirks: {
      ...(isLikeOpenai ? {} : row.quirks),
      ...own?.quirks,
      ...(deploymentVersion !== undefined && { deploymentVersion }),
    } as ChatQuirks,
    headers: { ...variableHeaders(row.id, isForeign, environment), ...own?.headers },
    models: Object.fromEntries(Object.entries(own?.models ?? {}).map(([name, known]) => [name, toKnown(known)])),
    isLocal,
    isForeign,
  };
}

/** Whether a host is that of a vendor's base URL, or one of its regions. */
function isAt({ host }: URL, baseUrl: string): boolean {
  const own = URL.parse(baseUrl)?.host;
  return own !== undefined && (host === own || host.endsWith(`.${own}`));
}

/** Ids are written in any case. */
function settingsOf(id: string, { settings }: ProviderSources): ProviderSettings | undefined {
  return Object.entries(settings.providers).find(([name]) => name.toLowerCase() === id)?.[1];
}

/** The providers that are known by name, whether or not they can be reached. Those without an address are left out. */
export function listProviders(sources: ProviderSources): ConfiguredProvider[] {
  return providerIds(sources).flatMap((id) => {
    try {
      return [configureProvider(id, sources)];
    } catch {
      // Azure without an endpoint, or a provider of the user without an address.
      return [];
    }
  });
}

/** One sentence with the nearest ids. */
function describeUnknown(id: string, sources: ProviderSources): string {
  const ids = providerIds(sources);
  const near = nearest(id, ids);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `unknown provider ${JSON.stringify(id)}.${hint} Known: ${ids.join(', ')}. Your own go into the setting providers.${id}.`;
}

function describeReserved(id: string): string {
  return `the setting providers.${id} has no effect: ${id}/… is a name of the Gemini API. Choose another id.`;
}

function ownRow(id: string, { protocol }: ProviderSettings): ProviderRow {
  const keyHeader = protocol === 'anthropic' ? 'x-api-key' : 'authorization';
  return { id, name: id, protocol: (protocol ?? 'chat') as ProtocolName, keyHeader, keyVariables: [] };
}

interface Address extends AzureAddress {
  source?: string | undefined;
}

function addressOf(row: ProviderRow, own: ProviderSettings | undefined, sources: ProviderSources): Address {
  const { environment } = sources;
  const resource = row.id === 'azure' ? environment['AZURE_RESOURCE_NAME']?.trim() : undefined;
  const address =
    resource && !environment['AZURE_OPENAI_ENDPOINT']?.trim()
      ? { url: `https://${resource}.openai.azure.com`, source: 'AZURE_RESOURCE_NAME' }
      : plainAddressOf(row, own, sources);
  if (row.id !== 'azure') return address;
  return { ...address, ...readAzureAddress(address.url, environment['AZURE_OPENAI_API_VERSION']) };
}

function plainAddressOf(
  row: ProviderRow,
  own: ProviderSettings | undefined,
  { environment }: ProviderSources,
): Address {
  for (const name of row.baseUrlVariables ?? []) {
    const value = environment[name]?.trim();
    if (value) return { url: name === 'OLLAMA_HOST' ? readOllamaHost(value) : value, source: name };
  }
  if (own?.baseUrl?.trim()) return { url: own.baseUrl.trim(), source: `providers.${row.id}.baseUrl` };
  if (row.baseUrl !== undefined) return { url: row.baseUrl };
  // The region decides.
  if (row.usesGoogleCredentials) return { url: '' };
  const variables = row.id === 'azure' ? ['AZURE_OPENAI_ENDPOINT', 'AZURE_RESOURCE_NAME'] : row.baseUrlVariables;
  const ways = [...(variables ?? []), `the setting providers.${row.id}.baseUrl`].join(' or ');
  throw new ExitError(ExitCode.Settings, `the provider ${row.id} has no address. Set ${ways}.`);
}

/** Before the key is looked for: a missing key would hide the cause. */
function checkAddress(id: string, { url, source }: Address): void {
  if (source === undefined || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return;
  const shown = url.replace(/[^/@]*@/, '');
  const whole = `http://${shown}`;
  const isHost = /^[^:/]*[.:][^:/]/.test(shown) && URL.canParse(whole);
  const words = `Invalid base URL: ${JSON.stringify(shown)}, from ${source}. It must begin with http:// or https://`;
  throw new ExitError(
    ExitCode.Settings,
    `the provider ${id} is misconfigured. ${words}${isHost ? `, such as ${whole}` : '.'}`,
  );
}

/** Where its key may come from. */
function keysOf(
  row: ProviderRow,
  own: ProviderSettings | undefined,
  addressSource: string | undefined,
): Pick<ConfiguredProvider, 'keyVariables' | 'apiKeyCommand'> {
  const isFromVariable = row.baseUrlVariables?.includes(addressSource ?? '') || addressSource === 'AZURE_RESOURCE_NAME';
  if (isFromVariable) return { keyVariables: row.keyVariables ?? [] };
  const named = own?.apiKeyEnv === undefined ? (row.keyVariables ?? []) : [{ name: own.apiKeyEnv }];
  return { keyVariables: named, apiKeyCommand: own?.apiKeyCommand };
}

function variableHeaders(
  id: string,
  isForeign: boolean,
  environment: ProviderSources['environment'],
): Record<string, string> {
  if (id === 'anthropic') return readHeaderLines(environment['ANTHROPIC_CUSTOM_HEADERS']);
  if (id !== 'openai' || isForeign) return {};
  const organisation = environment['OPENAI_ORG_ID']?.trim();
  const project = environment['OPENAI_PROJECT_ID']?.trim();
  return {
    ...(organisation && { 'openai-organization': organisation }),
    ...(project && { 'openai-project': project }),
  };
}

/** One `Name: value` per line. */
function readHeaderLines(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of (text ?? '').split(/\r?\n/)) {
    const [, name, value = ''] = /^\s*([^\s:]+)\s*:(.*)$/.exec(line) ?? [];
    if (name !== undefined) headers[name] = value.trim();
  }
  return headers;
}

function toKnown({
  contextWindow,
  maxOutput,
  input,
  tools,
  reasoning,
  price,
}: NonNullable<ProviderSettings['models']>[string]): KnownModel {
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(input !== undefined && { images: input.includes('image'), documents: input.includes('pdf') }),
    ...(tools !== undefined && { tools }),
    // A model that is asked to think, or sends what it thought, thinks.
    ...(reasoning !== undefined && { reasoning, thinking: 'effort' as const }),
    ...(price?.input !== undefined && price.output !== undefined && { price: { ...price } }),
  };
}
