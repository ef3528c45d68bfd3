/** What commands outside a session know of the user's providers: settings, variables and the home folder. */

import type { Settings } from '@castor/core/program';
import { loadTrustedConfiguration } from '../start/start.ts';
import { assertUsableAuth } from '../start/auth-type.ts';
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
  { security }: Pick<Settings, 'security'>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  try {
    assertUsableAuth(security.auth, environment);
    return undefined;
  } catch {
    return 'key missing: GEMINI_API_KEY';
  }
}
