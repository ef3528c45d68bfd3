/**
 * Publishes what a task left, for machines that cannot read the worker's disk: copies in a shared folder, or commits that are pushed as
 * git refs. The result in the queue stays small and names them.
 */

import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { git } from './git.ts';
import type { GitOptions } from './git.ts';
import type { TaskFiles } from './task-files.ts';
import type { TaskResult } from './task-result.ts';
import type { Workplace } from './workplace.ts';

/** `folder`: a path that all machines see. `git`: the repository of the task. */
export type Artifacts = { kind: 'folder'; folder: string } | { kind: 'git' };

export interface Publication {
  artifacts: Artifacts;
  batch: string;
  task: string;
  files: TaskFiles;
  workplace: Workplace | undefined;
  where: Omit<GitOptions, 'directory' | 'output'>;
}

/** The part of the result that names what was published. Throws GitError and the system's errors. */
async function publish(publication: Publication): Promise<Pick<TaskResult, 'files' | 'refs'>> {
  const { artifacts } = publication;
  return artifacts.kind === 'folder' ? toFolder(publication, artifacts.folder) : toRefs(publication);
}

/** A result whose files do not reach the user is a failure that names where they are. */
export async function publishResult(
  result: TaskResult,
  { artifacts, ...publication }: Omit<Publication, 'artifacts'> & { artifacts: Artifacts | undefined },
): Promise<TaskResult> {
  const { workplace, files } = publication;
  const known = { ...result, ...(workplace?.base !== undefined && { base: workplace.base }) };
  if (!artifacts || (artifacts.kind === 'git' && !workplace)) return known;
  try {
    return { ...known, ...(await publish({ ...publication, artifacts })) };
  } catch (error) {
    const message = `The files could not be published and stay in ${files.directory}: ${(error as Error).message}`;
    return { ...known, status: 'failed', error: { type: 'ArtifactsError', message } };
  }
}

function toFolder({ batch, task, files }: Publication, folder: string): Pick<TaskResult, 'files'> {
  const target = join(folder, batch, task);
  mkdirSync(target, { recursive: true });
  const all = files.list();
  for (const path of all) {
    const copy = join(target, basename(path));
    // Renamed when it is whole: a reader never sees a half.
    copyFileSync(path, `${copy}.new`);
    renameSync(`${copy}.new`, copy);
  }
  const names = Object.entries(files.present(Math.max(0, ...files.runs()))).filter(([name]) => name !== 'workplace');
  return { files: Object.fromEntries(names.map(([name, path]) => [name, join(target, basename(path))])) };
}

/** `…/work` is the changed tree on top of the commit that the task began with, `…/files` the answer, the logs and the check. */
async function toRefs({ batch, task, files, workplace, where }: Publication): Promise<Pick<TaskResult, 'refs'>> {
  if (workplace?.top === undefined || workplace.base === undefined)
    throw new Error('The task worked in the folder itself: there is no repository to push to.');
  const inside = { ...where, directory: workplace.top };
  const run = async (...args: string[]) => (await git(args, inside)).trim();
  const name = `refs/castor/${batch}/${task}`;
  const message = `Task ${task} of batch ${batch}`;
  await git(['add', '--all'], inside);
  const tree = await run('write-tree');
  const isChanged = tree !== (await run('rev-parse', `${workplace.base}^{tree}`));
  const work = isChanged ? await run('commit-tree', tree, '-p', workplace.base, '-m', message) : undefined;
  const index = { ...inside, variables: { GIT_INDEX_FILE: join(files.directory, 'index') } };
  await git(['read-tree', '--empty'], index);
  for (const path of files.list()) {
    const blob = await run('hash-object', '-w', '--no-filters', path);
    await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${basename(path)}`], index);
  }
  const fileTree = (await git(['write-tree'], index)).trim();
  const kept = await run('commit-tree', fileTree, '-m', message);
  const wanted = [...(work === undefined ? [] : [[work, `${name}/work`]]), [kept, `${name}/files`]];
  // A worktree shares the refs of its repository; a clone pushes them.
  if (workplace.repository !== undefined)
    for (const [commit = '', ref = ''] of wanted) await run('update-ref', ref, commit);
  else await run('push', '--quiet', '--force', 'origin', ...wanted.map(([commit, ref]) => `${commit}:${ref}`));
  return { refs: { ...(work !== undefined && { work: `${name}/work` }), files: `${name}/files` } };
}
