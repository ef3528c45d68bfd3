/** Classifies how the stream of a prompt ended, in the three ways that matter to a user who looked elsewhere. Pure. */

import type { Outcome } from '@castor/core';

export enum StreamProcessingStatus {
  Completed,
  UserCancelled,
  Error,
}

export function toStreamProcessingStatus(outcome: Outcome | undefined): StreamProcessingStatus {
  if (outcome === undefined || outcome === 'completed') return StreamProcessingStatus.Completed;
  return outcome === 'cancelled' ? StreamProcessingStatus.UserCancelled : StreamProcessingStatus.Error;
}
