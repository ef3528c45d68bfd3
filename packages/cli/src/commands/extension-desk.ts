/**
 * What can be done with extensions, for `castor extensions` and `/extensions`: each method changes the disk and returns
 * sentences. It prints nothing; questions go through the port of the surface.
 */

import {
  checkForUpdate,
  disable,
  enable,
  ExtensionError,
  ExtensionManager,
  forgetSettingValues,
  isRecord,
  readSourceFile,
  replaceFile,
  userDirectory,
} from '@castor/core/program';
import type { ConfiguredExtension, Extension, ManagerPort, Settings, UpdateState } from '@castor/core/program';
import { getErrorMessage } from '@castor/core';
import { join } from 'node:path';
import { nearest } from '../nearest.ts';
import { openKeyring } from '../keyring.ts';

export type EnablementScope = 'user' | 'workspace';

export interface DeskPort extends Omit<ManagerPort, 'configure'> {
  /** Asks for the missing values of settings; absent: the user is not asked. */
  configure?(extension: ConfiguredExtension, desk: ExtensionDesk): Promise<void>;
}

export interface DeskOptions {
  readonly home: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  readonly trustedFolder: boolean | undefined;
  readonly port: DeskPort;
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly said: readonly string[];
  readonly failed: readonly string[];
}

export class ExtensionDesk {
  readonly options: DeskOptions;
  private readonly manager: ExtensionManager;
  private keyring: ReturnType<typeof openKeyring> | undefined;

  constructor(options: DeskOptions) {
    const { home, cwd, environment, settings, port } = options;
    const { allowedExtensions, blockGitExtensions: blocksGit } = settings.security;
    this.options = options;
    const { configure, ...asking } = port;
    this.manager = new ExtensionManager({
      ...{ home, cwd, environment, allowedExtensions, blocksGit, bases: this.bases() },
      port: { ...asking, ...(configure && { configure: (extension) => configure(extension, this) }) },
    });
  }

  list() {
    return this.manager.list();
  }

  /** Where values of settings are; those of the folder only where it is trusted. */
  valuePlace() {
    const { home, cwd, environment, trustedFolder } = this.options;
    const openSecrets = () => (this.keyring ??= openKeyring(environment));
    return { home, workspace: trustedFolder === true ? cwd : undefined, openSecrets };
  }

  /** By name, or by source; neither is sensitive to case. */
  find(text: string): Extension | undefined {
    const wanted = text.toLowerCase();
    const { extensions } = this.list();
    return (
      extensions.find(({ name }) => name.toLowerCase() === wanted) ??
      extensions.find(({ installation }) => installation?.source.toLowerCase() === wanted)
    );
  }

  async install(wish: Parameters<ExtensionManager['install']>[0]): Promise<string> {
    const name = await this.manager.install(wish, this.options.signal);
    return `Extension "${name}" installed successfully and enabled.`;
  }

  async link(path: string): Promise<string> {
    return `Extension "${await this.manager.link(path)}" linked successfully and enabled.`;
  }

  async consent(names: readonly string[]): Promise<Outcome> {
    const { extensions } = this.list();
    const waiting = extensions.filter(({ consent }) => consent !== 'known').map(({ name }) => name);
    if (names.length === 0 && waiting.length === 0) return { said: ['Every extension has your consent.'], failed: [] };
    return collect(names.length > 0 ? names : waiting, async (name) => {
      const extension = this.known(name);
      if (extension.consent === 'known') return `Extension "${extension.name}" has your consent already.`;
      await this.manager.consent(extension);
      return `Extension "${extension.name}" has your consent from now on.`;
    });
  }

  async uninstall(names: readonly string[]): Promise<Outcome> {
    return collect(names, async (name) => {
      const extension = this.find(name);
      if (!extension) throw new ExtensionError(`Failed to uninstall "${name}": Extension not found.`);
      await this.manager.uninstall(extension);
      await forgetSettingValues(extension, this.valuePlace()).catch((error: unknown) => {
        throw new ExtensionError(`Extension "${name}" is uninstalled, but not its secrets: ${getErrorMessage(error)}`);
      });
      return `Extension "${extension.name}" successfully uninstalled.`;
    });
  }

  async update(names: readonly string[]): Promise<Outcome> {
    return collect(names, async (name) => {
      const extension = this.known(name);
      const found = await this.manager.update(extension, this.options.signal).catch((error: unknown) => {
        // What is wrong with a source does not tell whose it is.
        if (!(error instanceof ExtensionError) || error.message.includes(extension.name)) throw error;
        throw new ExtensionError(`Extension "${extension.name}" was not updated: ${error.message}`, { cause: error });
      });
      if (!found) return `Extension "${extension.name}" is already up to date.`;
      return `Extension "${found.name}" successfully updated: ${found.before} → ${found.after}.`;
    });
  }

  /** The state of each, by name. */
  async checkUpdates(): Promise<Map<string, { state: UpdateState; problem?: string }>> {
    const { home, cwd, environment, signal } = this.options;
    const checks = this.list().extensions.map(async (extension) => {
      const place = { home, cwd, environment, signal, bases: this.bases() };
      return [extension.name, await checkForUpdate(extension, place)] as const;
    });
    return new Map(await Promise.all(checks));
  }

  enable(name: string, scope: EnablementScope | undefined): string[] {
    const extension = this.known(name);
    enable(extension.name, scope ?? 'user', this.options);
    if (scope === undefined) enable(extension.name, 'workspace', this.options);
    const where = scope === undefined ? 'in all scopes' : `for scope "${scope}"`;
    const waits =
      extension.consent === 'known'
        ? []
        : [`It is loaded once you consent to it: castor extensions consent ${extension.name}`];
    return [`Extension "${extension.name}" successfully enabled ${where}.`, ...this.enableServers(extension), ...waits];
  }

  disable(name: string, scope: EnablementScope): string {
    const extension = this.find(name);
    if (!extension) throw new ExtensionError(`Extension with name ${name} does not exist.`);
    disable(extension.name, scope, this.options);
    return `Extension "${extension.name}" successfully disabled for scope "${scope}".`;
  }

  /** Throws an ExtensionError that names the installed ones. */
  known(name: string): Extension {
    const found = this.find(name);
    if (found) return found;
    const names = this.list().extensions.map((each) => each.name);
    const hint = nearest(name, names);
    const meant = hint ? ` Did you mean ${hint}?` : '';
    throw new ExtensionError(
      `Extension "${name}" is not installed.${meant} Installed extensions: ${names.join(', ') || 'none'}.`,
    );
  }

  private bases() {
    const { environment } = this.options;
    return {
      github: environment['CASTOR_GITHUB_URL'] || 'https://github.com',
      githubApi: environment['CASTOR_GITHUB_API_URL'] || 'https://api.github.com',
    };
  }

  /** Its servers that the user had disabled one by one. */
  private enableServers({ manifest }: Extension): string[] {
    const file = join(userDirectory(this.options.home), 'mcp-server-enablement.json');
    const entries = readSourceFile(file) ?? {};
    const off = Object.keys(manifest.mcpServers).filter((name) => {
      const entry = entries[name.toLowerCase()];
      return isRecord(entry) && entry['enabled'] === false;
    });
    if (off.length === 0) return [];
    const kept = Object.entries(entries).filter(([name]) => !off.some((each) => each.toLowerCase() === name));
    replaceFile(file, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
    return off.map((name) => `MCP server '${name}' was disabled - now enabled.`);
  }
}

async function collect(names: readonly string[], work: (name: string) => Promise<string>): Promise<Outcome> {
  const said: string[] = [];
  const failed: string[] = [];
  for (const name of names) {
    try {
      said.push(await work(name));
    } catch (error) {
      if (!(error instanceof ExtensionError)) throw error;
      failed.push(error.message);
    }
  }
  return { said, failed };
}
