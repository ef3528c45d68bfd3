/**
 * Maps a project's root to its folder under `~/.gemini/tmp`. `projects.json` holds the
 * short names, shared with Gemini CLI; a marker in each folder says the same, so that
 * either can be lost. Names are given out under a lock both programs respect. Where the
 * home cannot be written, a project has a name without a registry.
 */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { replaceFile } from '../util/replace-file.ts';
import { sha256 } from '../util/sha256.ts';
import { lockRegistry } from './registry-lock.ts';
import { projectTempDirectory, userDirectory } from './paths.ts';

export interface ProjectFolderOptions {
  home: string;
  root: string;
  clock?: Clock;
}

const MARKER = '.project_root';
/** Folders of `tmp` that are no project's. */
const RESERVED = ['bin', 'background-processes'];

/** The project's own folder below the user's; its name is claimed if it has none. Never throws. */
export async function resolveProjectDirectory({ home, root, clock }: ProjectFolderOptions): Promise<string> {
  const known = findProjectDirectory(home, root);
  if (known !== undefined) return known;
  try {
    return await claim({ home, root: toKey(root), clock: clock ?? systemClock });
  } catch {
    // Read-only, full or not the user's: the next write there reports it.
    return projectTempDirectory(home, root);
  }
}

/** The folder the project already has. Reads one small file. */
export function findProjectDirectory(home: string, root: string): string | undefined {
  const key = toKey(root);
  const slug = readRegistry(home)[key];
  if (slug === undefined) return undefined;
  const directory = join(tempRoot(home), slug);
  const owner = readProjectRoot(directory);
  return owner === undefined || owner === key ? directory : undefined;
}

/** Where sessions of the project may be: its folder, and the ones older versions used. */
export function findProjectDirectories(home: string, root: string): string[] {
  const own = findProjectDirectory(home, root);
  const older = [join(tempRoot(home), sha256(toKey(root))), projectTempDirectory(home, root)];
  return [...new Set(own === undefined ? older : [own, ...older])];
}

async function claim({ home, root, clock }: Required<ProjectFolderOptions>): Promise<string> {
  makeDirectory(tempRoot(home));
  const release = await lockRegistry(`${registryPath(home)}.lock`, clock);
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

/** False when the folder went to another project: the marker settles that even for a process whose lock was taken over. */
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

/** The base name in letters and digits, with a number after it while another project has that. */
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
    // None yet, or a broken one: markers still say whose folders are whose.
    return {};
  }
}

/**
 * A registry that cannot be read is kept aside: a person may want what it held. Not synced:
 * a first start would wait for the disk, and the markers say the same.
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

/** The root of the project whose folder this is, where it says so. */
export function readProjectRoot(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, MARKER), 'utf8').trim();
  } catch {
    // A folder without a marker says nothing.
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
