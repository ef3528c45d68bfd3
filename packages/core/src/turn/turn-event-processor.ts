/** TurnEventProcessor: runs a turn and returns what it came to, telling an optional log on the way. */

import type { PartListUnion } from '../protocol/content.ts';
import { TurnCollector } from './collect-turn.ts';
import type { RunnableTurn, TurnResult } from './collect-turn.ts';
import type { TurnEvent } from './turn.ts';

export class TurnEventProcessor {
  private readonly log: ((event: TurnEvent) => void) | undefined;

  constructor(options: { log?: (event: TurnEvent) => void } = {}) {
    this.log = options.log;
  }

  async processTurn(turn: RunnableTurn, request: PartListUnion, signal: AbortSignal): Promise<TurnResult> {
    const collector = new TurnCollector();
    for await (const event of turn.run(request, signal)) {
      this.log?.(event);
      collector.add(event);
    }
    return collector.result;
  }
}
