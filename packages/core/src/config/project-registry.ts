/**
 * Maps a project's root to its folder under `~/.gemini/tmp`. `projects.json` holds the
 * short names, shared with Gemini CLI; a marker in each folder repeats the root, so that
 * either can be lost. Names are assigned under a lock both programs respect. On a read-only
 * home, a project gets a name without a registry, and so does the folder of a task.
 */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { replaceFile } from '../util/replace-file.ts';
import { sha256 } from '../util/sha256.ts';
import { lockFolder } from './folder-lock.ts';
import { projectTempDirectory, userDirectory } from './paths.ts';

export interface ProjectFolderOptions {
  home: string;
  root: string;
  clock?: Clock;
}

const MARKER = '.project_root';
/** Folders of `tmp` that do not belong to a project. */
const RESERVED = ['bin', 'background-processes'];
/** Of `castor batch`: they come and go by the thousand, so each has a marker, but no line in the registry. */
const TASK_FOLDER = /[\\/]castor[\\/](batch|worker)[\\/][^\\/]+[\\/]work[\\/]/;

/** The project's own folder below the user's; claims a name if it has none. Never throws. */
export async function resolveProjectDirectory({ home, root, clock }: ProjectFolderOptions): Promise<string> {
  const known = findProjectDirectory(home, root);
  if (known !== undefined) return known;
  try {
    if (TASK_FOLDER.test(root)) {
      const own = projectTempDirectory(home, root);
      makeDirectory(own);
      if (mark(own, toKey(root))) return own;
    }
    return await claim({ home, root: toKey(root), clock: clock ?? systemClock });
  } catch {
    // Read-only, full or owned by another user: the next write there reports it.
    return projectTempDirectory(home, root);
  }
}

/** The existing folder of the project. Reads one small file. */
export function findProjectDirectory(home: string, root: string): string | undefined {
  const key = toKey(root);
  const slug = readRegistry(home)[key];
  if (slug === undefined) return undefined;
  const directory = join(tempRoot(home), slug);
  const owner = readProjectRoot(directory);
  return owner === undefined || owner === key ? directory : undefined;
}

/** Folders that may hold the project's sessions: its own, and those older versions used. */
export function findProjectDirectories(home: string, root: string): string[] {
  const own = findProjectDirectory(home, root);
  const older = [join(tempRoot(home), sha256(toKey(root))), projectTempDirectory(home, root)];
  return [...new Set(own === undefined ? older : [own, ...older])];
}

async function claim({ home, root, clock }: Required<ProjectFolderOptions>): Promise<string> {
  makeDirectory(tempRoot(home));
  const release = await lockFolder(`${registryPath(home)}.lock`, clock);
  try {
    for (;;) {
      const projects = readRegistry(home);
      const slug = chooseSlug(home, root, projects);
      const directory = join(tempRoot(home), slug);
      makeDirectory(directory);
      if (!mark(directory, root)) continue;
      if (projects[root] !== slug) writeRegistry(home, { ...projects, [root]: slug });
      return directory;
    }
  } finally {
    release();
  }
}

/** False when the folder belongs to another project: the marker decides even for a process that lost its lock. */
function mark(directory: string, root: string): boolean {
  const owner = readProjectRoot(directory);
  if (owner !== undefined) return owner === root;
  try {
    writeFileSync(join(directory, MARKER), root, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && readProjectRoot(directory) !== undefined) return false;
    throw error;
  }
}

/** The base name in letters and digits, with a number appended while another project has the name. */
function chooseSlug(home: string, root: string, projects: Readonly<Record<string, string>>): string {
  const base = toSlug(basename(root));
  const others = Object.entries(projects).filter(([path]) => path !== root);
  const taken = new Set([...RESERVED, ...others.map(([, slug]) => slug)]);
  for (let count = 0; ; count++) {
    const slug = count === 0 ? base : `${base}-${count}`;
    const owner =
      readProjectRoot(join(tempRoot(home), slug)) ?? readProjectRoot(join(userDirectory(home), 'history', slug));
    if (!taken.has(slug) && (owner === undefined || owner === root)) return slug;
  }
}

function toSlug(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-+|-+$/g, '') || 'project';
}

function readRegistry(home: string): Record<string, string> {
  try {
    const { projects } = JSON.parse(readFileSync(registryPath(home), 'utf8')) as { projects?: unknown };
    const entries = typeof projects === 'object' && projects !== null ? Object.entries(projects) : [];
    return Object.fromEntries(entries.filter(([, slug]) => typeof slug === 'string' && /^[\w-]+$/.test(slug)));
  } catch {
    // The registry is missing or invalid: the markers still name each folder's project.
    return {};
  }
}

/**
 * Keeps an unreadable registry under another name: the user may want its content. Not synced:
 * a first start would wait for the disk, and the markers hold the same information.
 */
function writeRegistry(home: string, projects: Record<string, string>): void {
  const path = registryPath(home);
  if (isBroken(path)) renameSync(path, `${path}.broken`);
  replaceFile(path, `${JSON.stringify({ projects }, null, 2)}\n`, { isSynced: false });
}

function isBroken(path: string): boolean {
  try {
    const text = readFileSync(path, 'utf8');
    return typeof (JSON.parse(text) as { projects?: unknown } | null)?.projects !== 'object';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** The root of the folder's project, if it has a marker. */
export function readProjectRoot(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, MARKER), 'utf8').trim();
  } catch {
    // A folder without a marker.
    return undefined;
  }
}

function registryPath(home: string): string {
  return join(userDirectory(home), 'projects.json');
}

/** The folder that holds one folder for each project. */
export function tempRoot(home: string): string {
  return join(userDirectory(home), 'tmp');
}

function toKey(root: string): string {
  const path = resolve(root);
  return process.platform === 'win32' ? path.toLowerCase() : path;
}
