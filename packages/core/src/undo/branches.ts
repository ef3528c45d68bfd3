/**
 * Branches: a copy of the workspace in a folder of its own, with the conversation up to a message and the files of that
 * moment. Both go on independently. A branch can be compared with the folder it came from, merged into it, and dropped.
 */

import { cp, lstat, rm } from 'node:fs/promises';
import { constants, existsSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import { branchSession } from '../records/session-branch.ts';
import { findSession } from '../records/session-find.ts';
import type { ProjectSessions } from '../records/project-sessions.ts';
import { systemClock } from '../util/clock.ts';
import { comparePaths, isInGit } from './byte-path.ts';
import { readBranches, writeBranches } from './branch-registry.ts';
import type { Branch } from './branch-registry.ts';
import { fromStoredChange, isSameState, toStoredChange } from './tree-state.ts';
import type { TreeChange } from './tree-state.ts';
import { UndoClient } from './undo-client.ts';
import { UndoDesk } from './undo-desk.ts';
import { UndoError } from './undo-preview.ts';
import { DEFAULT_BUDGET } from './undo-limits.ts';
import { DEFAULT_LIMITS } from './walk-rules.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export interface CreateBranchOptions extends ProjectSessions {
  readonly name: string;
  /** As for resuming. */
  readonly session: string;
  /** A prompt by number or id: the branch begins before it. */
  readonly at?: string | undefined;
}

/** Throws UndoError, SessionError and TooLarge. */
export async function createBranch({
  home,
  root: given,
  name,
  session: wanted,
  at,
}: CreateBranchOptions): Promise<Branch> {
  const root = realpathSync(given);
  if (!NAME.test(name)) throw new UndoError(`"${name}" is no name for a branch: use letters, digits, "-" and "_".`);
  const directory = await directoryOf({ home, root });
  const branches = readBranches(directory);
  const target = join(dirname(root), `${basename(root)}-${name}`);
  if (branches.some((branch) => branch.name === name)) throw new UndoError(`The branch "${name}" exists already.`);
  if (existsSync(target)) throw new UndoError(`${target} exists already: choose another name.`);
  const session = await findSession(wanted, { home, root });
  if (!session)
    throw new UndoError('There is no session to branch from yet: start castor in this folder and send a prompt first.');
  const before = at === undefined ? undefined : await findPrompt(session.path, root, at, directory);
  try {
    await copyWorkspace(root, target);
    const client = await openClient(target, directory, `branch-${name}`);
    try {
      if (before !== undefined) {
        const desk = new UndoDesk({
          root,
          path: session.path,
          clock: systemClock,
          record: () => undefined,
          client: async () => client,
        });
        await desk.apply(await desk.preview({ to: before.id }));
      }
      await client.ask({ do: 'walk' });
    } finally {
      await client.close();
    }
    const options = { before: before?.messageId, summary: `Branch ${name}` };
    const sessionId = await branchSession(session.path, { home, root: target }, options);
    const createdAt = new Date(systemClock.now()).toISOString();
    const branch: Branch = { name, root: target, sessionId, from: session.id, at, createdAt };
    writeBranches(directory, [...branches, branch]);
    return branch;
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

export async function listBranches(project: ProjectSessions): Promise<Branch[]> {
  return readBranches(await directoryOf({ ...project, root: realpathSync(project.root) }));
}

/** Throws UndoError. */
export async function findBranch(project: ProjectSessions, name: string): Promise<Branch> {
  const branches = await listBranches(project);
  const branch = branches.find((each) => each.name === name);
  if (!branch) throw new UndoError(`There is no branch "${name}". castor branch list shows them.`);
  if (!existsSync(branch.root)) throw new UndoError(`The folder of the branch "${name}" is gone: ${branch.root}`);
  return branch;
}

/** What changed since the branch began, in a folder. The client must be closed. */
export async function changesSince(
  { home, root: given }: ProjectSessions,
  { name }: Branch,
  folder: string,
): Promise<{ client: UndoClient; changes: Map<string, TreeChange> }> {
  const directory = await directoryOf({ home, root: realpathSync(given) });
  const client = await openClient(folder, directory, `compare-${process.pid}`);
  const seen = await client.ask({ do: 'walk', since: `branch-${name}`, isTrial: true });
  const stored =
    seen.list === undefined ? seen.changes : ((await client.ask({ do: 'list', list: seen.list })).changes ?? []);
  const changes = stored.flatMap((each) => fromStoredChange(each) ?? []).filter(({ path }) => !isInGit(path));
  const sorted = changes.toSorted((left, right) => comparePaths(left.path, right.path));
  return { client, changes: new Map(sorted.map((change) => [change.path, change])) };
}

/** The changes of a branch that the folder it came from does not have: what a drop would lose. */
export async function unmergedChanges(project: ProjectSessions, branch: Branch): Promise<TreeChange[]> {
  if (!existsSync(branch.root)) return [];
  const there = await changesSince(project, branch, branch.root);
  await there.client.close();
  if (there.changes.size === 0) return [];
  const here = await changesSince(project, branch, project.root);
  await here.client.close();
  return [...there.changes.values()].filter((change) => !isTakenOver(branch, change, here.changes.get(change.path)));
}

/** Whether the folder has a change of the branch: the same one, or what a merge made of it. */
export function isTakenOver(
  { joined = [] }: Branch,
  { path, after }: TreeChange,
  own: TreeChange | undefined,
): boolean {
  if (!own) return false;
  if (isSameState(own.after, after)) return true;
  const merges = joined.flatMap((each) => fromStoredChange(each) ?? []).filter((each) => each.path === path);
  return merges.some((each) => isSameState(each.before, after) && isSameState(each.after, own.after));
}

/** Remembers what a merge made of files that both sides had changed. */
export async function noteJoined(project: ProjectSessions, name: string, joined: readonly TreeChange[]): Promise<void> {
  if (joined.length === 0) return;
  const directory = await directoryOf({ ...project, root: realpathSync(project.root) });
  const fresh = joined.map(toStoredChange);
  writeBranches(
    directory,
    readBranches(directory).map((each) =>
      each.name === name ? { ...each, joined: [...(each.joined ?? []), ...fresh] } : each,
    ),
  );
}

/** Removes the branch's folder, and what was kept for it; its session stays. */
export async function dropBranch(project: ProjectSessions, name: string): Promise<Branch> {
  const directory = await directoryOf({ ...project, root: realpathSync(project.root) });
  const branches = readBranches(directory);
  const branch = branches.find((each) => each.name === name);
  if (!branch) throw new UndoError(`There is no branch "${name}". castor branch list shows them.`);
  // Only the folder that Castor made: its name is the project's with the branch's.
  if (basename(branch.root) === `${basename(realpathSync(project.root))}-${name}`)
    await rm(branch.root, { recursive: true, force: true });
  rmSync(join(directory, 'undo', 'manifests', `branch-${name}.manifest`), { force: true });
  writeBranches(
    directory,
    branches.filter((each) => each.name !== name),
  );
  return branch;
}

function directoryOf({ home, root }: ProjectSessions): Promise<string> {
  return resolveProjectDirectory({ home, root, clock: systemClock });
}

async function openClient(root: string, directory: string, sessionId: string): Promise<UndoClient> {
  const store = join(directory, 'undo');
  const limits = DEFAULT_LIMITS;
  const { client } = await UndoClient.open({
    root,
    store,
    sessionId,
    limits,
    budget: DEFAULT_BUDGET,
    exclude: [directory],
  });
  return client;
}

/** The name of the prompt for undo, and the message that the conversation ends before; without one all of it is taken. */
async function findPrompt(
  path: string,
  root: string,
  at: string,
  directory: string,
): Promise<{ id: string; messageId: string | undefined }> {
  const client = await openClient(root, directory, 'collector');
  try {
    const desk = new UndoDesk({ root, path, clock: systemClock, record: () => undefined, client: async () => client });
    const { prompts } = await desk.load();
    const index = prompts.findIndex(
      ({ number, id, messageId }) => String(number) === at || id === at || messageId === at,
    );
    const prompt = prompts[index];
    if (!prompt) throw new UndoError(`This session has no prompt "${at}". castor undo --list shows the numbers.`);
    const following = prompts.slice(index).find(({ messageId }) => messageId !== undefined);
    return { id: String(prompt.number), messageId: following?.messageId };
  } finally {
    await client.close();
  }
}

/** Files, folders and links of the workspace's file system; blocks are shared where the system can. */
async function copyWorkspace(root: string, target: string): Promise<void> {
  const { dev } = await lstat(root);
  await cp(root, target, {
    recursive: true,
    errorOnExist: true,
    force: false,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: async (source) => {
      const found = await lstat(source);
      // A worktree's link to its repository would let git in the copy change the original.
      if (source === join(root, '.git') && found.isFile()) return false;
      return found.dev === dev && (found.isDirectory() || found.isFile() || found.isSymbolicLink());
    },
  });
}
