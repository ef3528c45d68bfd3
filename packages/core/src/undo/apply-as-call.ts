/**
 * Changes files for the user as a call of the session, so that undo can take it back: a merge, a reverted file, a restored
 * snapshot.
 */

import { toStoredChange } from './tree-state.ts';
import type { TreeChange } from './tree-state.ts';
import type { UndoClient } from './undo-client.ts';
import type { ApplyAnswer } from './undo-requests.ts';

export interface OwnCall {
  readonly callId: string;
  readonly name: string;
  readonly description: string;
  /** The user's words for it, where it is a step beside the prompts. */
  readonly step?: string | undefined;
}

/** `record` appends to the session's file. */
export async function applyAsCall(
  client: UndoClient,
  record: (record: object) => void,
  { callId, name, description, step }: OwnCall,
  changes: readonly TreeChange[],
): Promise<ApplyAnswer> {
  const stored = changes.map(toStoredChange);
  if (step !== undefined) record({ $userStep: { text: step, time: new Date().toISOString() } });
  record({ $callStarted: { callId, name, hasEffects: true, description } });
  record({ $walkStarted: { callId, isCovered: true, at: Date.now() } });
  const answer = await client.ask({ do: 'apply', changes: stored, files: {} });
  const { list } = await client.ask({ do: 'keep', changes: stored });
  const time = new Date().toISOString();
  record({ $workspaceChange: { callIds: [callId], count: stored.length, list, time, isExact: true } });
  return answer;
}
