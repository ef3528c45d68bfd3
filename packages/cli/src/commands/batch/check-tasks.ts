/** What can be known of tasks before anything runs: their folders, commits and schemas are there. Throws BatchProblem. */

import { statSync } from 'node:fs';
import { baseOf, git, GitError, TaskError, whereOf } from '@castor/batch';
import type { Task } from '@castor/batch';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import type { BatchContext } from './batch-context.ts';
import { BatchProblem } from './batch-problem.ts';

const AT_ONCE = 8;
const MOST_NAMED = 3;

/** A worker of a queue has folders of its own, and a repository by its URL is known when it is cloned. */
export async function checkPlaces(tasks: readonly Task[], isInPlace: boolean, context: BatchContext): Promise<void> {
  if (context.queue !== undefined) return;
  const first = new Map<string, Task>();
  for (const task of tasks)
    if (task.place.kind === 'folder') {
      const key = JSON.stringify([task.place.folder, task.ref]);
      if (!first.has(key)) first.set(key, task);
    }
  const all = [...first.values()];
  for (let at = 0; at < all.length; at += AT_ONCE)
    await Promise.all(all.slice(at, at + AT_ONCE).map((task) => checkPlace(task, isInPlace, context)));
}

async function checkPlace(task: Task, isInPlace: boolean, { environment }: BatchContext): Promise<void> {
  if (task.place.kind !== 'folder') return;
  const { folder } = task.place;
  const fail = (sentence: string): never => {
    throw new BatchProblem(new TaskError(whereOf(task), sentence).message, ExitCode.Input);
  };
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) fail(`the folder ${folder} does not exist.`);
  if (isInPlace) return;
  await baseOf(folder, task.ref, { environment }).catch((error: unknown) => {
    const isOutside = error instanceof GitError && /not a git repository/i.test(error.message);
    if (isOutside)
      fail(`${folder} is in no git repository, and a task works in a worktree of one. --in-place works in the folder.`);
    fail((error as Error).message);
  });
}

/** Files of `--over` that the commit does not have are missing in its worktree: they are left out, and the user is told. */
export async function leaveOutUnknown(
  tasks: readonly Task[],
  { cwd, environment, output }: BatchContext,
): Promise<Task[]> {
  const ref = tasks[0]?.ref ?? 'HEAD';
  const names = await git(['ls-tree', '-r', '-z', '--name-only', ref], { directory: cwd, environment });
  const known = new Set(names.split('\0'));
  const isKnown = (task: Task) => known.has(whereOf(task)) || whereOf(task).startsWith('..');
  const left = tasks.filter((task) => !isKnown(task)).map(whereOf);
  if (left.length === 0) return [...tasks];
  const some = `${left.slice(0, MOST_NAMED).join(', ')}${left.length > MOST_NAMED ? ', …' : ''}`;
  const sentence = `${countOf(left.length, 'file')} not in the commit ${ref}: ${some}. A worktree lacks them; --in-place takes them.`;
  if (left.length === tasks.length) throw new BatchProblem(sentence, ExitCode.Input);
  output.note(`castor: warning: left out ${sentence}`);
  return tasks.filter(isKnown);
}
