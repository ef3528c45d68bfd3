/**
 * Prepares the conversation of a restore point for its call to be proposed again: it ends with that call, under a new id,
 * so that undo tells the two apart. Pure.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Content, Part } from '../protocol/content.ts';
import type { ProposedCall } from '../protocol/tool-calls.ts';

/** `formerId`: the id of the call at that time, where it is on record. */
export function proposeAgain(
  history: readonly Content[],
  { callId, name, args }: ProposedCall,
  formerId: string | undefined,
): Content[] {
  const last = history.at(-1);
  const parts = last?.role === 'model' ? (last.parts ?? []) : [];
  const index = findCall(parts, { callId: formerId, name, args });
  // A point of another program may hold less than the whole conversation.
  if (!last || index < 0) return [...history, { role: 'model', parts: [{ functionCall: { id: callId, name, args } }] }];
  const renamed = parts.map((part, at) =>
    at === index ? { ...part, functionCall: { ...part.functionCall, id: callId } } : part,
  );
  return [...history.slice(0, -1), { ...last, parts: renamed }];
}

function findCall(
  parts: readonly Part[],
  { callId, name, args }: Omit<ProposedCall, 'callId'> & { callId: string | undefined },
): number {
  const byId = parts.findIndex(({ functionCall }) => callId !== undefined && functionCall?.id === callId);
  if (byId >= 0) return byId;
  return parts.findIndex(
    ({ functionCall }) => functionCall?.name === name && isDeepStrictEqual(functionCall.args ?? {}, args),
  );
}
