/** What undo says about a path, in plain words. */

import type { LeftReason, UncoveredReason } from './plan-undo.ts';

export const LEFT_ALONE: Readonly<Record<LeftReason, string>> = {
  changed_since: 'it was changed since, by you or another program',
  changed_between: 'it was changed in between, by you or another program',
  later_call: 'a later call changed it too; undo that one first',
  two_sessions: 'another session edited it at the same time; undo it there',
  shared: 'a command of another session ran at the same time and may have made it; --shared takes it back too',
  unclear: 'you or another program made or changed it at about the time of the call',
  git: 'it belongs to the repository itself; --git includes it',
  not_empty: 'the folder holds files that the agent did not create',
  no_folder: 'its folder is gone, or is no folder any more',
  unreadable: 'its folder does not let you in now',
};

export const NOT_COVERED: Readonly<Record<UncoveredReason, string>> = {
  large: 'files above 10 MB are not kept',
  unreadable: 'it could not be read',
  rebuildable: 'the folder can be rebuilt and was too large to keep',
  full: 'the disk or the store of undo was full',
  busy: 'it was being written while it was read',
  closed: 'what is in it could not be read, and may have changed',
  special: 'pipes, sockets, devices and other file systems are not kept',
  lost: 'its earlier content was not kept since the store or the disk was full, is no longer kept, or is damaged',
};
