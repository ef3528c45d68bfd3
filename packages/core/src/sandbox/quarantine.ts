/**
 * Quarantine: finds protected files that a command planted where no mount could protect them, and moves them away before
 * any program loads them. Every moved file is kept and named.
 */

import { cpSync, lstatSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { submoduleFolders, worktreeFolders } from './git-folders.ts';
import { isHarmlessGitSettings } from './git-settings.ts';
import { linkAbove, linksAbove } from './link-above.ts';
import { PROTECTED_IN_GIT } from './protected-names.ts';
import { readPlainText } from './read-plain-file.ts';

export interface Quarantined {
  path: string;
  movedTo: string;
}

export class Quarantine {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** What is there before a command: undefined for absent, else a text that changes with the entry. */
  static look(paths: readonly string[]): Map<string, string | undefined> {
    const find = linksAbove();
    return new Map(paths.map((path) => [path, markOf(path, find)]));
  }

  static hasChanged(before: ReadonlyMap<string, string | undefined>): boolean {
    const find = linksAbove();
    return [...before].some(([path, mark]) => markOf(path, find) !== mark);
  }

  /** Moves away what appeared or changed; links get their old target back, and pointers of git their text. */
  check(before: ReadonlyMap<string, string | undefined>): Quarantined[] {
    const moved: Quarantined[] = [];
    const now = Quarantine.look([...before.keys()]);
    for (const [path, mark] of before) {
      // What was moved or given back for an earlier path may be all that changed here.
      if (now.get(path) === mark || markOf(path, linkAbove) === mark) continue;
      // Behind a link is a file of another place: the link is what was planted.
      const link = linkAbove(path);
      const planted = link === undefined ? (mark === undefined ? harmfulPartsOf(path) : [path]) : [link];
      for (const each of planted) moved.push(...this.move(each));
      if (mark !== undefined) restore(path, mark);
    }
    return moved;
  }

  /** The same for repositories that were not there before. */
  checkNew(repositories: readonly string[]): Quarantined[] {
    const parts = repositories.flatMap((folder) => harmfulPartsOf(join(folder, '.git')));
    return parts.flatMap((path) => this.move(path));
  }

  private move(planted: string): Quarantined[] {
    // Behind a link is a file of another place, which stays there.
    const path = linkAbove(planted) ?? planted;
    if (!lstatSync(path, { throwIfNoEntry: false })) return [];
    const name = `${builtin.crypto.randomUUID().slice(0, 8)}-${basename(path)}`;
    const movedTo = join(this.directory, name);
    // Where it cannot be kept elsewhere, it stays beside its place under a name that no program looks for.
    const beside = `${path}.quarantined-${name.slice(0, 8)}`;
    const ways: [to: string, move: () => void][] = [
      [movedTo, () => renameSync(path, movedTo)],
      [movedTo, () => moveToOtherDisk(path, movedTo)],
      [beside, () => renameSync(path, beside)],
    ];
    try {
      makeDirectory(this.directory);
    } catch {
      // The last way needs no directory.
    }
    for (const [to, move] of ways) {
      try {
        move();
        return [{ path, movedTo: to }];
      } catch {
        // The next way is tried.
      }
    }
    return [];
  }
}

/** Nothing is left of what could not be copied: a pipe, a socket. */
function moveToOtherDisk(path: string, to: string): void {
  try {
    cpSync(path, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false });
  } catch (error) {
    rmSync(to, { recursive: true, force: true });
    throw error;
  }
  rmSync(path, { recursive: true });
}

function markOf(path: string, find: typeof linkAbove): string | undefined {
  const link = find(path);
  if (link !== undefined) return `behind ${link} ${readlinkSync(link)}`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isSymbolicLink()) return `${LINK}${readlinkSync(path)}`;
  if (isPointer(path) && found.isFile()) return `${TEXT}${readPlainText(path)}`;
  // A command can set the time of a change back, but not that of the entry.
  return `${found.ino} ${found.ctimeMs} ${found.size}`;
}

const LINK = 'link ';
const TEXT = 'text ';

/** Where a worktree says which repository is its own. */
function isPointer(path: string): boolean {
  return basename(path) === 'commondir';
}

/** A repository that `git init` makes is fine, unless it runs something. */
function harmfulPartsOf(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  const name = basename(path);
  if (name === '.git' && found.isDirectory()) return harmfulPartsOfRepository(path);
  if (name === 'hooks' && found.isDirectory()) {
    const files = readdirSync(path).filter((file) => !file.endsWith('.sample'));
    return files.map((file) => join(path, file));
  }
  if (name === 'config' || name === 'config.worktree') return isHarmlessFile(path) ? [] : [path];
  return [path];
}

function harmfulPartsOfRepository(git: string): string[] {
  const submodules = submoduleFolders(git);
  const parts = [git, ...submodules].flatMap((folder) =>
    PROTECTED_IN_GIT.map((part) => join(folder, part)).filter(
      (path) => !(submodules.includes(folder) && basename(path) === 'config' && isHarmlessFile(path, true)),
    ),
  );
  // That of a worktree which git made says "two folders above".
  const pointers = worktreeFolders(git)
    .map((folder) => join(folder, 'commondir'))
    .filter((path) => readPlainText(path).trim() !== '../..');
  return [...parts, ...pointers].flatMap((path) => harmfulPartsOf(path));
}

const MAX_SETTINGS = 1_000_000;

function isHarmlessFile(path: string, isSubmodule = false): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size >= MAX_SETTINGS) return false;
  return isHarmlessGitSettings(readPlainText(path), isSubmodule);
}

function restore(path: string, mark: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) return;
    if (mark.startsWith(LINK)) symlinkSync(mark.slice(LINK.length), path);
    else if (mark.startsWith(TEXT)) writeFileSync(path, mark.slice(TEXT.length), { flag: 'wx' });
  } catch {
    // The folder is gone; so is the danger.
  }
}
