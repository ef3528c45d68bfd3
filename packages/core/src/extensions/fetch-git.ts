/** Fetches one commit of a git repository into a new folder, and asks a repository for the commit of a name. */

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { admitUrl, OutgoingError } from '../util/outgoing.ts';
import { ExtensionError } from './extension-error.ts';
import { runGit } from './run-git.ts';
import type { GitOptions } from './run-git.ts';

/** Resolves with the commit. The repository's own configuration is the one `git init` writes. */
export async function fetchCommit(
  url: string,
  ref: string | undefined,
  directory: string,
  options: GitOptions,
): Promise<string> {
  const wanted = checkedRef(ref);
  const address = checkedAddress(url);
  admit(address);
  mkdirSync(directory, { mode: 0o755 });
  const within = ['-C', directory];
  await runGit(['init', '--quiet', '--template=', '--', directory], options);
  await runGit([...within, 'remote', 'add', '--', 'origin', address], options);
  const limits = ['--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-commit-graph'];
  await runGit([...within, 'fetch', '--progress', ...limits, '--', 'origin', wanted], options);
  await runGit([...within, 'checkout', '--quiet', '--detach', '--force', 'FETCH_HEAD'], options);
  return (await runGit([...within, 'rev-parse', 'HEAD'], options)).trim();
}

/** Undefined where the repository does not have the name. */
export async function remoteCommit(
  url: string,
  ref: string | undefined,
  options: GitOptions,
): Promise<string | undefined> {
  const wanted = checkedRef(ref);
  const address = checkedAddress(url);
  admit(address);
  const answer = await runGit(['ls-remote', '--exit-code', '--', address, wanted, `${wanted}^{}`], options);
  const lines = answer.split('\n').filter((line) => line !== '');
  // A tag with a message has a second line with the commit it names.
  const line = lines.find((each) => each.endsWith('^{}')) ?? lines[0];
  return line?.split(/\s/)[0];
}

/** The commit of a clone with a detached head, as installations are. Runs nothing. */
export function localCommit(directory: string): string | undefined {
  try {
    const head = readFileSync(join(directory, '.git', 'HEAD'), 'utf8').trim();
    if (/^[0-9a-f]{40,64}$/.test(head)) return head;
    const name = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
    return name === undefined ? undefined : readFileSync(join(directory, '.git', name), 'utf8').trim();
  } catch {
    // No clone, or one whose refs are packed.
    return undefined;
  }
}

function checkedRef(ref: string = 'HEAD'): string {
  if (/^[\w][\w./@+-]*$/.test(ref) && !ref.includes('..')) return ref;
  throw new ExtensionError(`Invalid ref ${JSON.stringify(ref)}. Name a branch, a tag or a commit.`);
}

/** Addresses with another scheme, such as `ext::`, start programs. */
function checkedAddress(url: string): string {
  const isKnown = /^(?:https?|ssh|file):\/\/[^-]/i.test(url) || /^(?!-)[\w.-]+@(?!-)[\w.-]+:[^-:]/.test(url);
  if (isKnown && !/[\0-\x20]/.test(url)) return url;
  throw new ExtensionError(`Invalid address of a git repository: ${JSON.stringify(url)}. Use https:// or ssh.`);
}

/** A short address of ssh, `user@host:path`, has no port. */
function admit(address: string): void {
  const [, host] = /^[\w.-]+@([\w.-]+):/.exec(address) ?? [];
  const url = new URL(host === undefined ? address : `ssh://${host}:22`);
  if (url.protocol === 'file:') return;
  if (url.protocol === 'ssh:' && url.port === '') url.port = '22';
  try {
    admitUrl(url, 'extension install');
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw new ExtensionError(error.message, { cause: error });
  }
}
