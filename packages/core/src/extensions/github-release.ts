/** Finds the release of a GitHub repository and the archive in it for this machine, by the rules of Gemini CLI. */

import { isRecord } from '../util/is-record.ts';
import { fetchDocument } from './download.ts';
import type { DownloadOptions } from './download.ts';
import { archiveFormat } from './extract-archive.ts';
import { ExtensionError } from './extension-error.ts';
import type { GithubRepository } from './installation.ts';

export interface ReleaseArchive {
  readonly tag: string;
  readonly url: string;
  readonly format: 'tar.gz' | 'zip';
  /** An asset's address answers with the file only to this type. */
  readonly accept: string;
}

export interface ReleaseQuestion extends DownloadOptions {
  /** The address of GitHub's API. */
  readonly api: string;
  readonly ref?: string | undefined;
  readonly allowsPreRelease: boolean;
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
}

const DOCUMENT = 'application/vnd.github+json';
const PLATFORM_NAMES = ['darwin', 'linux', 'win32'];

/** Undefined where the repository has no release at all. Throws an ExtensionError for every other failure. */
export async function findRelease(
  repository: GithubRepository,
  question: ReleaseQuestion,
): Promise<ReleaseArchive | undefined> {
  const release = await findDocument(repository, question);
  return release && chooseArchive(release, question);
}

async function findDocument(
  { owner, repo }: GithubRepository,
  question: ReleaseQuestion,
): Promise<Record<string, unknown> | undefined> {
  const { api, ref, allowsPreRelease } = question;
  const base = `${api}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/releases`;
  if (ref !== undefined) {
    const found = await ask(`${base}/tags/${encodeURIComponent(ref)}`, question);
    if (!isRecord(found)) throw new ExtensionError(`${owner}/${repo} has no release ${ref}.`);
    return found;
  }
  const latest = allowsPreRelease ? undefined : await ask(`${base}/latest`, question);
  if (isRecord(latest)) return latest;
  const all = await ask(`${base}?per_page=1`, question);
  const first: unknown = Array.isArray(all) ? all[0] : undefined;
  return isRecord(first) ? first : undefined;
}

/** Undefined for 404. */
async function ask(url: string, options: DownloadOptions): Promise<unknown> {
  const { status, text } = await fetchDocument(url, { ...options, accept: DOCUMENT });
  if (status === 404) return undefined;
  const isLimited = status === 403 || status === 429;
  const hint = isLimited ? ' Set GITHUB_TOKEN, because GitHub limits requests without one.' : '';
  if (status !== 200) throw new ExtensionError(`${url} answered ${status}.${hint}`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ExtensionError(`${url} answered with invalid JSON.`, { cause: error });
  }
}

function chooseArchive(release: Record<string, unknown>, { platform, architecture }: ReleaseQuestion): ReleaseArchive {
  const { tag_name: tag, assets, tarball_url: tarball, zipball_url: zipball } = release;
  if (typeof tag !== 'string') throw new ExtensionError('The release has no tag.');
  const listed = Array.isArray(assets) ? assets.filter(isRecord) : [];
  const archives = listed.flatMap(({ name, url, browser_download_url: direct }) => {
    const address = typeof url === 'string' ? url : direct;
    return typeof name === 'string' && typeof address === 'string' ? [{ name: name.toLowerCase(), address }] : [];
  });
  const starting = (prefix: string) => archives.find(({ name }) => name.startsWith(prefix));
  const only = archives.length === 1 && !PLATFORM_NAMES.some((each) => archives[0]?.name.includes(each));
  const chosen =
    starting(`${platform}.${architecture}.`) ?? starting(`${platform}.`) ?? (only ? archives[0] : undefined);
  if (chosen) {
    const format = archiveFormat(chosen.name);
    if (!format) throw new ExtensionError(`The release ${tag} has ${chosen.name}, which is neither .tar.gz nor .zip.`);
    return { tag, url: chosen.address, format, accept: 'application/octet-stream' };
  }
  if (typeof tarball === 'string') return { tag, url: tarball, format: 'tar.gz', accept: DOCUMENT };
  if (typeof zipball === 'string') return { tag, url: zipball, format: 'zip', accept: DOCUMENT };
  throw new ExtensionError(`The release ${tag} has no archive for ${platform} ${architecture}.`);
}
