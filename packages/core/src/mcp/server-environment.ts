/**
 * Builds the environment of a stdio server: the user's own without anything that looks like a secret, and the
 * variables of the entry. It reports the withheld names, so that a server's state can say why it lacks one. Pure.
 */

import { createChildEnvironment } from '../tools/shell/child-environment.ts';
import type { Environment } from '../tools/shell/redact-environment.ts';
import type { RedactionOptions } from '../tools/shell/redact-environment.ts';

export interface ServerEnvironmentOptions {
  base: Environment;
  /** Credentials in use. */
  secrets?: readonly string[] | undefined;
  redaction?: Omit<RedactionOptions, 'enabled'> | undefined;
  /** `env` of the entry: the user's explicit way to pass a secret. */
  env: Readonly<Record<string, string>>;
}

export interface ServerEnvironment {
  variables: Record<string, string>;
  withheld: string[];
}

export function createServerEnvironment(options: ServerEnvironmentOptions): ServerEnvironment {
  const { base, secrets, redaction, env } = options;
  const passed = createChildEnvironment({ base, secretValues: secrets, redaction: { ...redaction, enabled: true } });
  const variables = { ...passed, ...env };
  const withheld = Object.keys(base).filter((name) => base[name] !== undefined && !Object.hasOwn(variables, name));
  return { variables, withheld: withheld.toSorted() };
}
