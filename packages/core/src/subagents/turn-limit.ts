/** Counts the turns of a run: its limit, and after it the last turn, in which the agent may only hand in its result. */

import type { CompletedToolCall } from '../protocol/tool-calls.ts';
import { COMPLETE_TASK } from './complete-task.ts';

export class TurnLimit {
  turns = 0;
  private readonly maxTurns: number;
  private lastTurn: number | undefined;

  constructor(maxTurns: number) {
    this.maxTurns = maxTurns;
  }

  get isLast(): boolean {
    return this.lastTurn !== undefined;
  }

  letFinish(): void {
    this.lastTurn = this.turns + 1;
  }

  /** After the calls of a turn. In the last turn an invalid result may be corrected once; any other call there is the end. */
  isReachedWith(calls: readonly CompletedToolCall[]): boolean {
    if (calls.length === 0) return false;
    const corrections = calls.some(({ request }) => request.name === COMPLETE_TASK) ? 1 : 0;
    return this.turns >= (this.lastTurn === undefined ? this.maxTurns : this.lastTurn + corrections);
  }
}
