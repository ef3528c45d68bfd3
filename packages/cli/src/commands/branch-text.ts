/** The words of branches: the list, two changes side by side, what each cost, a merge. */

import { countOf, tokensSince } from '@castor/core/program';
import type { Branch, DescribedChange, MergeResult } from '@castor/core/program';
import { sanitizeLine } from '../sanitize.ts';

export interface Comparison {
  readonly branch: Branch;
  readonly there: readonly DescribedChange[];
  readonly here: readonly DescribedChange[];
  readonly cost: BranchCost;
}

/** Tokens of the answers since the branch began. */
export interface BranchCost {
  readonly there: number;
  readonly here: number;
}

export function describeBranches(branches: readonly Branch[]): string {
  if (branches.length === 0) return 'This folder has no branches.\n';
  return branches
    .map(
      ({ name, root, sessionId, at }) =>
        `${name}${at === undefined ? '' : ` (before prompt ${at})`}\n  ${root}\n  castor --resume ${sessionId}\n`,
    )
    .join('');
}

/** Side by side by file, then both diffs. */
export function describeComparison({ branch, there, here, cost }: Comparison): string {
  const paths = [...new Set([...there, ...here].map(({ path }) => path))].toSorted();
  const width = Math.max(...paths.map((path) => path.length), 'file'.length) + 2;
  const cell = (changes: readonly DescribedChange[], path: string) => {
    const change = changes.find((each) => each.path === path);
    return change ? `${change.kind} +${change.addedLines} −${change.removedLines}` : '–';
  };
  const row = (...cells: [string, string, string]) => `${cells[0].padEnd(width)}${cells[1].padEnd(26)}${cells[2]}`;
  const table = [
    row('file', `branch ${branch.name}`, 'this folder'),
    ...paths.map((path) => row(sanitizeLine(path), cell(there, path), cell(here, path))),
    row('tokens', String(cost.there), String(cost.here)),
  ];
  const diffs = (title: string, changes: readonly DescribedChange[]) =>
    `${title}\n${changes.map(({ path, diff, note }) => diff ?? `${sanitizeLine(path)}: ${note ?? ''}\n`).join('\n') || 'No changes.\n'}`;
  return `${table.join('\n')}\n\n${diffs(`== branch ${branch.name}`, there)}\n${diffs('== this folder', here)}`;
}

export function describeMerged({ merged, conflicts, leftAlone, isVerified }: MergeResult): string {
  const lines = [
    `Merged ${countOf(merged.length, 'path')}${isVerified ? ', verified' : ', NOT verified'}.`,
    ...conflicts.map((path) => `Conflict marked: ${sanitizeLine(path)}`),
    ...leftAlone.map((path) => `Left alone, changed in both: ${sanitizeLine(path)}`),
    'castor undo takes the merge back.',
  ];
  return `${lines.join('\n')}\n`;
}

export async function branchCost(project: { home: string; root: string }, branch: Branch): Promise<BranchCost> {
  const [there, here] = await Promise.all([
    tokensSince(branch.sessionId, { ...project, root: branch.root }, branch.createdAt),
    tokensSince(branch.from, project, branch.createdAt),
  ]);
  return { there, here };
}
