/**
 * Settings and the `.env` file of a folder, which need each other: settings say which
 * file is read, and its variables are what settings may refer to. Changes no environment.
 */

import { readEnvFile } from './env-file.ts';
import type { EnvFile } from './env-file.ts';
import { loadSettings } from './load-settings.ts';
import type { LoadedSettings, LoadSettingsOptions } from './load-settings.ts';

export interface LoadConfigurationOptions extends Omit<LoadSettingsOptions, 'envFile'> {
  /** `--ignore-env`. */
  ignoreLocalEnv?: boolean;
  /** Whether the folder was refused trust, once `isTrusted` was asked: then its files are not even read. */
  isRefused?: () => boolean;
}

export interface Configuration extends LoadedSettings {
  readonly envFile: EnvFile;
  /** What was given, with what the file adds. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws as `loadSettings` does. Warnings are those of the settings, then those of the file. */
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
