/** The steps of a session that only edited, followed by a change that Castor made itself: no walk was in between. */

import { expect, it } from 'vitest';
import { chainSteps } from './chain-steps.ts';
import { planUndo } from './plan-undo.ts';
import type { UndoRecord } from './read-undo-records.ts';
import { toStoredChange } from './tree-state.ts';
import type { FileState } from './tree-state.ts';

const file = (content: string): FileState => ({ kind: 'file', mode: 0o644, content, size: 3 });
const edit = (callId: string, before: string, after: string): UndoRecord => ({
  kind: 'edit',
  change: { callId, path: '/work/a.txt', before, after } as never,
});

it('a merge comes after the edits before it, and each of them can be taken back', () => {
  const merged = { path: 'a.txt', before: file('two'), after: file('three') };
  const records: UndoRecord[] = [
    edit('first', 'zero', 'one'),
    edit('second', 'one', 'two'),
    { kind: 'walk', callIds: ['merge'], count: 1, changes: [toStoredChange(merged)], isExact: true },
  ];
  const chains = chainSteps(records, '/work', (record) => ('changes' in record ? record.changes : undefined));
  const undo = (...callIds: string[]) => {
    const present = new Map([['a.txt', file('three')]]);
    const plan = planUndo({
      chains,
      callIds: new Set(callIds),
      present,
      withGit: false,
      withShared: false,
      has: () => true,
    });
    return { after: plan.changes.map(({ after }) => (after as FileState).content), left: plan.leftAlone };
  };
  expect(undo('merge')).toEqual({ after: ['two'], left: [] });
  expect(undo('merge', 'second')).toEqual({ after: ['one'], left: [] });
  expect(undo('merge', 'second', 'first')).toEqual({ after: ['zero'], left: [] });
  expect(undo('second').left).toEqual([{ path: 'a.txt', reason: 'later_call' }]);
});
