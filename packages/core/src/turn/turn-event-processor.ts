/**
 * TurnEventProcessor: runs turns and returns their results, which accumulate until `reset`. It never rejects: an
 * exception is one of `errors`. Exists for the documented API; the runtime reads the events themselves.
 */

import type { PartListUnion } from '../protocol/content.ts';
import { toStructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { emptyTurn, TurnCollector } from './collect-turn.ts';
import type { CollectedTurn, RunnableTurn } from './collect-turn.ts';

export interface ProcessedTurn extends CollectedTurn {
  /** The model ended the last turn. */
  completed: boolean;
}

export class TurnEventProcessor {
  private readonly log: ((event: ServerGeminiStreamEvent) => void) | undefined;
  private collected = emptyTurn();

  constructor(options: { log?: (event: ServerGeminiStreamEvent) => void } = {}) {
    this.log = options.log;
  }

  /** The result holds this turn and the turns before it since `reset`. */
  async processTurn(turn: RunnableTurn, userInput: PartListUnion, signal: AbortSignal): Promise<ProcessedTurn> {
    const collector = new TurnCollector();
    try {
      for await (const event of turn.run(userInput, signal)) {
        this.log?.(event);
        collector.add(event);
        if (event.type === GeminiEventType.Error || event.type === GeminiEventType.UserCancelled) break;
      }
    } catch (error) {
      collector.fail(toStructuredError(error));
    }
    this.collected = join(this.collected, collector.turn);
    return { ...join(emptyTurn(), this.collected), completed: collector.isFinished };
  }

  reset(): void {
    this.collected = emptyTurn();
  }
}

/** The lists are copies: a caller may change them. */
function join(before: CollectedTurn, turn: CollectedTurn): CollectedTurn {
  return {
    ...turn,
    content: before.content + turn.content,
    toolCalls: [...before.toolCalls, ...turn.toolCalls],
    thoughts: [...before.thoughts, ...turn.thoughts],
    citations: [...before.citations, ...turn.citations],
    errors: [...before.errors, ...turn.errors],
  };
}
