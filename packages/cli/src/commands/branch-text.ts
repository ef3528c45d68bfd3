/** The words of branches: the list, two changes side by side, what each cost, a merge. */

import { countOf } from '@castor/core/program';
import type { Branch, DescribedChange, MergeResult } from '@castor/core/program';
import { sanitizeLine } from '../sanitize.ts';
import { shortCost } from '../short-numbers.ts';
import type { Comparison, SideCost } from './compare-branch.ts';

export function describeNew({ name, root, sessionId }: Branch): string {
  return `Branch ${name}: ${root}\nGo on there: cd ${JSON.stringify(root)} && castor --resume ${sessionId}`;
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
  const width = Math.max(...paths.map((path) => path.length), 'tokens'.length) + 2;
  const cell = (changes: readonly DescribedChange[], path: string) => {
    const change = changes.find((each) => each.path === path);
    return change ? `${change.kind} +${change.addedLines} −${change.removedLines}` : '–';
  };
  const row = (...cells: [string, string, string]) => `${cells[0].padEnd(width)}${cells[1].padEnd(26)}${cells[2]}`;
  const table = [
    row('file', `branch ${branch.name}`, 'this folder'),
    ...paths.map((path) => row(sanitizeLine(path), cell(there, path), cell(here, path))),
    row('model', modelsOf(cost.there), modelsOf(cost.here)),
    row('tokens', String(cost.there.tokens), String(cost.here.tokens)),
    row('cost', dollarsOf(cost.there), dollarsOf(cost.here)),
  ];
  const diffs = (title: string, changes: readonly DescribedChange[]) =>
    `${title}\n${changes.map(({ path, diff, note }) => diff ?? `${sanitizeLine(path)}: ${note ?? ''}\n`).join('\n') || 'No changes.\n'}`;
  return `${table.join('\n')}\n\n${diffs(`== branch ${branch.name}`, there)}\n${diffs('== this folder', here)}`;
}

function modelsOf({ models }: SideCost): string {
  return sanitizeLine(models.join(', ')) || '–';
}

function dollarsOf({ usd }: SideCost): string {
  return usd === undefined ? 'unknown' : shortCost(usd);
}

export function describeMerged({ merged, conflicts, leftAlone, isVerified }: MergeResult): string {
  const count = `Merged ${countOf(merged.length, 'path')}${isVerified ? ', verified' : ', NOT verified'}.`;
  const nothing = leftAlone.length > 0 ? 'Nothing was merged.' : 'Nothing to merge: this folder has all of it.';
  const lines = [
    merged.length > 0 ? count : nothing,
    ...conflicts.map((path) => `Conflict marked: ${sanitizeLine(path)}`),
    ...leftAlone.map((path) => `Left alone, changed in both: ${sanitizeLine(path)}`),
    ...(merged.length > 0 ? ['/undo, or castor undo, takes the merge back.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
