/** The variables that may hold the user's addresses and keys: those of a project's .env file may not. */

import type { Configuration } from '@castor/core/program';

type Environment = Readonly<Record<string, string | undefined>>;

export function userVariables({
  environment,
  configuration: { envFile },
}: {
  environment: Environment;
  configuration: Pick<Configuration, 'envFile'>;
}): Environment {
  if (envFile.owner !== 'project') return environment;
  // The file never replaces a variable, so each of its names came from it.
  const names = new Set(Object.keys(envFile.variables));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)));
}
