/**
 * ModelAvailability: tracks which models are worth a request now, as far as this process knows. It stores what
 * callers report and judges no error; its state ends with the process. "Turn" in the documented names is the user's
 * prompt.
 */

import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';

export type TerminalReason =
  /** The caller's quota is exhausted. */
  | 'quota'
  /** The model had no capacity; this is temporary. */
  | 'capacity'
  /** The service does not offer the model to this caller. */
  | 'not_found'
  /** The user chose another model from here on. */
  | 'replaced';

export type ModelSnapshot =
  | { available: true; attempts?: 1 }
  | { available: false; reason: TerminalReason | 'retry_once_per_turn' };

export interface ModelSelection {
  /** The first available model, if any. */
  model: string | undefined;
  /** 1 when it may be tried only once before the next turn. */
  attempts?: 1;
  skipped: { model: string; reason: TerminalReason | 'retry_once_per_turn' }[];
}

/** How long a model without capacity is skipped. */
const CAPACITY_MS = 30_000;

type Health =
  | { status: 'terminal'; reason: TerminalReason; until: number }
  | { status: 'sticky_retry'; consumed: boolean };

export class ModelAvailability {
  private readonly clock: Clock;
  private readonly health = new Map<string, Health>();

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  /** Excludes the model; after `capacity` for 30 seconds only. */
  markTerminal(model: string, reason: TerminalReason): void {
    const until = reason === 'capacity' ? this.clock.now() + CAPACITY_MS : Infinity;
    this.health.set(model, { status: 'terminal', reason, until });
  }

  /** Allows one more request in this turn, and one in each later turn. A terminal state is kept. */
  markRetryOncePerTurn(model: string): void {
    const health = this.healthOf(model);
    if (health === undefined) this.health.set(model, { status: 'sticky_retry', consumed: false });
  }

  markHealthy(model: string): void {
    this.health.delete(model);
  }

  /** Marks the one attempt of this turn as used. */
  consumeStickyAttempt(model: string): void {
    const health = this.healthOf(model);
    if (health?.status === 'sticky_retry') this.health.set(model, { ...health, consumed: true });
  }

  /** Starts a turn: every model with one attempt per turn regains it. */
  resetTurn(): void {
    for (const [model, health] of this.health) {
      if (health.status === 'sticky_retry') this.health.set(model, { ...health, consumed: false });
    }
  }

  snapshot(model: string): ModelSnapshot {
    const health = this.healthOf(model);
    if (health === undefined) return { available: true };
    if (health.status === 'terminal') return { available: false, reason: health.reason };
    return health.consumed ? { available: false, reason: 'retry_once_per_turn' } : { available: true, attempts: 1 };
  }

  selectFirstAvailable(models: readonly string[]): ModelSelection {
    const skipped: ModelSelection['skipped'] = [];
    for (const model of models) {
      const snapshot = this.snapshot(model);
      if (snapshot.available) return { model, ...(snapshot.attempts && { attempts: snapshot.attempts }), skipped };
      skipped.push({ model, reason: snapshot.reason });
    }
    return { model: undefined, skipped };
  }

  private healthOf(model: string): Health | undefined {
    const health = this.health.get(model);
    return health?.status === 'terminal' && this.clock.now() >= health.until ? undefined : health;
  }
}
