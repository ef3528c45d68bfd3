/**
 * Installs, links, updates and removes extensions for any surface. It asks through a port, prints nothing, and leaves
 * the disk as it was when the user refuses, a source fails or the signal aborts.
 */

import { existsSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { isInside } from '../util/is-inside.ts';
import { carryOut, createStage, placeOf, repairExtensions } from './change-journal.ts';
import { compareContent, describeContent, WARNING } from './consent-text.ts';
import { writeConsentRecord } from './consent-records.ts';
import { ExtensionError } from './extension-error.ts';
import { stagingDirectory, VALUES } from './extension-paths.ts';
import { fetchExtension } from './fetch-extension.ts';
import type { FetchedExtension } from './fetch-extension.ts';
import { parseInstallSource } from './install-source.ts';
import type { InstallSource, SourceBases } from './install-source.ts';
import { installationOf, isRemote, refusalOf, sourceLine } from './install-rules.ts';
import type { SourceRestrictions } from './install-rules.ts';
import { writeInstallation } from './installation.ts';
import type { Installation } from './installation.ts';
import { digestConsented, loadExtensions, recordOf } from './load-extensions.ts';
import type { Extension } from './load-extensions.ts';
import { readFetchedManifest, readManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import type { Environment } from './run-git.ts';
import { listTree } from './tree-digest.ts';
import { syncTree } from './tree-rules.ts';

/** What the surface does for a change. */
export interface ManagerPort {
  /** Shows a page and asks for consent; false refuses. Throws where the user cannot be asked. */
  confirm(page: string, question: string): Promise<boolean>;
  onProgress?(line: string): void;
  /** Values for the settings of an extension that is about to be installed or updated. */
  configure?(extension: ConfiguredExtension): Promise<void>;
}

export interface ConfiguredExtension {
  readonly name: string;
  readonly manifest: Manifest;
  readonly installation: Installation;
  /** The staged folder: the values of its settings go there, and become part of the change. */
  readonly folder: string;
  readonly previous: Extension | undefined;
}

export interface ManagerOptions extends SourceRestrictions {
  readonly home: string;
  readonly cwd: string;
  readonly environment: Environment;
  readonly bases: SourceBases;
  readonly port: ManagerPort;
  readonly clock?: Clock;
}

export interface InstallWish {
  readonly source: string;
  readonly ref?: string | undefined;
  readonly autoUpdate?: boolean;
  readonly allowPreRelease?: boolean;
}

export interface UpdateResult {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export class ExtensionManager {
  private readonly options: ManagerOptions;

  constructor(options: ManagerOptions) {
    this.options = options;
    repairExtensions(options.home);
  }

  list() {
    return loadExtensions(this.options);
  }

  /** Resolves with the name. */
  async install(wish: InstallWish, signal: AbortSignal): Promise<string> {
    const { cwd, home, bases } = this.options;
    const source = parseInstallSource(wish.source, { cwd, home, bases });
    if ((source.kind === 'folder' || source.kind === 'archive') && (wish.ref !== undefined || wish.autoUpdate)) {
      throw new ExtensionError('--ref and --auto-update are not applicable for local extensions.');
    }
    this.assertAllowed(source);
    return this.staged(async (stage) => {
      const fetched = await this.fetch(source, stage, wish, signal);
      const manifest = readFetchedManifest(fetched.directory, source.source, cwd);
      this.assertFree(manifest.name);
      const installation = installationOf(source, fetched, wish);
      await this.askToInstall(manifest, fetched.directory, installation);
      const { name, version } = manifest;
      await this.finish({ fetched, installation, manifest, previous: undefined }, version);
      return name;
    });
  }

  /** Resolves with the name. The content stays in its folder. */
  async link(path: string): Promise<string> {
    const { cwd, home, clock = systemClock } = this.options;
    const directory = resolve(cwd, path);
    if (!existsSync(directory)) throw new ExtensionError(`Install source not found. There is no ${directory}`);
    const manifest = readManifest(directory, cwd);
    const { name, version } = manifest;
    this.assertAllowed({ kind: 'folder', source: directory });
    this.assertFree(name);
    const installation: Installation = { source: directory, type: 'link' };
    // Before the question: what changes while it is open has no consent.
    const record = recordOf(directory, { isLinked: true, version, commit: undefined });
    await this.askToInstall(manifest, directory, installation);
    return this.staged(async (stage) => {
      writeInstallation(stage, installation);
      await this.options.port.configure?.({ name, manifest, installation, folder: stage, previous: undefined });
      await syncTree(stage);
      await carryOut({ name, staged: stage, record, enabledFrom: cwd }, home, clock);
      return name;
    });
  }

  /** Consents to an extension as it is: one that another program installed, or one that changed. */
  async consent(extension: Extension): Promise<void> {
    const { name, directory, manifest, installation, record } = extension;
    const isLinked = installation?.type === 'link';
    const current = recordOf(directory, { isLinked, version: manifest.version, commit: record?.commit });
    const why =
      extension.consent === 'changed'
        ? 'It changed since you consented to it.'
        : 'Another program installed it; Castor has not loaded it yet.';
    const page = [`Extension "${name}" (${manifest.version}). ${why}`, ...sourceLine(installation)];
    await this.ask(name, [...page, ...(await describeContent(directory)), WARNING]);
    writeConsentRecord(this.options.home, name, current);
  }

  async uninstall(extension: Pick<Extension, 'name' | 'folder'>): Promise<void> {
    const { home, clock = systemClock } = this.options;
    await carryOut({ name: extension.name, folder: extension.folder }, home, clock);
  }

  /** Undefined where the source has nothing new. Throws an ExtensionError; the installed version then stays. */
  async update(extension: Extension, signal: AbortSignal): Promise<UpdateResult | undefined> {
    const { cwd, home, bases } = this.options;
    const { installation, manifest: old } = extension;
    if (!installation) {
      throw new ExtensionError(
        `Extension "${extension.name}" cannot be updated because it is missing its install data. To fix this, reinstall the extension.`,
      );
    }
    if (installation.type === 'link') {
      throw new ExtensionError(`Extension "${extension.name}" is linked and does not need to be updated.`);
    }
    if (extension.consent === 'changed') {
      throw new ExtensionError(
        `Extension ${extension.name} cannot be updated. Extension integrity cannot be verified. To fix this, reinstall the extension.`,
      );
    }
    const address = old.migratedTo ?? installation.source;
    const source = parseInstallSource(address, { cwd, home, bases });
    this.assertAllowed(source);
    return this.staged(async (stage) => {
      const fetched = await this.fetch(source, stage, installation, signal);
      const manifest = readFetchedManifest(fetched.directory, source.source, cwd);
      if (manifest.name !== extension.name) this.assertFree(manifest.name);
      const renewed = installationOf(source, fetched, installation);
      const isSame = await this.askToUpdate(extension, manifest, fetched.directory, renewed);
      if (isSame && (await this.hasSameContent(extension, fetched, renewed))) return undefined;
      await this.finish({ fetched, installation: renewed, manifest, previous: extension }, manifest.version);
      return { name: manifest.name, before: old.version, after: manifest.version };
    });
  }

  private fetch(
    source: InstallSource,
    stage: string,
    wish: { ref?: string | undefined; allowPreRelease?: boolean | undefined },
    signal: AbortSignal,
  ): Promise<FetchedExtension> {
    const { environment, bases, port } = this.options;
    return fetchExtension(source, stage, {
      ...{ environment, signal, bases, ref: wish.ref },
      allowsPreRelease: wish.allowPreRelease ?? false,
      onProgress: port.onProgress?.bind(port),
      confirmClone: (problem) =>
        port.confirm(
          `${problem} The repository itself can be cloned instead.`,
          'Would you like to attempt to install via "git clone" instead?',
        ),
    });
  }

  /** What the change leaves in the stage is removed, also after a failure. */
  private async staged<T>(work: (stage: string) => Promise<T>): Promise<T> {
    const stage = createStage(this.options.home);
    try {
      return await work(stage);
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
  }

  private async finish({ fetched, installation, manifest, previous }: Pending, version: string): Promise<void> {
    const { home, cwd, clock = systemClock, port } = this.options;
    const { directory: staged, commit } = fetched;
    const { name } = manifest;
    writeInstallation(staged, installation);
    // The values of the settings belong to the user: they outlive every version.
    const values = previous && join(previous.folder, VALUES);
    rmSync(join(staged, VALUES), { force: true, recursive: true });
    if (values !== undefined && existsSync(values)) await copyFile(values, join(staged, VALUES));
    await port.configure?.({ name, manifest, installation, folder: staged, previous });
    await syncTree(staged);
    const record = recordOf(staged, { isLinked: false, version, commit });
    const replaced = previous && { folder: previous.folder, oldName: previous.name };
    await carryOut({ name, staged, record, ...(replaced ?? { enabledFrom: cwd }) }, home, clock);
  }

  private async hasSameContent(
    extension: Extension,
    fetched: FetchedExtension,
    installation: Installation,
  ): Promise<boolean> {
    if (JSON.stringify(installation) !== JSON.stringify(extension.installation)) return false;
    writeInstallation(fetched.directory, installation);
    const { digest } = recordOf(fetched.directory, { isLinked: false, version: '', commit: undefined });
    return digest === digestConsented(extension, listTree(extension.directory), extension.record ?? {});
  }

  private async askToInstall({ name }: Manifest, directory: string, installation: Installation): Promise<void> {
    const page = [
      `Installing extension "${name}".`,
      ...sourceLine(installation),
      ...(await describeContent(directory)),
      WARNING,
    ];
    await this.ask(name, page);
  }

  /** Whether both versions ask for the same; then the user is not asked. */
  private async askToUpdate(
    { name, directory, consent, installation: before }: Extension,
    manifest: Manifest,
    fresh: string,
    installation: Installation,
  ): Promise<boolean> {
    const content = await describeContent(fresh);
    const changes = compareContent(await describeContent(directory), content);
    const isMoved = before?.source !== installation.source || manifest.name !== name;
    if (changes.length === 0 && !isMoved && consent === 'known') return true;
    const title = isMoved
      ? `Migrating extension "${name}" to "${manifest.name}" from ${installation.source}.`
      : `Updating extension "${name}".`;
    const difference = changes.length === 0 ? [] : ['What changes:', ...changes];
    await this.ask(name, [title, ...difference, '', 'All that it will do:', ...content, WARNING]);
    return false;
  }

  private async ask(name: string, lines: readonly string[]): Promise<void> {
    const agreed = await this.options.port.confirm(lines.join('\n'), 'Do you want to continue?');
    if (!agreed) throw new ExtensionError(`Installation cancelled for "${name}".`);
  }

  private assertFree(name: string): void {
    const { extensions } = this.list();
    if (extensions.some((each) => each.name.toLowerCase() === name.toLowerCase())) {
      throw new ExtensionError(`Extension "${name}" is already installed. Please uninstall it first.`);
    }
    if (existsSync(placeOf(name, this.options.home))) {
      throw new ExtensionError(
        `Cannot install extension "${name}" because a directory with that name already exists. Please remove it manually.`,
      );
    }
  }

  private assertAllowed(source: InstallSource): void {
    const problem = refusalOf(source.source, isRemote(source), this.options);
    if (problem !== undefined) throw new ExtensionError(problem);
    if (source.kind === 'folder' && isInside(stagingDirectory(this.options.home), source.source)) {
      throw new ExtensionError(`${source.source} contains Castor's own folder. Name the folder of the extension.`);
    }
  }
}

interface Pending {
  fetched: FetchedExtension;
  installation: Installation;
  manifest: Manifest;
  previous: Extension | undefined;
}
