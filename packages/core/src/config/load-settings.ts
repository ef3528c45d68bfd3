/**
 * Loads the settings of a folder: defaults, the administrator's defaults, the user's file,
 * the folder's file when it is trusted, the administrator's file, and variables, each
 * overriding the one before. It writes nothing and takes no action on the settings.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDefinition } from './define-setting.ts';
import type { SettingGroup } from './define-setting.ts';
import type { EnvFile } from './env-file.ts';
import { readOverrides } from './environment-overrides.ts';
import { describeSettingProblem, fitSettings } from './fit-settings.ts';
import { mergeSettings } from './merge-settings.ts';
import { systemDefaultsPath, systemSettingsPath, userSettingsPath, workspaceSettingsPath } from './paths.ts';
import type { SystemPath } from './paths.ts';
import { isOwnedByUserOrRoot, readSettingsFile } from './settings-disk.ts';
import type { SettingsFile } from './settings-disk.ts';
import { SettingsError } from './settings-error.ts';
import { emptyLayer, layerFromText } from './settings-layer.ts';
import type { SettingsLayer, SettingsScope } from './settings-layer.ts';
import { SETTINGS_TABLE } from './settings-table.ts';
import type { Settings } from './settings-table.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadSettingsOptions {
  /** `GEMINI_CLI_HOME` if it is set, else the user's home folder. */
  home: string;
  cwd: string;
  environment: Environment;
  platform: NodeJS.Platform;
  /** Only a trusted folder's file is read. A function receives the settings without that file. */
  isTrusted: boolean | ((settings: Settings) => boolean);
  /** Its variables apply where the environment lacks the name. */
  envFile?: EnvFile;
}

export interface LoadedSettings {
  /** Frozen, with all defaults; every value has the type the table defines. */
  readonly settings: Settings;
  /** Sentences for the user; a file with several problems has one warning of several lines. */
  readonly warnings: readonly string[];
  /** Weakest to strongest. */
  readonly layers: readonly SettingsLayer[];
  readonly isTrusted: boolean;
}

/** Throws a SettingsError for a file that is unreadable or not an object of settings. */
export function loadSettings(options: LoadSettingsOptions): LoadedSettings {
  const warnings: string[] = [];
  const read = createReader(options, warnings);
  const defaults = read.system('systemDefaults', systemDefaultsPath(options.platform, options.environment));
  const userPath = userSettingsPath(options.home);
  const userFile = readSettingsFile(userPath);
  const user = read.file('user', userPath, userFile);
  const system = read.system('system', systemSettingsPath(options.platform, options.environment));
  const environment = read.environment();
  const isTrusted =
    typeof options.isTrusted === 'boolean'
      ? options.isTrusted
      : options.isTrusted(merge([builtInLayer(), defaults, user, system, environment]));
  const workspace = read.workspace(userPath, userFile, isTrusted);
  const layers = [builtInLayer(), defaults, user, workspace, system, environment];
  const settings = merge(layers);
  return { settings, warnings, layers, isTrusted };
}

function createReader({ cwd, environment: given, envFile, platform }: LoadSettingsOptions, warnings: string[]) {
  const environment: Environment = envFile === undefined ? given : { ...envFile.variables, ...given };
  const file = (scope: SettingsScope, path: string, found: SettingsFile | undefined): SettingsLayer =>
    found === undefined ? emptyLayer(scope, path) : layerFromText(found.text, { scope, path, environment, warnings });
  return {
    file,
    system(scope: SettingsScope, { path, isChosen }: SystemPath): SettingsLayer {
      const found = readSettingsFile(path);
      if (found === undefined) return emptyLayer(scope, path);
      const doubt = doubtAbout(found, platform, isChosen);
      if (doubt === undefined) return file(scope, path, found);
      warnings.push(`${path} was ignored: ${doubt}.`);
      return emptyLayer(scope, path, doubt);
    },
    workspace(userPath: string, userFile: SettingsFile | undefined, isTrusted: boolean): SettingsLayer {
      const path = workspaceSettingsPath(cwd);
      if (resolve(path) === resolve(userPath)) return emptyLayer('workspace', undefined);
      if (!isTrusted) return emptyLayer('workspace', path, existsSync(path) ? 'the folder is not trusted' : undefined);
      const found = readSettingsFile(path);
      if (found !== undefined && isSameFile(found, userFile)) return emptyLayer('workspace', undefined);
      return file('workspace', path, found);
    },
    environment: () => environmentLayer(environment, given, envFile, warnings),
  };
}

/** Another user's file must not act as the administrator's. */
function doubtAbout({ stat }: SettingsFile, platform: NodeJS.Platform, isChosen: boolean): string | undefined {
  if (platform === 'win32') return isChosen ? undefined : 'its owner cannot be checked on this system';
  return isOwnedByUserOrRoot(stat) ? undefined : 'users other than root and you may write it';
}

/** Detects the home folder under another name. */
function isSameFile({ stat }: SettingsFile, other: SettingsFile | undefined): boolean {
  return other !== undefined && stat.ino === other.stat.ino && stat.dev === other.stat.dev;
}

function environmentLayer(
  environment: Environment,
  given: Environment,
  envFile: EnvFile | undefined,
  warnings: string[],
): SettingsLayer {
  const found = readOverrides(environment);
  if (found === undefined) return emptyLayer('environment', undefined);
  const nameOf = (key: string) => found.variables.get(key);
  const { values, problems } = fitSettings(found.values, { table: SETTINGS_TABLE, isProject: false });
  for (const problem of problems) {
    const variable = nameOf(problem.path.join('.')) ?? 'a variable';
    if (problem.isFatal) {
      const path = `the variable ${variable}`;
      throw new SettingsError(`${variable} must be ${problem.expected}, not ${problem.got}.`, { path });
    }
    warnings.push(`Invalid configuration in ${variable}: ${describeSettingProblem(problem)}`);
  }
  return {
    ...emptyLayer('environment', undefined),
    status: 'read',
    raw: found.values,
    values,
    locate(key) {
      const name = nameOf(key);
      if (name === undefined) return undefined;
      return Object.hasOwn(given, name) || envFile?.path === undefined ? name : `${name} in ${envFile.path}`;
    },
  };
}

function defaultsOf(group: SettingGroup): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(group)) {
    values[key] = isDefinition(entry) ? freeze(entry.default) : defaultsOf(entry);
  }
  return Object.freeze(values);
}

let builtIn: SettingsLayer | undefined;

/** Created on first use: importing core alone must not pay for it. */
function builtInLayer(): SettingsLayer {
  if (builtIn === undefined) {
    const values = defaultsOf(SETTINGS_TABLE);
    builtIn = { ...emptyLayer('defaults', undefined), status: 'read', raw: values, values };
  }
  return builtIn;
}

/** The cast relies on the table: defaults and fitted values all have their shapes. */
function merge(layers: readonly SettingsLayer[]): Settings {
  const said = layers.map(({ values }) => values).filter((values) => Object.keys(values).length > 0);
  const merged = said.length === 1 ? said[0] : freeze(mergeSettings(said, SETTINGS_TABLE));
  return merged as unknown as Settings;
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
