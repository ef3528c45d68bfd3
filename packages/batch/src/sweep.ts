/** Removes folders of tasks that have ended elsewhere: a machine that comes back late finds nothing of it left. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchEngine } from './engine.ts';
import { TaskFiles } from './task-files.ts';
import { removeWorkplace } from './workplace.ts';

/** `directory` holds a folder for each batch, and nothing of another engine. A task that runs or waits keeps its folder. */
export async function sweepWorkplaces(
  engine: Pick<BatchEngine, 'tasks'>,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const batch of foldersIn(directory)) {
    const work = foldersIn(join(directory, batch, 'work'));
    if (work.length === 0) continue;
    const states = new Map((await engine.tasks(batch)).map(({ task, state }) => [task.id, state]));
    for (const task of work) {
      if (states.get(task) === 'running' || states.get(task) === 'waiting') continue;
      const files = new TaskFiles(join(directory, batch), task);
      await removeWorkplace(files.readState()?.workplace ?? { directory: '', top: files.workplace }, { environment });
    }
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    // Nothing ran here.
    return [];
  }
}
