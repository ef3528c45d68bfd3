/**
 * Chooses the extensions of a start: those the flags and settings allow, enabled in the folder, and unchanged since the
 * user consented. Names every other one. Loaded only where extensions are installed.
 */

import { join } from 'node:path';
import { hasJournal, loadExtensions, refusalOf, repairExtensions, SettingsError, toSource } from '@castor/core/program';
import type { Extension, InstalledExtensions, Settings } from '@castor/core/program';
import type { Source } from '@castor/core';
import type { CliArguments } from '../args/args.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { ExtensionValues, ValueReader } from './extension-values.ts';

export interface ExtensionFolder {
  cwd: string;
  home: string;
  /** Extensions that the user named for this run; one that is not installed is an error. */
  args?: { readonly extensions?: readonly string[] | undefined };
}

export interface ExtensionQuestion {
  args: Pick<CliArguments, 'extensions'>;
  settings: Settings;
  trustedFolder: boolean | undefined;
}

/** The extensions of one start. */
export interface ChosenExtensions {
  sources: readonly Source[];
  extensions: readonly Extension[];
  /** The restrictions of all enabled extensions, also of those that are not loaded. */
  excluded: readonly { readonly name: string; readonly excludeTools: readonly string[] }[];
  /** Of the first extension that has a folder for plans. */
  plans: { readonly directory: string; readonly directoryFrom: string } | undefined;
  warnings: readonly string[];
  /** The values of their settings. */
  readValues(place: ValuePlace): Promise<ExtensionValues | undefined>;
}

export type ValuePlace = Pick<ValueReader, 'home' | 'cwd' | 'trustedFolder' | 'environment' | 'onProblem'>;

export interface StartExtensions {
  /** Throws an ExitError for a flag that names an unknown extension. */
  choose(question: ExtensionQuestion): ChosenExtensions;
}

/** In an untrusted folder neither commands nor servers of an extension are active, as in Gemini CLI. */
const UNTRUSTED_WITHOUT = ['commands', 'servers'] as const;

export function readExtensions(folder: ExtensionFolder): StartExtensions {
  const installed = read(folder);
  return { choose: (question) => choose(installed, question, folder) };
}

function read(folder: ExtensionFolder): InstalledExtensions {
  try {
    if (hasJournal(folder.home)) repairExtensions(folder.home);
    return loadExtensions(folder);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new ExitError(ExitCode.Settings, error.message, { cause: error });
  }
}

function choose(
  { extensions, broken }: InstalledExtensions,
  { args, settings, trustedFolder }: ExtensionQuestion,
  { home }: ExtensionFolder,
): ChosenExtensions {
  const names = namesOf(args);
  const warnings: string[] = [];
  const none = {
    sources: [],
    extensions: [],
    excluded: [],
    plans: undefined,
    warnings,
    readValues: async () => undefined,
  };
  if (names?.length === 0) return none;
  if (!settings.admin.extensions.enabled) {
    if (extensions.length > 0)
      warnings.push('extensions are not loaded: the administrator disabled them (admin.extensions.enabled).');
    return none;
  }
  assertKnown(names, extensions);
  const wanted = extensions.filter((each) => (names ? names.includes(each.name.toLowerCase()) : each.isEnabled));
  const permitted = wanted.filter((each) => isPermitted(each, settings, warnings));
  for (const { problem } of broken)
    warnings.push(`Skipping extension in ${join(home, '.gemini', 'extensions')}: ${problem}`);
  tellUnknown(permitted, warnings);
  const loaded = permitted.filter(({ consent }) => consent === 'known');
  return {
    sources: loaded.map((each) => ({
      ...toSource(each),
      ...(trustedFolder === false && { withheld: UNTRUSTED_WITHOUT }),
    })),
    extensions: loaded,
    excluded: permitted.map(({ name, manifest }) => ({ name, excludeTools: manifest.excludeTools })),
    plans: plansOf(loaded, settings, warnings),
    warnings,
    async readValues(place) {
      if (loaded.every(({ manifest }) => manifest.settings.length === 0)) return undefined;
      const { readExtensionValues } = await import('./extension-values.ts');
      return readExtensionValues(loaded, place);
    },
  };
}

function plansOf(loaded: readonly Extension[], { general }: Settings, warnings: string[]): ChosenExtensions['plans'] {
  const having = loaded.filter(({ manifest }) => manifest.planDirectory !== undefined);
  const [first, ...others] = having;
  const directory = first?.manifest.planDirectory;
  if (directory === undefined) return undefined;
  if (others.length > 0 && general.plan.directory === undefined) {
    const names = others.map(({ name }) => name).join(', ');
    warnings.push(
      `plans are stored in ${directory}, as the extension ${first?.name} says; the folder of ${names} is not used. ` +
        'The setting general.plan.directory decides.',
    );
  }
  return { directory, directoryFrom: `plan.directory of the extension ${first?.name}` };
}

/** In lower case; undefined where the flag is absent, empty for `none`. */
function namesOf({ extensions }: Pick<CliArguments, 'extensions'>): string[] | undefined {
  if (extensions === undefined || extensions.length === 0) return undefined;
  const names = extensions.flatMap((each) => each.split(',')).map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'none');
}

function assertKnown(names: readonly string[] = [], extensions: readonly Extension[]): void {
  const unknown = names.find((name) => !extensions.some((each) => each.name.toLowerCase() === name));
  if (unknown === undefined) return;
  const known = extensions.map(({ name }) => name).join(', ') || 'none';
  throw new ExitError(ExitCode.Failure, `Extension not found: ${unknown}. Installed extensions: ${known}.`);
}

function isPermitted({ name, installation }: Extension, { security }: Settings, warnings: string[]): boolean {
  const { allowedExtensions, blockGitExtensions: blocksGit } = security;
  const isFromNetwork = installation?.type === 'git' || installation?.type === 'github-release';
  // A folder that was put there by hand has no source that a list could allow.
  const refusal = refusalOf(installation?.source ?? '', isFromNetwork, { allowedExtensions, blocksGit });
  if (refusal !== undefined) warnings.push(`the extension ${name} is not loaded. ${refusal}`);
  return refusal === undefined;
}

function tellUnknown(extensions: readonly Extension[], warnings: string[]): void {
  const tell = (state: Extension['consent'], why: string) => {
    const names = extensions.filter(({ consent }) => consent === state).map(({ name }) => name);
    if (names.length === 0) return;
    const what =
      names.length === 1 ? `the extension ${names[0]} is not loaded` : `extensions are not loaded: ${names.join(', ')}`;
    warnings.push(`${what}; ${why}. To see what would run and consent: castor extensions consent ${names.join(' ')}`);
  };
  tell('new', 'installed by another program, and Castor has not asked you yet');
  tell('changed', 'its files changed since you consented');
}
