/**
 * Puts the jobs back that dead processes of this host held. The hold of a dead one is taken over first, so that one process returns its job
 * and no other: BullMQ on Postgres looks at a lock and then changes the job without holding it, and a second return could take the job from
 * the worker that has it by then.
 */

import type { Book } from './book.ts';
import { holdShelf } from './documents.ts';
import type { HoldDocument } from './documents.ts';
import type { Holder } from './holder.ts';
import type { Lane } from './lane.ts';

export interface ReturningParts {
  book: Book;
  holder: Holder;
  laneOf: (name: string) => Lane;
  isAlive: (hold: HoldDocument) => boolean;
}

export class HeldReturner {
  private readonly parts: ReturningParts;
  /** Several claims of this process may look at once. */
  private readonly returning = new Set<string>();

  constructor(parts: ReturningParts) {
    this.parts = parts;
  }

  /** How many were returned. */
  async run(): Promise<number> {
    const { book, holder } = this.parts;
    let count = 0;
    for (const [key, text] of await book.list(holdShelf(holder.host))) {
      const hold = JSON.parse(text) as HoldDocument;
      if (this.returning.has(key) || !this.isLeft(hold)) continue;
      this.returning.add(key);
      try {
        if (await this.giveBack(key, text, hold)) count += 1;
      } finally {
        this.returning.delete(key);
      }
    }
    return count;
  }

  private async giveBack(key: string, text: string, hold: HoldDocument): Promise<boolean> {
    const { book, holder, laneOf } = this.parts;
    const place = { shelf: holdShelf(holder.host), key };
    const taken = JSON.stringify({ ...hold, pid: holder.pid, started: holder.started, returner: holder.token });
    if (taken !== text && !(await book.write([{ ...place, before: text, after: taken }]))) return false;
    const isReturned = await laneOf(hold.lane).giveBackOf(hold.task, hold.token);
    await book.write([{ ...place, before: taken, after: undefined }]);
    return isReturned;
  }

  /** Of a dead process, or taken over by this one and not returned, because the server was away. */
  private isLeft(hold: HoldDocument): boolean {
    const { holder, isAlive } = this.parts;
    return hold.returner === holder.token || !isAlive(hold);
  }
}
