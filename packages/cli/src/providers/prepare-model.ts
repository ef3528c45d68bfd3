/** Makes a model usable in a session: opens its provider, fills in the default, and explains in a sentence what is missing. */

import { parseProviderModel } from '@castor/core/program';
import type { ContentGenerator } from '@castor/core';
import type { Configuration, OpenProvider, ProviderSwitch, Settings } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { assertUsableAuth } from '../start/auth-type.ts';
import { configureProvider } from './configure-provider.ts';
import { takeChangedKey } from './entered-keys.ts';
import { openConfigured } from './open-configured.ts';
import { userVariables } from './user-variables.ts';

export interface ModelPlaces {
  home: string;
  settings: Pick<Settings, 'castor' | 'model' | 'providers' | 'security'>;
  configuration: Pick<Configuration, 'envFile'>;
  environment: Readonly<Record<string, string | undefined>>;
}

interface FirstPlaces extends ModelPlaces {
  configuration: Pick<Configuration, 'envFile'> & Partial<Pick<Configuration, 'layers'>>;
  args?: { readonly model?: string };
}

/** A list of models for a message ends here. */
const NAMED_MODELS = 12;

/** Adds the key in use and secret headers to `secrets`. */
export async function openNamed(id: string, places: ModelPlaces, secrets: string[]): Promise<OpenProvider> {
  const opened = await openConfigured(id, {
    ...places,
    environment: userVariables(places),
    envFile: places.configuration.envFile,
  });
  secrets.push(...opened.secrets);
  return opened;
}

/** Vertex AI in the place of the Gemini API; as in Gemini CLI, a project's .env file may name the project. */
export async function openVertex(places: ModelPlaces): Promise<ContentGenerator> {
  return (await openConfigured('vertex', { ...places, envFile: places.configuration.envFile })).generator;
}

/** Resolves to the full name. Rejects with an ExitError for an unknown provider, a missing key or a missing model. */
export async function prepareModel(name: string, providers: ProviderSwitch, places: ModelPlaces): Promise<string> {
  const named = parseProviderModel(name);
  if (!named || named.provider === 'gemini') {
    assertUsableAuth(places.settings, places.environment);
    return named ? named.model || 'auto' : name;
  }
  refuseEnforced(named.provider, places);
  const model = named.model || (await defaultModel(named.provider, places));
  const full = `${named.provider}/${model}`;
  if (takeChangedKey(named.provider)) providers.forget(named.provider);
  await providers.prepare(full);
  return full;
}

/** The model of a start. An error also says where it was named, unless a flag did. */
export async function prepareFirst(name: string, providers: ProviderSwitch, places: FirstPlaces): Promise<string> {
  try {
    return await prepareModel(name, providers, places);
  } catch (error) {
    const source = error instanceof ExitError ? sourceOfName(places) : undefined;
    if (!(error instanceof ExitError) || source === undefined) throw error;
    throw new ExitError(error.exitCode, `${error.message}\nThe model ${name} is named by ${source}.`, { cause: error });
  }
}

function sourceOfName({ args, environment, configuration: { layers = [] } }: FirstPlaces): string | undefined {
  if (args?.model?.trim()) return undefined;
  const variable = ['CASTOR_MODEL', 'GEMINI_MODEL'].find((each) => environment[each]?.trim());
  if (variable !== undefined) return variable;
  for (const key of ['castor.model', 'model.name']) {
    const place = layers.toReversed().flatMap((layer) => layer.locate(key) ?? [])[0];
    if (place !== undefined) return `${key} in ${place}`;
  }
  return undefined;
}

/** A login that an administrator enforces is binding: no other provider replaces it. */
function refuseEnforced(id: string, { settings }: ModelPlaces): void {
  const { enforcedType } = settings.security.auth;
  if (!enforcedType || (id === 'vertex' && enforcedType === 'vertex-ai')) return;
  const message = `security.auth.enforcedType demands "${enforcedType}", which allows no other provider. Name a Gemini model, or ask your administrator.`;
  throw new ExitError(ExitCode.Unauthorized, message);
}

/** The row's; else the error lists what is known. */
async function defaultModel(id: string, places: ModelPlaces): Promise<string> {
  const sources = { ...places, environment: userVariables(places), envFile: places.configuration.envFile };
  const provider = configureProvider(id, sources);
  if (provider.defaultModel !== undefined) return provider.defaultModel;
  const { models } = await openConfigured(id, sources);
  const names = models.names();
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  const shown = names.slice(0, NAMED_MODELS).map((model) => `${id}/${model}`);
  const rest = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const known = shown.length > 0 ? ` Known: ${shown.join(', ')}${rest}.` : '';
  const list = provider.isLocal ? 'castor models --local' : `castor models ${id} --refresh`;
  throw new ExitError(
    ExitCode.Input,
    `${provider.name} has no default model: name one, as ${id}/<model>.${known} To list its models: ${list}`,
  );
}

/** Stands in for the Gemini API while it has no key: only a request to it fails. */
export function missingGemini({ settings, environment }: ModelPlaces): ContentGenerator {
  const refuse = async (): Promise<never> => {
    assertUsableAuth(settings, environment);
    throw new ExitError(
      ExitCode.Unauthorized,
      'the Gemini API was not configured when this session began. Start again.',
    );
  };
  return { generateContent: refuse, generateContentStream: refuse, countTokens: refuse, embedContent: refuse };
}
