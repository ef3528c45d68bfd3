/** Gives components the unfinished calls, the model's and the user's own. It runs none and holds no state. */

import { useMemo } from 'react';
import type { PendingCall, Transcript } from '@castor/core';
import { pendingCalls } from '../conversation/client-calls.ts';
import type { ClientCalls } from '../conversation/client-calls.ts';

export interface ToolSchedulerPort {
  readonly transcript: Pick<Transcript, 'pendingGroup'>;
  readonly clientCalls: ClientCalls;
}

export type ReactToolScheduler = readonly [
  toolCalls: readonly PendingCall[],
  scheduleToolCalls: ClientCalls['scheduleToolCalls'],
  markToolsAsSubmitted: ClientCalls['markToolsAsSubmitted'],
];

export function useReactToolScheduler({ transcript, clientCalls }: ToolSchedulerPort): ReactToolScheduler {
  const { pendingGroup } = transcript;
  const { calls, scheduleToolCalls, markToolsAsSubmitted } = clientCalls;
  const toolCalls = useMemo(() => pendingCalls(pendingGroup?.calls, calls), [pendingGroup, calls]);
  return [toolCalls, scheduleToolCalls, markToolsAsSubmitted];
}
