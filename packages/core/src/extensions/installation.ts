/** Reads and writes `.gemini-extension-install.json`, the note beside an extension that says where it came from. */

import { lstatSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { readSourceFile } from '../config/source-file.ts';
import { replaceFile } from '../util/replace-file.ts';
import { sha256 } from '../util/sha256.ts';
import { INSTALLATION } from './extension-paths.ts';

export type InstallationType = 'git' | 'github-release' | 'local' | 'link';

export interface Installation {
  readonly source: string;
  readonly type: InstallationType;
  readonly releaseTag?: string | undefined;
  readonly ref?: string | undefined;
  readonly autoUpdate?: boolean | undefined;
  readonly allowPreRelease?: boolean | undefined;
}

const TYPES: ReadonlySet<unknown> = new Set(['git', 'github-release', 'local', 'link']);

/** Undefined where the extension was put there by hand. Throws a SettingsError for an unreadable file. */
export function readInstallation(folder: string): Installation | undefined {
  const { source, type, releaseTag, ref, autoUpdate, allowPreRelease } =
    readSourceFile(join(folder, INSTALLATION)) ?? {};
  if (typeof source !== 'string' || source === '' || !TYPES.has(type)) return undefined;
  if (type === 'link' && !isAbsolute(source)) return undefined;
  return {
    source,
    type: type as InstallationType,
    releaseTag: typeof releaseTag === 'string' ? releaseTag : undefined,
    ref: typeof ref === 'string' ? ref : undefined,
    autoUpdate: autoUpdate === true ? true : undefined,
    allowPreRelease: allowPreRelease === true ? true : undefined,
  };
}

export function writeInstallation(folder: string, installation: Installation): void {
  replaceFile(join(folder, INSTALLATION), `${JSON.stringify(installation, null, 2)}\n`);
}

/** The folder with the content: a linked extension stays where it was written. */
export function contentDirectory(folder: string, installation: Installation | undefined): string {
  return installation?.type === 'link' ? installation.source : folder;
}

/** Identifies an extension among those of the same name, as in Gemini CLI. */
export function extensionId(name: string, installation: Installation | undefined): string {
  const source = installation?.source;
  if (source === undefined) return sha256(name);
  const repository = githubRepository(source);
  return sha256(repository ? `https://github.com/${repository.owner}/${repository.repo}` : source);
}

export interface GithubRepository {
  readonly owner: string;
  readonly repo: string;
}

/** Undefined for another host. */
export function githubRepository(source: string): GithubRepository | undefined {
  const address = /^(?:https?:\/\/(?:[^@/]+@)?github\.com\/|git@github\.com:|ssh:\/\/git@github\.com\/|github:)(.+)$/i;
  const [owner, repo, ...rest] = (address.exec(source)?.[1] ?? '').replace(/\.git$|\/$/, '').split('/');
  return owner && repo && rest.length === 0 ? { owner, repo: repo.replace(/\.git$/, '') } : undefined;
}

/** The folders of installed extensions, by name. */
export function listExtensionFolders(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => !name.startsWith('.'));
    return names
      .map((name) => join(directory, name))
      .filter((path) => lstatSync(path).isDirectory() || isLinkedFolder(path))
      .toSorted();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

function isLinkedFolder(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}
