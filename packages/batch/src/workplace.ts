/**
 * Workplace: the folder a task works in. A worktree of the user's repository, a clone of a repository by its URL, or the folder
 * itself. It knows the commit the task began with, and what the task changed. It survives its worker, and is removed whole.
 */

import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { git, gitPrints } from './git.ts';
import type { GitOptions } from './git.ts';
import { findHead } from './known-base.ts';
import type { Base } from './known-base.ts';
import type { Start } from './starter.ts';
import type { Task } from './task.ts';
import { makeFirst, newRecord, recordOf, unreadyOf } from './worktree-record.ts';

export interface Workplace {
  /** Where the program runs. */
  directory: string;
  /** The top of the checkout. Undefined in the folder itself. */
  top?: string;
  /** The commit the task began with. */
  base?: string;
  /** The repository of a worktree. */
  repository?: string;
  /** Of a worktree that is made when the program starts, with `firstFor`. */
  record?: string;
}

type Where = Omit<GitOptions, 'directory' | 'output'>;

/** Throws GitError, or an Error for a folder that is missing. What an earlier try left at the path is removed. */
export async function makeWorkplace(task: Task, path: string, isInPlace: boolean, where: Where): Promise<Workplace> {
  const { place, ref } = task;
  if (place.kind === 'repository') return cloneInto(place.url, ref, path, where);
  const { folder } = place;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`The folder ${folder} does not exist.`);
  if (isInPlace) return { directory: folder };
  const { repository, prefix, base, isPlain = false } = await baseOf(folder, ref, where);
  if (existsSync(path)) await removeWorkplace({ directory: path, top: path, repository }, where);
  const directory = join(path, prefix);
  makeFolder(dirname(path));
  if (isPlain && where.by?.starter.hasFirst)
    return { directory, top: path, base, repository, record: newRecord(repository) };
  // Forced: a record whose folder is gone does not matter.
  const add = ['worktree', 'add', '--force', '--force', '--detach', '--quiet', path, base];
  await git(add, { ...where, directory: repository, isSilent: true });
  // A folder that git does not know yet is empty in the worktree.
  if (prefix !== '') mkdirSync(directory, { recursive: true });
  return { directory, top: path, base, repository };
}

/** What makes the worktree before the program starts, where that was left to it. */
export function firstFor({ top, directory, record, base }: Workplace, where: Where): Start['first'] {
  return top === undefined || base === undefined || record === undefined
    ? undefined
    : makeFirst({ top, directory, record, base }, where);
}

let lastMade = '';

/** The tasks of a batch have one: it is not asked for a thousand times. */
function makeFolder(path: string): void {
  if (path !== lastMade || !existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  lastMade = path;
}

/** Throws GitError outside a repository, and an Error for a commit that is missing. */
export function baseOf(folder: string, ref: string | undefined, where: Where): Promise<Base> {
  const find = () => findBase(folder, ref ?? 'HEAD', where);
  return ref === undefined ? findHead(folder, find) : find();
}

/** One call for three facts: a process costs more than what it finds out. */
async function findBase(folder: string, ref: string, where: Where): Promise<Base> {
  const words = ['rev-parse', '--show-toplevel', '--show-prefix', `${ref}^{commit}`];
  const missing = () => new Error(`The repository ${folder} has no commit "${ref}".`);
  if (ref.startsWith('-')) throw missing();
  const lines = await git(words, { ...where, directory: folder }).catch((error: unknown) => {
    throw /unknown revision|bad revision/.test(String(error)) ? missing() : error;
  });
  const [repository = '', prefix = '', base = ''] = lines.split('\n');
  return { repository, prefix, base };
}

/** The top of the repository that a folder belongs to. Throws GitError. */
export async function repositoryOf(folder: string, { environment, signal }: Where): Promise<string> {
  return (await git(['rev-parse', '--show-toplevel'], { environment, signal, directory: folder })).trimEnd();
}

async function cloneInto(url: string, ref: string | undefined, path: string, where: Where): Promise<Workplace> {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const above = { ...where, directory: dirname(path) };
  await git(['clone', '--quiet', '--no-checkout', '--no-recurse-submodules', '--', url, path], above);
  const inside = { ...where, directory: path };
  const base = await commitOf(ref ?? 'HEAD', inside).catch(() => commitOf(`origin/${ref}`, inside));
  await git(['checkout', '--quiet', '--detach', base], inside);
  return { directory: path, top: path, base };
}

async function commitOf(ref: string, options: GitOptions): Promise<string> {
  return (
    await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], options).catch(() => {
      throw new Error(`The repository ${options.directory} has no commit "${ref}".`);
    })
  ).trim();
}

export interface Changes {
  files: number;
  added: number;
  removed: number;
}

/** Writes everything the task changed, new files included, as `git apply` takes it. Undefined without a change. */
export async function savePatch({ top, base }: Workplace, path: string, where: Where): Promise<Changes | undefined> {
  if (top === undefined || base === undefined) return undefined;
  const options = { ...where, directory: top };
  // Most tasks that only read end here, after one process.
  const status = ['status', '--porcelain=v2', '--branch', '--untracked-files=all', '--no-ahead-behind'];
  if (await gitPrints(`# branch.oid ${base}\n# branch.head (detached)`, status, options)) return undefined;
  await git(['add', '--all'], { ...options, isSilent: true });
  const plain = ['diff', '--cached', '--no-ext-diff', '--no-textconv', '--no-renames'];
  const rows = (await git([...plain, '--numstat', '-z', base], options)).split('\0').filter(Boolean);
  if (rows.length === 0) return undefined;
  await git([...plain, '--binary', base], { ...options, output: path });
  const counts = rows.map((row) =>
    row
      .split('\t')
      .slice(0, 2)
      .map((field) => Number(field) || 0),
  );
  const sum = (at: number) => counts.reduce((total, each) => total + (each[at] ?? 0), 0);
  return { files: rows.length, added: sum(0), removed: sum(1) };
}

/**
 * Also the record of a worktree in its repository. Never throws; the user's own folder is left alone. Records are not pruned as a whole:
 * that would remove those which another task makes at this moment.
 */
export async function removeWorkplace(workplace: Workplace, where: Where): Promise<void> {
  const { top, repository } = workplace;
  if (top === undefined) return;
  const record = workplace.record ?? (repository === undefined ? undefined : recordOf(top));
  if (repository !== undefined && record === undefined)
    await git(['worktree', 'remove', '--force', '--force', top], { ...where, directory: repository }).catch(() => '');
  // As git does it: the folder, then its record. A git for it would cost more than all the rest.
  const unready = workplace.record === undefined ? [] : [unreadyOf(workplace.record)];
  await removeFolders(record === undefined ? [top] : [top, record, ...unready], where);
  if (record === undefined) return;
  try {
    if (readdirSync(dirname(record)).length === 0) rmdirSync(dirname(record));
  } catch {
    // Another task has removed it, or makes its own record now.
  }
}

/** Takes away the lock of a git that was killed, after every process of the task has ended. The user's own folder is left alone. */
export function unlockWorkplace({ top, record }: Workplace): void {
  if (top === undefined) return;
  rmSync(join(record ?? recordOf(top) ?? join(top, '.git'), 'index.lock'), { force: true });
}

/** By a process of its own where a starter is at hand: a large repository would keep the worker from all its other tasks. */
async function removeFolders(paths: readonly string[], { by, environment }: Where): Promise<void> {
  const start = (words: Start['words']) =>
    by?.starter.start({
      ...{ words, directory: '/', environment, stdout: '/dev/null', stderr: '/dev/null', identity: by.identity },
      isBrief: true,
    }).ended;
  const left = () => paths.filter((path) => existsSync(path));
  if ((await start(['rm', '-rf', '--', ...paths])) === 0) return;
  // Some tools leave folders that may not be written, such as Go its modules.
  await start(['sh', '-c', 'chmod -R u+rwX -- "$@"; rm -rf -- "$@"', 'sh', ...paths]);
  // Also what the process could not remove: this tells why.
  for (const path of left()) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Uncommitted changes that a worktree would not have; empty where there are none or the folder is no repository. */
export async function uncommittedChanges(folder: string, where: Where): Promise<string[]> {
  const status = await git(['status', '--porcelain', '--untracked-files=normal'], {
    ...where,
    directory: folder,
  }).catch(() => '');
  return status
    .split('\n')
    .filter(Boolean)
    .map((line) => relative('', line.slice(3)));
}
