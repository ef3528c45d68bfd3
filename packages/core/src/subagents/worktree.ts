/**
 * Worktree: a copy of the project for one run, made by `git worktree` from the working tree as it is now, with what is
 * not committed. It tells what the run changed, and is removed at the end; what a killed process left is removed by the
 * next one, which keeps the changes as a patch.
 */

import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findProjectDirectories } from '../config/project-registry.ts';
import { getErrorMessage, ToolError } from '../protocol/errors.ts';
import { acquireLock } from '../records/session-lock.ts';
import type { SessionLock } from '../records/session-lock.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { askGit, runGit } from './git.ts';
import type { GitOptions } from './git.ts';

export interface WorktreeOptions extends Pick<GitOptions, 'environment' | 'signal'> {
  /** The folder the session works in. */
  root: string;
  /** Holds the worktrees. */
  folder: string;
  id: string;
}

/** A file that the run changed. */
export interface ChangedFile {
  /** In the worktree, and the same in the project. */
  path: string;
  target: string;
  kind: 'added' | 'modified' | 'deleted';
  /** Null where there is none. */
  base: Buffer | null;
  fresh: Buffer | null;
  /** Set for what an edit cannot express: links, submodules. */
  isSpecial: boolean;
  /** Set where the run made a file executable, or no longer so. */
  executable?: 'added' | 'removed';
}

const NULL_MODE = '000000';
const PLAIN_MODES: ReadonlySet<string> = new Set(['100644', '100755', NULL_MODE]);
const WHEN_CLOSING = () => AbortSignal.timeout(60_000);

export class Worktree {
  /** The folder in it that corresponds to the session's. */
  readonly root: string;
  private readonly path: string;
  private readonly project: string;
  private readonly base: string;
  private readonly lock: SessionLock;
  private readonly options: WorktreeOptions;

  private constructor(
    options: WorktreeOptions,
    made: { path: string; project: string; base: string; lock: SessionLock },
  ) {
    this.options = options;
    this.path = made.path;
    this.project = made.project;
    this.base = made.base;
    this.lock = made.lock;
    this.root = join(made.path, relative(made.project, realpathSync(options.root)));
  }

  /** Throws ToolError where there is no repository with a commit. */
  static async create(options: WorktreeOptions): Promise<Worktree> {
    const { root, folder, id } = options;
    const git = (directory: string) => ({ ...options, directory });
    const project = await askGit(['rev-parse', '--show-toplevel'], git(root)).catch((error: unknown) => {
      throw new ToolError(`Isolation needs a git repository: ${getErrorMessage(error)}`, 'execution_failed');
    });
    await askGit(['rev-parse', '--verify', 'HEAD'], git(root)).catch(() => {
      throw new ToolError('Isolation needs a repository with at least one commit.', 'execution_failed');
    });
    makeDirectory(folder);
    const path = join(folder, id);
    const lock = acquireLock(path);
    if (!('release' in lock)) throw new ToolError(`The worktree ${path} is in use.`, 'execution_failed');
    try {
      // A killed process left it: what it wrote is kept for the run that goes on.
      if (existsSync(path)) await clearAway(path, git(project));
      const base = await commitWorkingTree(project, `${path}.index`, options);
      await runGit(['worktree', 'add', '--detach', '--quiet', path, base], git(project));
      return new Worktree(options, { path, project, base, lock });
    } catch (error) {
      await removeWorktree(path, { ...git(project), signal: WHEN_CLOSING() });
      lock.release();
      throw error;
    }
  }

  /** Everything the run changed, except ignored files. */
  async changes(): Promise<ChangedFile[]> {
    const options = { ...this.options, directory: this.path };
    await runGit(['add', '--all'], options);
    const raw = await askRaw(
      ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', this.base],
      options,
    );
    return Promise.all(raw.map((entry) => this.toChange(entry, options)));
  }

  /** The whole change as `git apply` takes it; empty without one. */
  async patch(): Promise<Buffer> {
    return patchOf(this.base, { ...this.options, directory: this.path, signal: WHEN_CLOSING() });
  }

  /** Puts what an earlier run left as a patch back; false where it does not fit the project as it is now. */
  async restore(patchFile: string): Promise<boolean> {
    if (!existsSync(patchFile)) return true;
    const options = { ...this.options, directory: this.path };
    try {
      await runGit(['apply', '--3way', '--whitespace=nowarn', patchFile], options);
      // From here on the worktree holds it, as the patch of this run will.
      rmSync(patchFile);
      return true;
    } catch (error) {
      if (this.options.signal.aborted) throw error;
      await runGit(['reset', '--hard', '--quiet'], options);
      return false;
    }
  }

  /** The merge of a change into a file that has changed too; undefined on a conflict. */
  async merge(current: Buffer, { base, fresh }: ChangedFile): Promise<Buffer | undefined> {
    const names = ['current', 'base', 'fresh'].map((name) => `${this.path}.${name}`);
    try {
      for (const [index, content] of [current, base, fresh].entries())
        writeFileSync(names[index]!, content ?? '', { mode: 0o600 });
      const accepts = (code: number | null) => code !== null && code >= 0 && code < 128;
      const options = { ...this.options, directory: this.project, accepts };
      const { output, code } = await runGit(['merge-file', '-p', ...names], options);
      return code === 0 ? output : undefined;
    } finally {
      for (const name of names) rmSync(name, { force: true });
    }
  }

  /** Never throws. */
  async remove(): Promise<void> {
    await removeWorktree(this.path, { ...this.options, directory: this.project, signal: WHEN_CLOSING() });
    this.lock.release();
  }

  private async toChange({ path, status, modes, blobs }: RawEntry, options: GitOptions): Promise<ChangedFile> {
    const kind = status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified';
    const isSpecial = modes.some((mode) => !PLAIN_MODES.has(mode));
    const target = join(this.project, path);
    if (isSpecial) return { path, target, kind, base: null, fresh: null, isSpecial };
    const base = kind === 'added' ? null : (await runGit(['cat-file', 'blob', blobs[0]], options)).output;
    const fresh = kind === 'deleted' ? null : await readFile(join(this.path, path));
    const [was, is] = modes.map((mode) => mode === '100755');
    const executable = kind === 'deleted' || was === is ? {} : ({ executable: is ? 'added' : 'removed' } as const);
    return { path, target, kind, base, fresh, isSpecial, ...executable };
  }
}

interface RawEntry {
  path: string;
  status: string;
  modes: [string, string];
  blobs: [string, string];
}

async function askRaw(args: readonly string[], options: GitOptions): Promise<RawEntry[]> {
  const fields = (await runGit(args, options)).output.toString('utf8').split('\0');
  const entries: RawEntry[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [before = '', after = '', one = '', other = '', status = ''] = fields[index]!.replace(/^:/, '').split(' ');
    entries.push({ path: fields[index + 1]!, status: status[0] ?? 'M', modes: [before, after], blobs: [one, other] });
  }
  return entries;
}

/** A commit of the working tree as it is, with new files, through an index of its own: nothing of the user's changes. */
async function commitWorkingTree(project: string, index: string, options: WorktreeOptions): Promise<string> {
  const git = { ...options, directory: project };
  const own = await askGit(['rev-parse', '--git-path', 'index'], git);
  const existing = join(project, own);
  // What git knows about unchanged files stays known: a large project is not read again.
  for (const path of [own, existing]) if (existsSync(path)) writeFileSync(index, readFileSync(path), { mode: 0o600 });
  try {
    const indexed = { ...git, variables: { GIT_INDEX_FILE: index } };
    await runGit(['add', '--all'], indexed);
    const tree = await askGit(['write-tree'], indexed);
    return await askGit(['commit-tree', tree, '-p', 'HEAD', '-m', `The working tree before ${options.id}`], git);
  } finally {
    rmSync(index, { force: true });
  }
}

/** In the folder of the options, which must be the top of a worktree. */
async function patchOf(base: string, options: GitOptions): Promise<Buffer> {
  // Anywhere else git would find the repository around it.
  const top = await askGit(['rev-parse', '--show-toplevel'], options);
  if (top !== realpathSync(options.directory)) throw new Error(`${options.directory} is not a worktree.`);
  await runGit(['add', '--all'], options);
  const { output } = await runGit(['diff', '--cached', '--binary', '--no-ext-diff', '--no-textconv', base], options);
  return output;
}

/** Also the record of it in the repository. Never throws. */
async function removeWorktree(path: string, options: GitOptions): Promise<void> {
  await runGit(['worktree', 'remove', '--force', '--force', path], options).catch(() => undefined);
  rmSync(path, { recursive: true, force: true });
  await runGit(['worktree', 'prune'], options).catch(() => undefined);
}

export interface LeftWorktree {
  id: string;
  /** The changes, where there were any. */
  patch?: string;
}

export interface SweepOptions {
  home: string;
  root: string;
  /** For PATH and HOME. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Removes the worktrees of processes that were killed, and keeps their changes as patches. Never throws. */
export async function sweepWorktrees({ home, root, environment: given }: SweepOptions): Promise<LeftWorktree[]> {
  const { PATH = '', HOME = '' } = given;
  const environment = { PATH, HOME };
  const left: LeftWorktree[] = [];
  for (const directory of findProjectDirectories(home, root))
    left.push(...(await sweepFolder(join(directory, 'worktrees'), { root, environment })));
  return left;
}

async function sweepFolder(
  folder: string,
  { root, environment }: { root: string; environment: Readonly<Record<string, string>> },
): Promise<LeftWorktree[]> {
  const left: LeftWorktree[] = [];
  for (const id of namesIn(folder)) {
    const path = join(folder, id);
    const lock = acquireLock(path);
    if (!('release' in lock)) continue;
    const patch = await clearAway(path, { environment, signal: WHEN_CLOSING(), directory: root });
    lock.release();
    left.push({ id, ...(patch !== undefined && { patch }) });
  }
  return left;
}

/** Removes a worktree that no process uses, and returns the patch of its changes, where there are any. */
async function clearAway(path: string, options: GitOptions): Promise<string | undefined> {
  const patch = await patchOf('HEAD', { ...options, directory: path }).catch(() => undefined);
  const kept = patch && patch.length > 0 ? patchFileOf(path) : undefined;
  if (kept !== undefined) writeFileSync(kept, patch!, { mode: 0o600 });
  await removeWorktree(path, options);
  return kept;
}

/** Where the changes of a worktree are kept. */
export const patchFileOf = (path: string): string => `${path}.patch`;

/** The folders; the files beside them are locks and patches. */
function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    // No run was ever isolated.
    return [];
  }
}
