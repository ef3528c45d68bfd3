/**
 * Loads the settings and the `.env` file of a folder, which depend on each other: settings
 * select the file, and settings may refer to its variables. Changes no environment.
 */

import { readEnvFile } from './env-file.ts';
import type { EnvFile } from './env-file.ts';
import { loadSettings } from './load-settings.ts';
import type { LoadedSettings, LoadSettingsOptions } from './load-settings.ts';

export interface LoadConfigurationOptions extends Omit<LoadSettingsOptions, 'envFile'> {
  /** `--ignore-env`. */
  ignoreLocalEnv?: boolean;
  /** Whether the user refused to trust the folder, called after `isTrusted`: then its files are not even read. */
  isRefused?: () => boolean;
}

export interface Configuration extends LoadedSettings {
  readonly envFile: EnvFile;
  /** The given environment plus the variables of the file. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws like `loadSettings`. Warnings of the settings come first, then those of the file. */
export function loadConfiguration(options: LoadConfigurationOptions): Configuration {
  const { home, cwd, environment, ignoreLocalEnv = false, isRefused } = options;
  const first = loadSettings(options);
  const { advanced } = first.settings;
  const envFile = readEnvFile({
    cwd,
    home,
    environment,
    isTrusted: first.isTrusted,
    excludedNames: advanced.excludedEnvVars,
    ignoreLocal: ignoreLocalEnv || advanced.ignoreLocalEnv || isRefused?.() === true,
  });
  const doesAdd = Object.keys(envFile.variables).length > 0;
  const loaded = doesAdd ? loadSettings({ ...options, isTrusted: first.isTrusted, envFile }) : first;
  return {
    ...loaded,
    warnings: [...loaded.warnings, ...envFile.warnings],
    envFile,
    environment: doesAdd ? { ...envFile.variables, ...environment } : environment,
  };
}
