/** Finds the key of a provider: entered in this process, in the environment, from the user's command, or stored by `castor login`, in this order. */

import type { Configuration, EndpointKey } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { ConfiguredProvider } from './configure-provider.ts';
import { enteredKey } from './entered-keys.ts';

export interface KeyPlaces {
  home: string;
  /** The user's own, see user-variables.ts. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Explains a key that the user believes to be set. */
  envFile?: Configuration['envFile'] | undefined;
}

/** Undefined when there is none, whether or not one is needed. Throws an ExitError for a command that fails. */
export async function findKey(provider: ConfiguredProvider, places: KeyPlaces): Promise<EndpointKey | undefined> {
  const { keyHeader = 'authorization', apiKeyCommand } = provider;
  const entered = enteredKey(provider);
  if (entered !== undefined) return { value: entered, header: keyHeader, source: 'what you entered in this session' };
  for (const { name, header = keyHeader } of provider.keyVariables ?? []) {
    const value = places.environment[name]?.trim();
    if (value) return { value, header, source: name };
  }
  if (apiKeyCommand !== undefined && apiKeyCommand.length > 0) {
    const { runKeyCommand } = await import('./key-command.ts');
    const source = `providers.${provider.id}.apiKeyCommand`;
    return { value: await runKeyCommand(apiKeyCommand, source, places.environment), header: keyHeader, source };
  }
  const { readStoredKey } = await import('./key-store.ts');
  const stored = await readStoredKey(places.home, provider.id, provider.baseUrl);
  return stored && { ...stored, header: keyHeader };
}

/** Throws an ExitError that names every way to supply the key. */
export async function requireKey(provider: ConfiguredProvider, places: KeyPlaces): Promise<EndpointKey | undefined> {
  const key = await findKey(provider, places);
  if (key !== undefined || provider.isKeyOptional || provider.usesGoogleCredentials) return key;
  throw new ExitError(ExitCode.Unauthorized, describeMissingKey(provider, places));
}

/** The variable of the user's environment that precedes a stored key. */
export function precedingVariable(
  { keyVariables = [] }: Pick<ConfiguredProvider, 'keyVariables'>,
  environment: KeyPlaces['environment'],
): string | undefined {
  return keyVariables.find(({ name }) => environment[name]?.trim())?.name;
}

/** For a rejection of a request that had no key, because the server may not need one. */
export function describeUnsentKey({ id, keyVariables = [] }: ConfiguredProvider, { envFile }: KeyPlaces): string {
  const [variable] = keyVariables;
  const isHeld = keyVariables.some(({ name }) => isHeldBack(name, envFile));
  const held = isHeld ? `, and ${envFile?.path}, a file of the project, may not set it` : '';
  const unset = variable === undefined ? '' : `: ${variable.name} is not set${held}`;
  const way = variable === undefined ? '' : `set ${variable.name}, or `;
  return `No key was sent${unset}; ${way}store a key with: castor login ${id}`;
}

export function describeMissingKey({ id, name, keyVariables = [] }: ConfiguredProvider, places?: KeyPlaces): string {
  const names = keyVariables.map((variable) => variable.name);
  const missing =
    names.length === 0 ? 'none is configured' : `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} not set`;
  const variable = names[0] ?? `a variable and name it with the setting providers.${id}.apiKeyEnv`;
  return `${name} needs a key, and ${missing}. Set ${variable}, or store a key with: castor login ${id}${explainFile(names, places?.envFile)}`;
}

/** Why a file that the user may think of does not count. */
function explainFile(names: readonly string[], envFile: KeyPlaces['envFile']): string {
  if (!envFile) return '';
  const { path, shadowed } = envFile;
  if (names.some((name) => isHeldBack(name, envFile)))
    return `\n${path} sets it, but a project's file may not set the key of your provider.`;
  return shadowed === undefined ? '' : `\n${shadowed} was not read, because ${path} applies in this folder.`;
}

/** Whether a project's file sets a variable that only the user may set. */
function isHeldBack(name: string, envFile: KeyPlaces['envFile']): boolean {
  if (envFile?.owner !== 'project') return false;
  return name in envFile.variables || envFile.skipped.some((each) => each.name === name);
}
