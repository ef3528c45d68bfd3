/** Decides what the text after `install` names: a repository, a release, an archive or a folder. Pure but for one look at the disk. */

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { archiveFormat } from './extract-archive.ts';
import { ExtensionError } from './extension-error.ts';
import { githubRepository } from './installation.ts';
import type { GithubRepository } from './installation.ts';

export type InstallSource =
  /** Its release, else a clone of `url`. */
  | { readonly kind: 'github'; readonly source: string; readonly url: string; readonly repository: GithubRepository }
  | { readonly kind: 'git'; readonly source: string; readonly url: string }
  /** An archive at an address. */
  | { readonly kind: 'download'; readonly source: string; readonly url: string }
  | { readonly kind: 'archive'; readonly source: string }
  | { readonly kind: 'folder'; readonly source: string };

const REMOTE = /^(?:https?:\/\/|git@|sso:\/\/|github:|gitlab:|ssh:\/\/|file:\/\/)/i;
/** A path begins with a dot, an owner on GitHub does not. */
const SHORT = /^\w[\w-]*\/[\w.-]+$/;

export interface SourceBases {
  /** Of pages and clones. */
  readonly github: string;
  readonly githubApi: string;
}

export interface SourcePlace {
  readonly cwd: string;
  readonly home: string;
  readonly bases: SourceBases;
}

/** A path is resolved against `cwd`. Throws an ExtensionError for a source that names nothing. */
export function parseInstallSource(text: string, { cwd, home, bases: { github } }: SourcePlace): InstallSource {
  const source = text.trim();
  if (!REMOTE.test(source)) {
    const path = resolve(
      cwd,
      source.replace(/^~(?=\/|$)/, () => home),
    );
    if (existsSync(path)) return parsePath(path);
    if (SHORT.test(source)) return ofRepository(`https://github.com/${source}`, github);
    throw new ExtensionError(`Install source not found. There is no ${path}`);
  }
  if (/^sso:/i.test(source))
    throw new ExtensionError('Addresses with sso:// need a program of Google and are not supported.');
  if (/^gitlab:/i.test(source)) {
    const [, path = ''] = /^gitlab:(.+)$/i.exec(source) ?? [];
    return { kind: 'git', source, url: `https://gitlab.com/${path.replace(/\.git$/, '')}.git` };
  }
  if (/^https?:/i.test(source) && archiveFormat(URL.parse(source)?.pathname ?? '')) {
    return { kind: 'download', source, url: source };
  }
  if (/^(?:https?:\/\/(?:[^@/]+@)?github\.com\/|github:)/i.test(source)) return ofRepository(source, github);
  return { kind: 'git', source, url: source };
}

function ofRepository(source: string, base: string): InstallSource {
  const repository = githubRepository(source);
  if (repository) {
    return { kind: 'github', source, url: `${base}/${repository.owner}/${repository.repo}.git`, repository };
  }
  throw new ExtensionError(`Invalid GitHub repository source: ${source}. Expected "owner/repo" or a github repo uri.`);
}

function parsePath(path: string): InstallSource {
  const stat = statSync(path);
  if (stat.isDirectory()) return { kind: 'folder', source: path };
  if (stat.isFile() && archiveFormat(path)) return { kind: 'archive', source: path };
  throw new ExtensionError(`Install source not found. ${path} is neither a folder nor a .tar.gz or .zip archive.`);
}
