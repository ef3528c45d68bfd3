/**
 * The calls that a walk's changes may belong to: those that run, and those that ended since the last walk began, each with
 * its times. A plain edit is among them without an owner: it says itself what it changes. Pure.
 */

import type { CallSpan } from './change-evidence.ts';

interface RunningCall {
  /** The call of the session that answers for it; undefined for a plain edit. */
  readonly owner: string | undefined;
  readonly from: number;
}

interface EndedCall {
  readonly from: number;
  readonly to: number;
}

/** What a walk sees: the calls at its beginning. */
export interface WalkedCalls {
  readonly ended: readonly string[];
  /** Undefined where no call but plain edits ran since the last walk. */
  readonly span: CallSpan | undefined;
}

export class WatchedCalls {
  private readonly running = new Map<string, RunningCall>();
  private readonly ended = new Map<string, EndedCall>();

  get isIdle(): boolean {
    return this.running.size === 0;
  }

  began(callId: string, owner: string | undefined, from: number): void {
    this.running.set(callId, { owner, from });
  }

  /** False for a call that is not watched. */
  end(callId: string, to: number): boolean {
    const call = this.running.get(callId);
    if (!call) return false;
    this.running.delete(callId);
    if (call.owner === undefined) return true;
    const same = this.ended.get(call.owner);
    this.ended.set(call.owner, { from: Math.min(call.from, same?.from ?? call.from), to });
    return true;
  }

  /** To be called when a walk begins. */
  look(): WalkedCalls {
    const running = this.owned();
    const ended = [...this.ended.values()];
    const from = Math.min(...running.map((call) => call.from), ...ended.map((call) => call.from));
    const to = running.length > 0 ? undefined : Math.max(...ended.map((call) => call.to));
    return { ended: [...this.ended.keys()], span: Number.isFinite(from) ? { from, to } : undefined };
  }

  /** To be called when the walk has ended: the calls that its changes may belong to. */
  settle({ ended }: WalkedCalls): string[] {
    for (const owner of ended) this.ended.delete(owner);
    return [...new Set([...ended, ...this.owned().map(({ owner }) => owner), ...this.ended.keys()])];
  }

  private owned(): (RunningCall & { owner: string })[] {
    return [...this.running.values()].filter(
      (call): call is RunningCall & { owner: string } => call.owner !== undefined,
    );
  }
}
