/**
 * Plans the mounts of a sandbox from facts about the disk and a profile. Pure: the same facts give the same plan, and the
 * plan answers afterwards whether a path was writable, read-only or hidden.
 */

import { isWithin, PRIVATE_FOLDERS } from './hidden-paths.ts';
import type { SandboxProfile } from './sandbox-profile.ts';

export type MountKind = 'read-only' | 'writable' | 'empty-folder' | 'hidden-folder' | 'hidden-file';

export interface Mount {
  kind: MountKind;
  path: string;
  /** Where its content comes from, if not from the same path. */
  source?: string;
  /** A hidden folder with something visible inside: it cannot be listed, but passed through. */
  isPassed?: boolean;
}

export interface PathFact {
  path: string;
  isFolder: boolean;
  /** A file with what commands may see of it. */
  mask?: string | undefined;
}

/** What a survey found. All paths are real ones that exist. */
export interface SandboxFacts {
  home: string;
  /** The workspace and its additional folders. */
  roots: readonly string[];
  /** Other places that the user opened for writing. */
  writable: readonly string[];
  /** Other places that the user opened for reading, though they would be hidden. */
  readable: readonly string[];
  hidden: readonly PathFact[];
  caches: readonly string[];
  /** Inside the roots. */
  protectedPaths: readonly string[];
  /** Parts of a repository outside the roots whose worktree is inside. */
  repository: readonly string[];
  /** The session's own folder for temporary files. */
  temporary: string;
  /** An empty file without permissions, which covers hidden files. */
  emptyFile: string;
}

export interface SandboxPlan {
  profile: SandboxProfile;
  mounts: readonly Mount[];
}

export function planSandbox(facts: SandboxFacts, profile: SandboxProfile): SandboxPlan {
  const canWrite = profile !== 'read-only';
  const exposed: MountKind = canWrite ? 'writable' : 'read-only';
  const mounts: Mount[] = [
    { kind: 'read-only', path: '/' },
    { kind: 'writable', path: '/tmp', source: facts.temporary },
    ...PRIVATE_FOLDERS.map((path): Mount => ({ kind: 'empty-folder', path })),
  ];
  // A home below a private folder would be gone.
  if (isPrivate(facts.home)) mounts.push({ kind: 'read-only', path: facts.home });
  // A folder opened as a whole contains what must stay hidden: that is hidden after it, and nothing twice.
  const opened = [...facts.roots, ...facts.writable, ...facts.readable];
  const isOpened = ({ path }: PathFact) => opened.some((folder) => folder !== path && isWithin(path, folder));
  const hiddenFolders = facts.hidden.filter(({ isFolder }) => isFolder);
  const isInside = ({ path }: PathFact) =>
    hiddenFolders.some((each) => each.path !== path && isWithin(path, each.path));
  for (const fact of facts.hidden) if (!isOpened(fact) && !isInside(fact)) mounts.push(hide(fact, facts));
  if (canWrite) for (const path of facts.caches) mounts.push({ kind: 'writable', path });
  for (const path of facts.readable) mounts.push({ kind: 'read-only', path });
  // Each bind costs every command a quarter of a millisecond: what is already read-only needs none.
  const isCovered = (path: string) => mounts.some((mount) => mount.path !== '/' && isWithin(path, mount.path));
  for (const path of sharedFolders(facts)) if (isPrivate(path)) mounts.push({ kind: 'read-only', path });
  for (const path of [...facts.repository, ...facts.roots])
    if (canWrite || isCovered(path)) mounts.push({ kind: exposed, path });
  if (canWrite) {
    for (const path of facts.writable) mounts.push({ kind: 'writable', path });
    mounts.push(...protect(facts));
  }
  const covered = facts.hidden.filter(isOpened);
  for (const fact of covered) mounts.push(hide(fact, facts));
  const isCoveredAgain = (path: string) => covered.some((fact) => fact.path !== path && isWithin(path, fact.path));
  for (const path of facts.readable) if (isCoveredAgain(path)) mounts.push({ kind: 'read-only', path });
  if (canWrite) for (const path of facts.writable) if (isCoveredAgain(path)) mounts.push({ kind: 'writable', path });
  return { profile, mounts };
}

/** The `.git` of worktrees in the workspace: git reads settings and refs there, which a private folder would hide. */
function sharedFolders({ repository }: SandboxFacts): string[] {
  return repository.flatMap((path) => {
    const parent = path.slice(0, path.lastIndexOf('/'));
    return parent.endsWith('/worktrees') ? [parent.slice(0, -'/worktrees'.length)] : [];
  });
}

function hide({ path, isFolder, mask }: PathFact, { readable, roots, writable }: SandboxFacts): Mount {
  if (!isFolder) return { kind: 'hidden-file', path, ...(mask !== undefined && { source: mask }) };
  const isPassed = [...readable, ...roots, ...writable].some((visible) => visible !== path && isWithin(visible, path));
  return { kind: 'hidden-folder', path, ...(isPassed && { isPassed }) };
}

/** Every folder above a protected path is bound onto itself, so that it cannot be renamed away. */
function protect({ roots, protectedPaths, hidden, writable }: SandboxFacts): Mount[] {
  const pinned = new Set<string>();
  const mounts: Mount[] = [];
  // A grant opens a protected path only where it names exactly that.
  const kept = protectedPaths.filter(
    (path) => !writable.includes(path) && !hidden.some((fact) => fact.isFolder && isWithin(path, fact.path)),
  );
  for (const path of kept) {
    const root = roots.find((each) => isWithin(path, each));
    if (root === undefined) continue;
    const names = path.slice(root.length + 1).split('/');
    for (let depth = 1; depth < names.length; depth++) {
      const ancestor = `${root}/${names.slice(0, depth).join('/')}`;
      if (!pinned.has(ancestor)) mounts.push({ kind: 'writable', path: ancestor });
      pinned.add(ancestor);
    }
  }
  // A bind covers the mounts below it, so parents come before children and pins before what they protect.
  mounts.sort((left, right) => left.path.length - right.path.length);
  for (const path of kept) mounts.push({ kind: 'read-only', path });
  return mounts;
}

function isPrivate(path: string): boolean {
  return ['/tmp', ...PRIVATE_FOLDERS].some((folder) => isWithin(path, folder));
}
