/**
 * What a fake model has sent, so that it can judge what comes back: signatures and encrypted reasoning are valid for
 * the server and the model that issued them. Servers of one test may share a memory, as the hosts of one vendor do.
 */

export interface RememberedTurn {
  readonly model: string;
  /** The items of the turn as an unstreamed answer holds them. */
  readonly items: readonly Record<string, unknown>[];
  /** The client was told that state is invalid, so it may leave out what belongs to this turn. */
  isForgiven: boolean;
}

export class Memory {
  readonly turns: RememberedTurn[] = [];

  remember(model: string, items: readonly object[]): void {
    this.turns.push({ model, items: items as Record<string, unknown>[], isForgiven: false });
  }

  /** After a 400 a client may drop all state it holds. */
  forgive(): void {
    for (const turn of this.turns) turn.isForgiven = true;
  }

  /** The newest turn with an item like this. */
  find(matches: (item: Record<string, unknown>) => boolean): RememberedTurn | undefined {
    return this.turns.findLast((turn) => turn.items.some(matches));
  }
}
