/** What commands outside a session know of the user's providers: settings, variables and the home folder. */

import { loadTrustedConfiguration } from '../start/start.ts';
import { AccessError, assertUsableAuth } from '../start/auth-type.ts';
import type { GeminiSettings } from '../start/auth-type.ts';
import type { ProviderPlaces } from './provider-places.ts';
import { userVariables } from './user-variables.ts';

export interface LoadedPlaces {
  places: ProviderPlaces;
  /** What the Gemini API lacks, as a clause; undefined when it can be asked. */
  geminiMissing: string | undefined;
}

export function loadPlaces(context: {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}): LoadedPlaces {
  const { configuration } = loadTrustedConfiguration({ args: {}, installed: undefined, ...context });
  const { settings, environment, envFile } = configuration;
  const places = { home: context.home, settings, environment: userVariables({ configuration, environment }), envFile };
  return { places, geminiMissing: geminiMissingOf(settings, environment) };
}

export function geminiMissingOf(
  settings: GeminiSettings,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  try {
    assertUsableAuth(settings, environment);
    return undefined;
  } catch (error) {
    return error instanceof AccessError ? 'key missing: GEMINI_API_KEY' : 'misconfigured: providers.gemini';
  }
}
