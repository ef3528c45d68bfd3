/** SessionStart and SessionEnd around the agent behind the screen. Nothing happens where no hook is configured. */

import type { WorkspaceAgent } from '@castor/core';

export type SessionOccasion = 'startup' | 'resume' | 'clear';

/** A person who leaves does not wait longer than this for a hook. */
const LIMIT_MS = 10_000;

/** What hooks want the model to know stands first in the history. Aborted, the session begins without them. */
export async function beginSession(
  { hooks, chat }: WorkspaceAgent,
  source: SessionOccasion,
  signal: AbortSignal,
): Promise<void> {
  try {
    const context = await hooks?.sessionStart(source, signal);
    if (context) chat.addHistory({ role: 'user', parts: [{ text: context }] });
  } catch {
    // Only an abort throws, and its caller has reported the reason.
  }
}

export async function endSession(
  { hooks }: WorkspaceAgent,
  reason: 'exit' | 'clear' | 'other',
  hurry: AbortSignal,
): Promise<void> {
  await hooks?.sessionEnd(reason, { limitMs: LIMIT_MS, hurry });
}
