/**
 * Finds what git acts on beside a repository's own files: the folders of submodules and worktrees, the folder of its hooks, and the
 * repositories that its index names, which `git status` enters. It only reads.
 */

import { existsSync, lstatSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import { isWithin } from './hidden-paths.ts';
import { hooksFolderOf } from './git-settings.ts';
import { readPlainBytes, readPlainText } from './read-plain-file.ts';

/** Submodules of submodules, and names with slashes. */
const SUBMODULE_DEPTH = 6;
const MAX_SUBMODULES = 200;

/** The folders that git keeps for the submodules of a repository. */
export function submoduleFolders(git: string): string[] {
  const found: string[] = [];
  let folders = foldersIn(join(git, 'modules'));
  for (let depth = 0; depth < SUBMODULE_DEPTH && found.length < MAX_SUBMODULES; depth++) {
    const own = folders.filter((folder) => existsSync(join(folder, 'HEAD')));
    found.push(...own);
    folders = folders.flatMap((folder) => foldersIn(own.includes(folder) ? join(folder, 'modules') : folder));
  }
  return found.slice(0, MAX_SUBMODULES);
}

/** In each of them, git reads where the repository is, and settings of the worktree. */
export function worktreeFolders(git: string): string[] {
  return foldersIn(join(git, 'worktrees'));
}

/** The folder of hooks that settings of the repository or of the user name; undefined where it is git's own. */
export function namedHooksFolder(folder: string, home: string): string | undefined {
  const files = [join(folder, '.git/config.worktree'), join(folder, '.git/config'), join(home, '.gitconfig')];
  for (const file of [...files, join(home, '.config/git/config')]) {
    const named = hooksFolderOf(readPlainText(file));
    if (named !== undefined) return resolve(folder, named.replace(/^~(?=$|\/)/, home));
  }
  return undefined;
}

/** That of a worktree or a submodule is named by a file. */
function gitFolderOf(folder: string): string {
  const git = join(folder, '.git');
  if (statOf(git)?.isFile() !== true) return git;
  const named = /^gitdir: (.+)$/m.exec(readPlainText(git))?.[1];
  return named === undefined ? git : resolve(folder, named);
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

interface Links {
  mark: string;
  paths: string[];
}

const known = new Map<string, Links>();

/** The repositories inside that the index of a repository names. Read again only when the index has changed. */
export function linkedRepositories(folder: string): string[] {
  const index = join(gitFolderOf(folder), 'index');
  const found = statOf(index);
  if (!found?.isFile()) return [];
  const mark = `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  const earlier = known.get(folder);
  if (earlier?.mark === mark) return earlier.paths;
  const inside = readLinks(index).map((path) => join(folder, path));
  const paths = inside.filter((path) => path !== folder && isWithin(path, folder));
  known.set(folder, { mark, paths });
  return paths;
}

const LINK_MODE = 0o160000;
/** Folders of a sparse index, files, links and repositories. */
const KINDS: ReadonlySet<number> = new Set([0o040000, 0o100000, 0o120000, LINK_MODE]);
/** Of an entry, up to its flags: times, device, inode, mode, owner, size and hash. */
const MODE_AT = 24;
const HASH_AT = 40;
const EXTENDED = 0x4000;

/** The format of gitformat-index(5). An index that cannot be read names none. */
function readLinks(file: string): string[] {
  const bytes = readPlainBytes(file);
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return [];
  // Names by SHA-256 have 32 bytes; which it is, only the settings say.
  return readEntries(bytes, 20) ?? readEntries(bytes, 32) ?? [];
}

function readEntries(bytes: Buffer, hashLength: number): string[] | undefined {
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  const links: string[] = [];
  let at = 12;
  let name: Buffer = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + HASH_AT + hashLength;
    if (flagsAt + 2 >= bytes.length) return undefined;
    const isExtended = version > 2 && (bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) [kept, nameAt] = readLength(bytes, nameAt, name.length);
    const end = bytes.indexOf(0, nameAt);
    if (end < 0 || kept < 0) return undefined;
    const mode = bytes.readUInt32BE(at + MODE_AT);
    if (!KINDS.has(mode & 0o170000)) return undefined;
    if (version === 4) name = Buffer.concat([name.subarray(0, kept), bytes.subarray(nameAt, end)]);
    else name = bytes.subarray(nameAt, end);
    if (mode === LINK_MODE) links.push(name.toString('utf8'));
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
  }
  return links;
}

/** In version 4 a name begins with how many bytes of the name before it are dropped. */
function readLength(bytes: Buffer, from: number, previous: number): [kept: number, next: number] {
  let at = from;
  let byte = bytes[at++] ?? 0;
  let dropped = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes[at++] ?? 0;
    dropped = ((dropped + 1) << 7) | (byte & 0x7f);
  }
  return [previous - dropped, at];
}

function foldersIn(folder: string): string[] {
  try {
    // Behind a link are folders of another place.
    if (statOf(folder)?.isDirectory() !== true) return [];
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}
