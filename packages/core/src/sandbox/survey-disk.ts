/**
 * Looks at the disk for a plan: which hidden, cached and protected paths exist, as real paths; what a mount cannot protect
 * is listed to be compared after each command. It only reads, and creates missing caches.
 */

import { accessSync, constants, lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import { cacheFolders, cachesToCreate } from './cache-folders.ts';
import { findSockets } from './find-sockets.ts';
import { hiddenPaths, isOpenable, isWithin } from './hidden-paths.ts';
import { isMaskable, maskSettings } from './mask-settings.ts';
import type { PathFact, SandboxFacts } from './sandbox-plan.ts';
import { isFolder, realPath, surveyProtected } from './survey-protected.ts';

export interface SurveyRequest {
  home: string;
  roots: readonly string[];
  writable?: readonly string[] | undefined;
  readable?: readonly string[] | undefined;
  /** Folders inside hidden ones that commands need, such as that of the wrapper of git. */
  needed?: readonly string[] | undefined;
  /** The workspace is a worktree that Castor made: the refs of its repository stay read-only. */
  borrowsRepository?: boolean | undefined;
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
  /** Where credentials and sockets may be, and at which of these places something was. */
  places: readonly string[];
  present: string;
}

export function surveyDisk(request: SurveyRequest): Survey {
  const home = realPath(request.home) ?? request.home;
  const roots = request.roots.flatMap((root) => realPath(root) ?? []);
  const { watched, isCutShort, ...inside } = surveyProtected(home, roots, request.borrowsRepository);
  createCaches(home);
  const candidates = hiddenPaths(home);
  const sockets = findSockets(home);
  const places = [...candidates, ...sockets.map(({ path }) => path)];
  return {
    facts: {
      home,
      roots,
      writable: (request.writable ?? []).flatMap((path) => realPath(path) ?? []).filter(isOpenable),
      readable: [...(request.readable ?? []), ...(request.needed ?? []), ...SYSTEM_NEEDED]
        .flatMap((path) => realPath(path) ?? [])
        .filter(isOpenable),
      hidden: [...findHidden(candidates, home, request.keep), ...sockets],
      caches: cacheFolders(home).flatMap((path) => (isFolder(path) ? (realPath(path) ?? []) : [])),
      ...inside,
      temporary: request.temporary,
      emptyFile: request.emptyFile,
    },
    watched,
    isCutShort,
    places,
    present: presenceOf(places),
  };
}

/** Whether a file with credentials or a socket appeared or vanished: a mount over what is gone fails, and what is new is not hidden. */
export function isStale({ places, present }: Survey): boolean {
  return presenceOf(places) !== present;
}

function presenceOf(places: readonly string[]): string {
  return places.map((path) => (isPresent(path) ? '1' : '0')).join('');
}

function isPresent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
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

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
