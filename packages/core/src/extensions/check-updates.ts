/** Asks the sources of installed extensions for newer versions, as Gemini CLI does. Changes nothing. */

import { getErrorMessage } from '../protocol/errors.ts';
import { gitAccess } from './fetch-extension.ts';
import { localCommit, remoteCommit } from './fetch-git.ts';
import { findRelease } from './github-release.ts';
import { parseInstallSource } from './install-source.ts';
import type { SourceBases } from './install-source.ts';
import type { Extension } from './load-extensions.ts';
import { readManifest } from './manifest.ts';
import type { Environment } from './run-git.ts';

export type UpdateState = 'update available' | 'up to date' | 'not updatable' | 'error';

export interface UpdateCheck {
  readonly state: UpdateState;
  /** Why the check failed. */
  readonly problem?: string;
}

export interface CheckOptions {
  readonly home: string;
  readonly cwd: string;
  readonly environment: Environment;
  readonly bases: SourceBases;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 30_000;

/** Never throws, but for an abort. */
export async function checkForUpdate(extension: Extension, options: CheckOptions): Promise<UpdateCheck> {
  const { installation } = extension;
  if (!installation || installation.type === 'link') return { state: 'not updatable' };
  if (extension.manifest.migratedTo !== undefined) return { state: 'update available' };
  try {
    const isNew = await hasNews(extension, options);
    return { state: isNew ? 'update available' : 'up to date' };
  } catch (error) {
    options.signal.throwIfAborted();
    return { state: 'error', problem: getErrorMessage(error) };
  }
}

async function hasNews({ installation, manifest, record, directory }: Extension, options: CheckOptions) {
  const { environment, signal, bases } = options;
  const { type, source: text, ref, releaseTag, allowPreRelease = false } = installation!;
  const source = parseInstallSource(text, options);
  if (source.kind === 'folder') return readManifest(source.source, options.cwd).version !== manifest.version;
  if (type === 'github-release' && source.kind === 'github') {
    // A release that was installed by its tag stays.
    if (ref !== undefined) return false;
    const release = await findRelease(source.repository, {
      ...{ environment, signal, api: bases.githubApi, allowsPreRelease: allowPreRelease },
      ...{ platform: process.platform, architecture: process.arch, token: environment['GITHUB_TOKEN'] },
    });
    return release !== undefined && release.tag !== releaseTag;
  }
  if (source.kind !== 'git' && source.kind !== 'github') return false;
  const { url } = source;
  const git = { ...gitAccess(url, environment), environment, signal, limitMs: LIMIT_MS };
  const [installed, offered] = [record?.commit ?? localCommit(directory), await remoteCommit(url, ref, git)];
  return offered !== undefined && offered !== installed;
}
