/** Fetches an extension from any source into a folder of the stage: complete, by the rules of trees, with its manifest at the top. */

import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { downloadFile } from './download.ts';
import { archiveFormat, extractArchive } from './extract-archive.ts';
import { ExtensionError } from './extension-error.ts';
import { INSTALLATION, MANIFEST } from './extension-paths.ts';
import { fetchCommit } from './fetch-git.ts';
import { findRelease } from './github-release.ts';
import type { ReleaseArchive } from './github-release.ts';
import { isAbortError } from '../protocol/errors.ts';
import type { InstallSource, SourceBases } from './install-source.ts';
import type { InstallationType } from './installation.ts';
import { githubRepository } from './installation.ts';
import type { Environment } from './run-git.ts';
import { checkTree, copyTree } from './tree-rules.ts';

export interface FetchOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly bases: SourceBases;
  readonly ref?: string | undefined;
  readonly allowsPreRelease: boolean;
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Asked when a release exists and cannot be used: whether to clone the repository instead. */
  confirmClone(problem: string): Promise<boolean>;
}

export interface FetchedExtension {
  /** The tree, in the stage. */
  readonly directory: string;
  readonly type: InstallationType;
  readonly releaseTag?: string | undefined;
  readonly commit?: string | undefined;
}

/** `stage` is an empty folder. Throws an ExtensionError or an AbortError; the caller removes the stage. */
export async function fetchExtension(
  source: InstallSource,
  stage: string,
  options: FetchOptions,
): Promise<FetchedExtension> {
  const fetched = await fetchTree(source, stage, options);
  checkTree(fetched.directory);
  return fetched;
}

async function fetchTree(source: InstallSource, stage: string, options: FetchOptions): Promise<FetchedExtension> {
  const { signal, environment, onProgress } = options;
  const tree = join(stage, 'tree');
  switch (source.kind) {
    case 'folder':
      await copyTree(source.source, tree, signal);
      return { directory: tree, type: 'local' };
    case 'archive':
      await extractArchive(source.source, archiveFormat(source.source) ?? 'tar.gz', tree, { signal });
      return { directory: lift(tree, stage), type: 'local' };
    case 'download': {
      const format = archiveFormat(new URL(source.url).pathname) ?? 'tar.gz';
      const file = join(stage, `archive.${format}`);
      await downloadFile(source.url, file, { environment, signal, onProgress });
      await extractArchive(file, format, tree, { signal, shown: source.url });
      return { directory: lift(tree, stage), type: 'local' };
    }
    case 'git':
      return clone(source.url, stage, options);
    case 'github': {
      const release = await findUsableRelease(source, options);
      return release ? fetchRelease(release, stage, options) : clone(source.url, stage, options);
    }
  }
}

/** Undefined: clone instead. */
async function findUsableRelease(
  { repository }: Extract<InstallSource, { kind: 'github' }>,
  options: FetchOptions,
): Promise<ReleaseArchive | undefined> {
  const { environment, signal, bases, ref, allowsPreRelease } = options;
  try {
    return await findRelease(repository, {
      ...{ environment, signal, ref, allowsPreRelease },
      api: bases.githubApi,
      token: environment['GITHUB_TOKEN'],
      platform: process.platform,
      architecture: process.arch,
    });
  } catch (error) {
    if (!(error instanceof ExtensionError) || isAbortError(error)) throw error;
    if (await options.confirmClone(error.message)) return undefined;
    throw error;
  }
}

async function fetchRelease(
  { tag, url, format, accept }: ReleaseArchive,
  stage: string,
  { environment, signal, onProgress, bases }: FetchOptions,
): Promise<FetchedExtension> {
  const file = join(stage, `archive.${format}`);
  const tree = join(stage, 'tree');
  const isApi = URL.parse(url)?.origin === URL.parse(bases.githubApi)?.origin;
  const token = isApi ? environment['GITHUB_TOKEN'] : undefined;
  await downloadFile(url, file, { environment, signal, onProgress, accept, token });
  await extractArchive(file, format, tree, { signal, shown: url });
  return { directory: lift(tree, stage), type: 'github-release', releaseTag: tag };
}

async function clone(url: string, stage: string, options: FetchOptions): Promise<FetchedExtension> {
  const { environment, signal, onProgress, ref } = options;
  const tree = join(stage, 'tree');
  const commit = await fetchCommit(url, ref, tree, { ...gitAccess(url, environment), environment, signal, onProgress });
  return { directory: tree, type: 'git', commit };
}

/** The token goes to GitHub only. */
export function gitAccess(url: string, environment: Environment) {
  const token = environment['GITHUB_TOKEN'];
  const isGithub = token && githubRepository(url) && /^https:/i.test(url);
  return {
    allowsFiles: /^file:/i.test(url),
    ...(isGithub && { token: { origin: 'https://github.com', value: token } }),
  };
}

/** An archive may hold one folder with everything in it. */
function lift(tree: string, stage: string): string {
  if (existsSync(join(tree, MANIFEST))) return tree;
  const names = readdirSync(tree).filter((name) => name !== INSTALLATION);
  const [only] = names;
  if (names.length === 1 && only !== undefined && existsSync(join(tree, only, MANIFEST))) {
    const lifted = join(stage, 'lifted');
    renameSync(join(tree, only), lifted);
    return lifted;
  }
  const found =
    names
      .slice(0, 10)
      .map((name) => basename(name))
      .join(', ') || 'nothing';
  throw new ExtensionError(
    `Configuration file not found: the archive has no ${MANIFEST} at its top or in its only folder. Its top holds: ${found}.`,
  );
}
