/** The plan of an eval: which task of the batch is which try, kept beside the batch so that an interrupted eval can be resumed. */

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { git } from '@castor/batch';
import type { Task, TaskLimits } from '@castor/batch';
import { BatchProblem } from '../batch/batch-context.ts';
import type { BatchContext } from '../batch/batch-context.ts';
import type { EvalRun } from './eval-results.ts';
import { fillPrompt, quoted } from './read-suite.ts';
import type { Suite, SuiteTask } from './read-suite.ts';

export interface EvalPlan {
  suite: string;
  createdAt: string;
  commit?: string;
  models: string[];
  prompts: string[];
  tries: number;
  tasks: Record<string, string>;
  /** By the id of the task in the batch. */
  runs: Record<string, Pick<EvalRun, 'task' | 'model' | 'prompt' | 'try'>>;
  save: string;
  least?: number;
}

export interface PlanPlace {
  /** The folder of the eval on this machine. */
  directory: string;
  /** A folder that all machines see. */
  shared?: string | undefined;
  context: BatchContext;
}

/** The model of the user's settings. */
export const DEFAULT_MODEL = 'default';

/** One task of the batch for each try. The first tries of all tasks come first: half an eval is an eval of half the tries. */
export async function planTasks(
  suite: Suite,
  taskLimits: TaskLimits,
  at: PlanPlace,
): Promise<{ tasks: Task[]; runs: EvalPlan['runs']; models: string[] }> {
  const models = suite.models.length > 0 ? suite.models : [DEFAULT_MODEL];
  const places = new Map<string, Task['place']>();
  for (const task of suite.tasks) places.set(task.name, await placeOf(task, at));
  const tasks: Task[] = [];
  const runs: EvalPlan['runs'] = {};
  for (let number = 1; number <= suite.tries; number += 1)
    for (const { name, task, script } of suite.tasks)
      for (const [column, model] of models.entries())
        for (const [row, prompt] of suite.prompts.entries()) {
          const variant = models.length * suite.prompts.length > 1 ? `.${column * suite.prompts.length + row + 1}` : '';
          const id = `${name}${variant}${suite.tries > 1 ? `.t${number}` : ''}`;
          tasks.push({
            ...task,
            ...{ id, tries: 1, prompt: fillPrompt(prompt, task.prompt), place: places.get(name) ?? task.place },
            ...(model !== DEFAULT_MODEL && { model }),
            ...(at.context.queue !== undefined && script !== undefined && { check: carried(script) }),
            limits: { ...task.limits, ...definedOf(taskLimits) },
          });
          runs[id] = { task: name, model, prompt: prompt.name, try: number };
        }
  return { tasks, runs, models };
}

/** A worker on another machine has no folder of this suite: the script goes with the task. */
function carried(script: string): string {
  return `sh -c ${quoted(readFileSync(script, 'utf8'))} ${quoted(basename(script))}`;
}

/** A task's own files become a repository of one commit; else the repository that the task names. */
async function placeOf(
  { name, task, files }: SuiteTask,
  { directory, shared, context }: PlanPlace,
): Promise<Task['place']> {
  if (files === undefined) return task.place;
  const folder = join(shared ?? directory, 'start', name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  cpSync(files, folder, { recursive: true });
  const options = { directory: folder, environment: context.environment };
  await git(['init', '--quiet', '--initial-branch=main'], options);
  await git(['add', '--all', '--force'], options);
  await git(['commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', 'The task begins here.'], options);
  return { kind: 'folder', folder };
}

export function writePlan(directory: string, plan: EvalPlan): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, 'eval.json'), JSON.stringify(plan), { mode: 0o600 });
}

export function hasPlan(directory: string): boolean {
  return existsSync(join(directory, 'eval.json'));
}

export function readPlan(directory: string): EvalPlan {
  try {
    return JSON.parse(readFileSync(join(directory, 'eval.json'), 'utf8')) as EvalPlan;
  } catch (error) {
    throw new BatchProblem(`The plan of the eval cannot be read: ${(error as Error).message}`);
  }
}

/** Undefined outside a repository. */
export async function commitOf(
  directory: string,
  environment: BatchContext['environment'],
): Promise<string | undefined> {
  return git(['rev-parse', 'HEAD'], { directory, environment }).then(
    (text) => text.trim(),
    () => undefined,
  );
}

function definedOf(limits: TaskLimits): TaskLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, amount]) => amount !== undefined));
}
