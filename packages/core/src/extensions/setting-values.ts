/**
 * Reads and writes the values of an extension's settings: those of the user beside the extension as Gemini CLI does,
 * those of one folder in a file of Castor, secrets in the keyring or, without one, in that file (mode 0600). Values
 * go to the servers and hooks of their extension only.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readSourceFile } from '../config/source-file.ts';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';
import { ExtensionError } from './extension-error.ts';
import { valuesFile, VALUES } from './extension-paths.ts';
import { extensionId } from './installation.ts';
import type { Installation } from './installation.ts';
import type { ExtensionSetting, Manifest } from './manifest.ts';

/** The keyring of the system. */
export interface SecretStore {
  /** Undefined where it has none. Throws where it does not answer. */
  read(service: string, account: string): Promise<string | undefined>;
  write(service: string, account: string, value: string): Promise<void>;
  remove(service: string, account: string): Promise<void>;
}

export type ValueScope = 'user' | 'workspace';

export interface ValuePlace {
  readonly home: string;
  /** The folder of workspace values; undefined: it is not trusted, and its values are not read. */
  readonly workspace: string | undefined;
  /** Opens the keyring; undefined where there is none. */
  openSecrets(): Promise<SecretStore | undefined>;
}

export interface ConfiguredSettings {
  readonly name: string;
  readonly manifest: Manifest;
  readonly installation: Installation | undefined;
  /** The folder among the installed extensions. */
  readonly folder: string;
}

export interface SettingValue {
  readonly value: string;
  readonly scope: ValueScope;
  readonly place: 'keyring' | 'file';
}

interface StoredValue {
  place: 'keyring' | 'file';
  value?: string;
}

/** By scope (`user` or a folder), then by variable. */
type Stored = Record<string, Record<string, StoredValue>>;

/** By variable; the value of the folder precedes the user's. A secret that cannot be read is left out and reported. */
export async function readSettingValues(
  extension: ConfiguredSettings,
  place: ValuePlace,
  onProblem?: (message: string) => void,
): Promise<Record<string, SettingValue>> {
  const { settings } = extension.manifest;
  if (settings.length === 0) return {};
  const plain = readPlain(extension.folder);
  const stored = readStored(place.home)[extension.name] ?? {};
  const found: Record<string, SettingValue> = {};
  for (const setting of settings) {
    const { envVar, sensitive } = setting;
    const value =
      (await readStoredValue({ extension, setting, scope: 'workspace', stored, onProblem }, place)) ??
      (plain[envVar] && !sensitive
        ? toValue(plain[envVar], 'user')
        : await readStoredValue({ extension, setting, scope: 'user', stored, onProblem }, place));
    if (value) found[envVar] = value;
  }
  return found;
}

interface StoredQuestion {
  extension: ConfiguredSettings;
  setting: ExtensionSetting;
  scope: ValueScope;
  stored: Stored;
  onProblem: ((message: string) => void) | undefined;
}

async function readStoredValue(
  { extension, setting: { envVar, sensitive, name }, scope, stored, onProblem }: StoredQuestion,
  { workspace, openSecrets }: ValuePlace,
): Promise<SettingValue | undefined> {
  if (scope === 'workspace' && workspace === undefined) return undefined;
  const entry = stored[scope === 'user' ? 'user' : (workspace ?? '')]?.[envVar];
  if (entry?.place === 'file') return entry.value === undefined ? undefined : toValue(entry.value, scope);
  // Gemini CLI stores secrets of the user in the keyring without a note about it.
  if (entry === undefined && !(sensitive && scope === 'user')) return undefined;
  try {
    const secrets = await openSecrets();
    const value = await secrets?.read(serviceOf(extension, scope, workspace), accountOf(envVar));
    return value ? { value, scope, place: 'keyring' } : undefined;
  } catch {
    const problem = `The keyring did not answer, so the setting "${name}" of the extension ${extension.name} is not set.`;
    if (entry) onProblem?.(`${problem} Unlock it, or set it again: castor extensions config ${extension.name}`);
    return undefined;
  }
}

/** An empty value clears. Throws an ExtensionError for an invalid value. */
export async function writeSettingValue(
  extension: ConfiguredSettings,
  { envVar, sensitive, name }: ExtensionSetting,
  value: string,
  { scope, place }: { scope: ValueScope; place: ValuePlace },
): Promise<void> {
  if (/[\r\n\0]/.test(value)) throw new ExtensionError(`The value of "${name}" must be one line.`);
  if (scope === 'user' && !sensitive) return writePlain(extension.folder, envVar, value);
  const secrets = sensitive ? await place.openSecrets() : undefined;
  if (secrets) {
    const service = serviceOf(extension, scope, place.workspace);
    if (value === '') await secrets.remove(service, accountOf(envVar));
    else await secrets.write(service, accountOf(envVar), value);
  }
  const entry: StoredValue | undefined =
    value === '' ? undefined : secrets ? { place: 'keyring' } : { place: 'file', value };
  store(place.home, extension.name, scope === 'user' ? 'user' : (place.workspace ?? ''), envVar, entry);
}

/** With the extension; secrets go too. */
export async function forgetSettingValues(extension: ConfiguredSettings, place: ValuePlace): Promise<void> {
  const { [extension.name]: stored = {}, ...rest } = readStored(place.home);
  for (const [scope, values] of Object.entries(stored)) {
    for (const [envVar, entry] of Object.entries(values)) {
      if (entry.place !== 'keyring') continue;
      const secrets = await place.openSecrets();
      const kind = scope === 'user' ? 'user' : 'workspace';
      await secrets?.remove(serviceOf(extension, kind, scope), accountOf(envVar));
    }
  }
  if (Object.keys(stored).length > 0) write(place.home, rest);
}

function toValue(value: string, scope: ValueScope): SettingValue {
  return { value, scope, place: 'file' };
}

function serviceOf(
  { name, installation }: ConfiguredSettings,
  scope: ValueScope,
  workspace: string | undefined,
): string {
  const service = `Gemini CLI Extensions ${name} ${extensionId(name, installation)}`;
  return scope === 'user' ? service : `${service} ${workspace}`;
}

function accountOf(envVar: string): string {
  return `__secret__${envVar}`;
}

function readPlain(folder: string): Record<string, string> {
  try {
    return parseEnv(readFileSync(join(folder, VALUES), 'utf8')) as Record<string, string>;
  } catch {
    // No value was set.
    return {};
  }
}

function writePlain(folder: string, envVar: string, value: string): void {
  const { [envVar]: _old, ...rest } = readPlain(folder);
  const values = value === '' ? rest : { ...rest, [envVar]: value };
  const lines = Object.entries(values).map(([key, each]) => `${key}=${quote(each)}\n`);
  replaceFile(join(folder, VALUES), lines.join(''));
}

/** Quoted where a reader of such files would end the value early. */
function quote(value: string): string {
  if (!/[\s#"'`\\]/.test(value)) return value;
  const mark = ['"', "'", '`'].find((each) => !value.includes(each)) ?? '"';
  return `${mark}${value}${mark}`;
}

function readStored(home: string): Record<string, Stored> {
  const { extensions } = readSourceFile(valuesFile(home)) ?? {};
  return isRecord(extensions) ? (extensions as Record<string, Stored>) : {};
}

function store(home: string, name: string, scope: string, envVar: string, entry: StoredValue | undefined): void {
  const all = readStored(home);
  const values = { ...all[name]?.[scope] };
  if (entry) values[envVar] = entry;
  else delete values[envVar];
  write(home, { ...all, [name]: { ...all[name], [scope]: values } });
}

function write(home: string, extensions: Record<string, Stored>): void {
  replaceFile(valuesFile(home), `${JSON.stringify({ version: 1, extensions }, null, 2)}\n`);
}
