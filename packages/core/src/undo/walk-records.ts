/** What a walk saw, as records of the session's file: what the calls may have made, what they did not, what is unclear. Pure. */

import type { Clock } from '../util/clock.ts';
import type { ChangeSet, WalkAnswer } from './undo-requests.ts';

/** `isNeeded`: calls ended, so that there is a record even if nothing changed. */
export function toRecords(
  { others, unclear, ...own }: WalkAnswer,
  callIds: readonly string[],
  clock: Clock,
  { isNeeded = false, ...facts }: { isNeeded?: boolean; isLate?: boolean } = {},
): object[] {
  const time = new Date(clock.now()).toISOString();
  const toRecord = ({ count, changes, list }: ChangeSet, ids: readonly string[], more = {}) => ({
    $workspaceChange: {
      callIds: ids,
      count,
      time,
      ...(list === undefined ? { changes } : { list }),
      ...facts,
      ...more,
    },
  });
  return [
    ...(others ? [toRecord(others, [])] : []),
    ...(unclear ? [toRecord(unclear, callIds, { isUnclear: true })] : []),
    ...(own.count > 0 || isNeeded ? [toRecord(own, callIds)] : []),
  ];
}
