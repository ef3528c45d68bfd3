/** What the settings allow to install, and what is written down about an installation. Pure. */

import type { FetchedExtension } from './fetch-extension.ts';
import type { InstallSource } from './install-source.ts';
import type { Installation } from './installation.ts';

/** Restrictions of the user and the administrator. */
export interface SourceRestrictions {
  /** `security.allowedExtensions`. */
  readonly allowedExtensions: readonly string[];
  /** `security.blockGitExtensions`. */
  readonly blocksGit: boolean;
}

export function isRemote({ kind }: InstallSource): boolean {
  return kind !== 'folder' && kind !== 'archive';
}

/** A sentence where the settings forbid a source. The list of allowed sources replaces the other setting. */
export function refusalOf(
  source: string,
  isFromNetwork: boolean,
  { allowedExtensions, blocksGit }: SourceRestrictions,
): string | undefined {
  if (allowedExtensions.length > 0) {
    const isAllowed = allowedExtensions.some((pattern) => matches(pattern, source));
    return isAllowed
      ? undefined
      : `Installing extension from source "${source}" is not allowed by the "allowedExtensions" security setting.`;
  }
  return blocksGit && isFromNetwork
    ? 'Installing extensions from remote sources is disallowed by your current settings.'
    : undefined;
}

/** An invalid pattern allows nothing. */
function matches(pattern: string, source: string): boolean {
  try {
    return new RegExp(pattern).test(source);
  } catch {
    return false;
  }
}

export function installationOf(
  source: InstallSource,
  { type, releaseTag }: FetchedExtension,
  { ref, autoUpdate, allowPreRelease }: Pick<Installation, 'ref' | 'autoUpdate' | 'allowPreRelease'>,
): Installation {
  return {
    source: source.source,
    type,
    ...(releaseTag !== undefined && { releaseTag }),
    ...(ref !== undefined && { ref }),
    ...(autoUpdate === true && { autoUpdate }),
    ...(allowPreRelease === true && { allowPreRelease }),
  };
}

export function sourceLine(installation: Installation | undefined): string[] {
  if (!installation) return ['Source: unknown'];
  const { source, type, ref, releaseTag } = installation;
  const version = releaseTag ?? ref;
  return [`Source: ${source} (Type: ${type}${version === undefined ? '' : `, ${version}`})`];
}
