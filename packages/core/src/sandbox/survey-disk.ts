/**
 * Looks at the disk for a plan: which hidden, cached and protected paths exist, as real paths; what a mount cannot protect
 * is listed to be compared after each command. It only reads, and creates missing caches.
 */

import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import { cacheFolders, cachesToCreate } from './cache-folders.ts';
import { hiddenPaths, isWithin } from './hidden-paths.ts';
import { linkAbove } from './link-above.ts';
import { isMaskable, maskSettings } from './mask-settings.ts';
import { PROTECTED_IN_GIT, PROTECTED_NAMES, WRITTEN_BY_WORKTREES } from './protected-names.ts';
import type { PathFact, SandboxFacts } from './sandbox-plan.ts';

export interface SurveyRequest {
  home: string;
  roots: readonly string[];
  writable?: readonly string[] | undefined;
  readable?: readonly string[] | undefined;
  /** Folders inside hidden ones that commands need, such as that of the wrapper of git. */
  needed?: readonly string[] | undefined;
  temporary: string;
  emptyFile: string;
  /** Keeps a text for commands, and returns the file. */
  keep?: ((text: string) => string) | undefined;
}

export interface Survey {
  facts: SandboxFacts;
  /** Protected paths that are absent or links, or too many to be mounted. */
  watched: readonly string[];
  /** Whether repositories inside the workspace were not all looked for, because it has too many folders. */
  isCutShort: boolean;
}

/** Repositories inside the workspace are looked for this deep, and in this many folders. */
const REPOSITORY_DEPTH = 4;
const MAX_FOLDERS = 5000;
/** Each costs every command four mounts or more. Further ones are compared after each command. */
const MAX_MOUNTED = 100;
const SOCKET_DEPTH = 3;
const MAX_SOCKET_FOLDERS = 400;
const UNSEARCHED = new Set(['node_modules', '.git', '.venv', 'venv', 'target', 'dist', '.next', '__pycache__']);

export function surveyDisk(request: SurveyRequest): Survey {
  const home = realPath(request.home) ?? request.home;
  const roots = request.roots.flatMap((root) => realPath(root) ?? []);
  const { repositories, isCutShort } = findRepositories(roots);
  const protectedPaths: string[] = [];
  const watched: string[] = [];
  const mounted = new Set([...roots, ...repositories.slice(0, MAX_MOUNTED)]);
  const sort = (path: string, canMount = true) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    // A mount below a link would open or cover what the link leads to.
    const isReal = canMount && linkAbove(path) === undefined;
    if (isReal && (found?.isFile() || found?.isDirectory())) protectedPaths.push(path);
    else watched.push(path);
  };
  const repository: string[] = [];
  for (const root of roots) for (const name of PROTECTED_NAMES) sort(join(root, name));
  for (const folder of new Set([...roots, ...repositories])) {
    const git = join(folder, '.git');
    const found = lstatSync(git, { throwIfNoEntry: false });
    if (found?.isDirectory()) for (const name of PROTECTED_IN_GIT) sort(join(git, name), mounted.has(folder));
    else sort(git, mounted.has(folder));
    if (found?.isFile()) repository.push(...partsOfRepository(folder, git));
  }
  createCaches(home);
  return {
    facts: {
      home,
      roots,
      writable: (request.writable ?? []).flatMap((path) => realPath(path) ?? []),
      readable: [...(request.readable ?? []), ...(request.needed ?? []), ...SYSTEM_NEEDED].flatMap(
        (path) => realPath(path) ?? [],
      ),
      hidden: [...findHidden(hiddenPaths(home), home, request.keep), ...findSockets(home)],
      caches: cacheFolders(home).flatMap((path) => (isFolder(path) ? (realPath(path) ?? []) : [])),
      protectedPaths,
      repository,
      temporary: request.temporary,
      emptyFile: request.emptyFile,
    },
    watched,
    isCutShort,
  };
}

/** Some systems keep their programs below /run. */
const SYSTEM_NEEDED = ['/run/current-system', '/run/opengl-driver'];

function findHidden(paths: readonly string[], home: string, keep: SurveyRequest['keep']): PathFact[] {
  return paths.flatMap((path): PathFact[] => {
    const real = realPath(path);
    if (real === undefined) return [];
    if (isFolder(real)) return [{ path: real, isFolder: true }];
    // The system hides its own files from all users but root, and each mount costs every command.
    if (!isWithin(real, home) && !isReadable(real)) return [];
    const text = keep && isMaskable(path) ? readSettings(real) : undefined;
    return [{ path: real, isFolder: false, ...(text !== undefined && { mask: keep?.(maskSettings(text)) }) }];
  });
}

const MAX_SETTINGS = 100_000;

function readSettings(path: string): string | undefined {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size < MAX_SETTINGS ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** A socket in the home folder (of an agent, of a database, of containers) is reachable through a read-only mount. */
function findSockets(home: string): PathFact[] {
  const found: PathFact[] = [];
  let folders = [home];
  let visited = 0;
  for (let depth = 0; depth < SOCKET_DEPTH; depth++) {
    const next: string[] = [];
    for (const folder of folders) {
      if (++visited > MAX_SOCKET_FOLDERS) return found;
      for (const entry of entriesOf(folder)) {
        if (entry.isSocket()) found.push({ path: join(folder, entry.name), isFolder: false });
        else if (entry.isDirectory() && entry.name.startsWith('.') && depth === 0) next.push(join(folder, entry.name));
        else if (entry.isDirectory() && depth > 0 && !UNSEARCHED.has(entry.name)) next.push(join(folder, entry.name));
      }
    }
    folders = next;
  }
  return found;
}

function findRepositories(roots: readonly string[]): { repositories: string[]; isCutShort: boolean } {
  const repositories: string[] = [];
  let folders = [...roots];
  let visited = 0;
  for (let depth = 0; depth < REPOSITORY_DEPTH; depth++) {
    const next: string[] = [];
    for (const folder of folders) {
      if (++visited > MAX_FOLDERS) return { repositories, isCutShort: true };
      const entries = entriesOf(folder);
      if (depth > 0 && entries.some(({ name }) => name === '.git')) repositories.push(folder);
      for (const entry of entries)
        if (entry.isDirectory() && !UNSEARCHED.has(entry.name)) next.push(join(folder, entry.name));
    }
    folders = next;
  }
  return { repositories, isCutShort: false };
}

/**
 * A worktree's `.git` names a folder of its repository. Only if that folder names the worktree in turn are parts of the
 * repository writable: the file could point anywhere.
 */
function partsOfRepository(worktree: string, gitFile: string): string[] {
  const pointer = /^gitdir: (.+)$/m.exec(readText(gitFile))?.[1];
  if (pointer === undefined) return [];
  const own = realPath(resolve(worktree, pointer));
  if (own === undefined) return [];
  const back = readText(join(own, 'gitdir')).trim();
  if (back === '' || realPath(resolve(own, back)) !== realPath(gitFile)) return [];
  const common = realPath(resolve(own, readText(join(own, 'commondir')).trim() || '../..'));
  if (common === undefined || !isWithin(own, common) || dirname(dirname(own)) !== common) return [];
  return [own, ...WRITTEN_BY_WORKTREES.map((name) => join(common, name))].filter(isFolder);
}

function createCaches(home: string): void {
  for (const path of cachesToCreate(home)) {
    try {
      // Only below a folder that is there: a user gets no folder of an unused tool, except the cache of pip.
      if (isFolder(dirname(path)) || path.endsWith('/.npm')) makeDirectory(path);
    } catch {
      // A read-only home has no caches.
    }
  }
}

export function realPath(path: string): string | undefined {
  try {
    return isAbsolute(path) ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
