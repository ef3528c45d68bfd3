/** What a session changed, by prompt and by file, for `/diff`: the first state before and the last one after, of each. */

import { comparePaths, isInGit } from './byte-path.ts';
import type { Step } from './chain-steps.ts';
import { describeChange } from './describe-changes.ts';
import type { DescribedChange } from './describe-changes.ts';
import { isSameState } from './tree-state.ts';
import type { TreeChange } from './tree-state.ts';
import type { UndoDesk } from './undo-desk.ts';

export interface SessionChanges {
  /** Oldest first; only prompts that changed something. */
  readonly prompts: readonly { number: number; text: string; files: readonly DescribedChange[] }[];
  /** Over the whole session; a file that is again as it was is left out. */
  readonly files: readonly DescribedChange[];
}

/** Undone changes and the repository's own data are left out. */
export async function sessionChanges(desk: UndoDesk): Promise<SessionChanges> {
  const { prompts, chains } = await desk.load();
  const read = await desk.openContents();
  const sum = async (fits: (step: Step) => boolean): Promise<DescribedChange[]> => {
    const changes = [...chains.steps].flatMap(([path, steps]) => merge(path, steps.filter(fits)) ?? []);
    const shown = changes.filter(({ path, before, after }) => !isInGit(path) && !isPlainFolder(before, after));
    const described: DescribedChange[] = [];
    for (const change of shown.toSorted((left, right) => comparePaths(left.path, right.path)))
      described.push(await describeChange(change, read));
    return described;
  };
  const byPrompt = [];
  for (const { number, text, calls } of prompts) {
    const own = new Set(calls.map(({ callId }) => callId));
    const files = await sum(({ callIds }) => callIds.some((id) => own.has(id)));
    if (files.length > 0) byPrompt.push({ number, text, files });
  }
  return { prompts: byPrompt, files: await sum(({ callIds }) => callIds.length > 0) };
}

function merge(path: string, steps: readonly Step[]): TreeChange | undefined {
  const first = steps[0];
  const last = steps.at(-1);
  if (!first || !last || isSameState(first.before, last.after)) return undefined;
  return { path, before: first.before, after: last.after };
}

/** A folder that came or went shows in the files below it. */
function isPlainFolder(before: TreeChange['before'], after: TreeChange['after']): boolean {
  return [before, after].every((state) => state === null || state.kind === 'folder') && !(before && after);
}
