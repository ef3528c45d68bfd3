/** Children: the sessions that running calls run, so that an answer given here reaches the session that asked. */

import type { PartListUnion } from '../protocol/content.ts';
import type { EventAddress } from '../protocol/events.ts';
import type { ChildSession } from '../protocol/tools.ts';

/** A child that waits for an answer, and the address of its question as the child knows it. */
export interface AskingChild {
  readonly session: ChildSession;
  readonly address: EventAddress;
}

export class Children {
  private readonly running = new Set<{ callId: string; session: ChildSession }>();

  /** Returns the function that removes the child. */
  add(callId: string, session: ChildSession): () => void {
    const child = { callId, session };
    this.running.add(child);
    return () => void this.running.delete(child);
  }

  steer(input: PartListUnion): void {
    for (const { session } of this.running) session.steer?.(input);
  }

  /** With an address only the child of that call, or a descendant that runs it. */
  findAsking(id: string, { parentCallId }: EventAddress): AskingChild | undefined {
    for (const { callId, session } of this.running) {
      const address = parentCallId === undefined || parentCallId === callId ? {} : { parentCallId };
      if (session.asks(id, address)) return { session, address };
    }
    return undefined;
  }
}
