/**
 * Reads `gemini-extension.json` by the rules of Gemini CLI: plain JSON with `name` and `version`, path variables
 * replaced everywhere. What it holds is data; nothing runs and nothing is looked up.
 */

import { join, resolve } from 'node:path';
import { replacePathVariables } from '../config/path-variables.ts';
import { readSourceFile } from '../config/source-file.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { isInside } from '../util/is-inside.ts';
import { isRecord } from '../util/is-record.ts';
import { ExtensionError } from './extension-error.ts';
import { MANIFEST } from './extension-paths.ts';

export interface ExtensionSetting {
  readonly name: string;
  readonly description: string;
  readonly envVar: string;
  readonly sensitive: boolean;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** Undefined: `GEMINI.md`, if it exists. */
  readonly contextFileNames: readonly string[] | undefined;
  readonly excludeTools: readonly string[];
  readonly settings: readonly ExtensionSetting[];
  readonly themes: readonly string[];
  readonly planDirectory: string | undefined;
  /** The address the extension moved to. */
  readonly migratedTo: string | undefined;
}

/** Of a copy that goes when it is invalid: the problem names the file in its source. */
export function readFetchedManifest(directory: string, source: string, workspacePath: string): Manifest {
  try {
    return readManifest(directory, workspacePath);
  } catch (error) {
    const message = getErrorMessage(error).replaceAll(join(directory, '/'), '');
    throw new ExtensionError(`${source}: ${message}`, { cause: error });
  }
}

/** `workspacePath` is the folder the agent works in. Throws an ExtensionError that names the file. */
export function readManifest(directory: string, workspacePath: string): Manifest {
  const file = join(directory, MANIFEST);
  let written: Record<string, unknown> | undefined;
  try {
    written = readSourceFile(file);
  } catch (error) {
    const message = getErrorMessage(error)
      .replace(': invalid settings: ', ': ')
      .replace(/ Correct this place.*$/, '');
    throw new ExtensionError(`Invalid configuration in ${message}`, { cause: error });
  }
  if (written === undefined) throw new ExtensionError(`Configuration file not found at ${file}`);
  const values = replacePathVariables(written, { extensionPath: directory, workspacePath });
  const text = (key: string): string => {
    const value = values[key];
    if (typeof value === 'string' && value !== '') return value;
    throw new ExtensionError(`Invalid configuration in ${file}: missing "${key}"`);
  };
  const name = text('name');
  if (!/^[A-Za-z0-9-]+$/.test(name)) {
    throw new ExtensionError(
      `Invalid extension name: "${name}". Only letters (a-z, A-Z), numbers (0-9), and dashes (-) are allowed.`,
    );
  }
  const { mcpServers, plan, migratedTo } = values;
  const planDirectory = isRecord(plan) ? plan['directory'] : undefined;
  return {
    name,
    version: text('version'),
    mcpServers: isRecord(mcpServers) ? mcpServers : {},
    contextFileNames: readContextFileNames(values['contextFileName'], directory, file),
    excludeTools: toTexts(values['excludeTools']),
    settings: readSettings(values['settings'], file),
    themes: readThemeNames(values['themes']),
    planDirectory: typeof planDirectory === 'string' && planDirectory !== '' ? planDirectory : undefined,
    migratedTo: typeof migratedTo === 'string' && migratedTo !== '' ? migratedTo : undefined,
  };
}

function readContextFileNames(value: unknown, directory: string, file: string): string[] | undefined {
  const names = toTexts(value);
  if (names.length === 0) return undefined;
  for (const name of names) {
    if (isInside(resolve(directory, name), directory)) continue;
    throw new ExtensionError(`Invalid configuration in ${file}: contextFileName "${name}" is outside the extension.`);
  }
  return names;
}

function readSettings(value: unknown, file: string): ExtensionSetting[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown, index): ExtensionSetting => {
    const { name, description = '', envVar, sensitive } = isRecord(item) ? item : {};
    const place = `Invalid configuration in ${file}: settings[${index}]`;
    if (typeof name !== 'string' || name === '') throw new ExtensionError(`${place} has no "name".`);
    if (typeof envVar !== 'string' || !/^[A-Za-z_]\w*$/.test(envVar)) {
      throw new ExtensionError(`${place}: "envVar" must be the name of a variable, such as API_TOKEN.`);
    }
    return { name, description: String(description), envVar, sensitive: sensitive === true };
  });
}

function readThemeNames(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((theme: unknown) => (isRecord(theme) && typeof theme['name'] === 'string' ? theme['name'] : []));
}

/** A single text stands for a list of one: a restriction is not lost for its form. */
function toTexts(value: unknown): string[] {
  if (typeof value === 'string' && value !== '') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
