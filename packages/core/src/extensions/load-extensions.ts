/**
 * Finds the installed extensions and decides which of them a start may load: those that are enabled in the folder and
 * unchanged since the user consented to them. Reads a manifest and the facts of files; loads no content.
 */

import { basename, posix } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import type { Source } from '../protocol/source.ts';
import { readConsentRecords, writeConsentRecord } from './consent-records.ts';
import type { ConsentRecord, ConsentRecords } from './consent-records.ts';
import { isEnabled, readEnablement } from './enablement.ts';
import { extensionsDirectory } from './extension-paths.ts';
import { contentDirectory, listExtensionFolders, readInstallation } from './installation.ts';
import type { Installation } from './installation.ts';
import { digestLinked } from './linked-digest.ts';
import { readManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { isOwnData } from './own-data.ts';
import { digestTree, listTree, stampTree } from './tree-digest.ts';
import type { TreeEntry } from './tree-digest.ts';

/** `new`: installed by another program. `changed`: since the user consented. */
export type ConsentState = 'known' | 'new' | 'changed';

export interface Extension {
  readonly name: string;
  /** Its folder among the installed extensions. */
  readonly folder: string;
  /** The folder of its content. */
  readonly directory: string;
  readonly installation: Installation | undefined;
  readonly manifest: Manifest;
  /** In the folder of the start. */
  readonly isEnabled: boolean;
  readonly consent: ConsentState;
  readonly record: ConsentRecord | undefined;
}

/** An installed folder that is not a usable extension. */
export interface BrokenExtension {
  readonly folder: string;
  readonly problem: string;
}

export interface InstalledExtensions {
  /** In the order of their names. */
  readonly extensions: readonly Extension[];
  readonly broken: readonly BrokenExtension[];
}

export interface ExtensionPlace {
  readonly home: string;
  readonly cwd: string;
}

/** Throws a SettingsError where the record of consent or of enablement is unreadable. */
export function loadExtensions({ home, cwd }: ExtensionPlace): InstalledExtensions {
  const folders = listExtensionFolders(extensionsDirectory(home));
  if (folders.length === 0) return { extensions: [], broken: [] };
  const rules = readEnablement(home);
  const records = readConsentRecords(home);
  const extensions: Extension[] = [];
  const broken: BrokenExtension[] = [];
  for (const folder of folders) {
    try {
      const installation = readInstallation(folder);
      const directory = contentDirectory(folder, installation);
      const manifest = readManifest(directory, cwd);
      const { name } = manifest;
      const twin = extensions.find((other) => other.name === name);
      // The folder of that name was installed; another is a copy.
      if (twin && basename(folder) !== name) throw sameName(twin.folder, name);
      if (twin)
        broken.push({ folder: twin.folder, problem: `${basename(twin.folder)}: ${sameName(folder, name).message}` });
      if (twin) extensions.splice(extensions.indexOf(twin), 1);
      const found = { name, folder, directory, installation, manifest, isEnabled: isEnabled(rules[name], cwd) };
      extensions.push({ ...found, ...judge(found, records, home) });
    } catch (error) {
      broken.push({ folder, problem: `${basename(folder)}: ${getErrorMessage(error)}` });
    }
  }
  return { extensions: extensions.toSorted((a, b) => (a.name < b.name ? -1 : 1)), broken };
}

function sameName(folder: string, name: string): Error {
  return new Error(`${folder} has the same name, ${name}. Remove one of the two.`);
}

type Judged = Pick<Extension, 'consent' | 'record'>;

function judge(
  found: Pick<Extension, 'name' | 'directory' | 'installation' | 'manifest'>,
  records: ConsentRecords,
  home: string,
): Judged {
  const record = Object.hasOwn(records, found.name) ? records[found.name] : undefined;
  if (record === undefined) return { consent: 'new', record };
  const isLinked = found.installation?.type === 'link';
  if (record.isLinked !== isLinked) return { consent: 'changed', record };
  if (isLinked) return { consent: digestLinked(found.directory) === record.digest ? 'known' : 'changed', record };
  const entries = listTree(found.directory);
  const stamp = stampTree(entries);
  if (stamp === record.stamp) return { consent: 'known', record };
  if (digestConsented(found, entries, record) !== record.digest) return { consent: 'changed', record };
  const renewed = { ...record, stamp };
  try {
    writeConsentRecord(home, found.name, renewed);
  } catch {
    // A read-only home: the next start computes the digest again.
  }
  return { consent: 'known', record: renewed };
}

/** Without the data that the extension has written into its folder since the consent. */
export function digestConsented(
  { directory, manifest }: Pick<Extension, 'directory' | 'manifest'>,
  entries: readonly TreeEntry[],
  { data }: Pick<ConsentRecord, 'data'>,
): string {
  if (data === undefined) return digestTree(directory, entries);
  const kept = new Set([...data, ...(manifest.contextFileNames ?? []).map((name) => posix.normalize(name))]);
  const consented = entries.filter((entry) => kept.has(entry.path) || !isOwnData(entry));
  return digestTree(directory, consented);
}

/** The record of consent to an extension as it is on disk now. */
export function recordOf(
  directory: string,
  { isLinked, version, commit }: Pick<ConsentRecord, 'isLinked' | 'version' | 'commit'>,
): ConsentRecord {
  if (isLinked) return { digest: digestLinked(directory), isLinked, version };
  const entries = listTree(directory);
  const data = entries.filter(isOwnData).map(({ path }) => path);
  const base = { digest: digestTree(directory, entries), isLinked, stamp: stampTree(entries), version, data };
  return commit === undefined ? base : { ...base, commit };
}

export function toSource({ name, directory, manifest: { contextFileNames } }: Extension): Source {
  return { kind: 'extension', name, directory, trusted: true, contextFileNames: contextFileNames ?? ['GEMINI.md'] };
}
