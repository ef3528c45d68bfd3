/**
 * ModelAvailability: which models are worth asking at this moment, as far as this
 * process has learnt. It keeps what it is told and judges no error; nothing of it
 * outlives the process. "Turn" in the documented names is the person's prompt.
 */

import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';

export type TerminalReason =
  /** Our quota is spent. */
  | 'quota'
  /** The model had no room; this passes. */
  | 'capacity'
  /** The service does not offer it to us. */
  | 'not_found'
  /** The person chose another model from here on. */
  | 'replaced';

export type ModelSnapshot =
  | { available: true; attempts?: 1 }
  | { available: false; reason: TerminalReason | 'retry_once_per_turn' };

export interface ModelSelection {
  /** The first that is available, if any. */
  model: string | undefined;
  /** 1 when it may only be tried once before the next turn. */
  attempts?: 1;
  skipped: { model: string; reason: TerminalReason | 'retry_once_per_turn' }[];
}

/** How long a model without room is left alone. */
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

  /** Not to be asked again; after `capacity` for 30 seconds only. */
  markTerminal(model: string, reason: TerminalReason): void {
    const until = reason === 'capacity' ? this.clock.now() + CAPACITY_MS : Infinity;
    this.health.set(model, { status: 'terminal', reason, until });
  }

  /** To be asked once more in this turn, and again in later ones. A terminal state stands. */
  markRetryOncePerTurn(model: string): void {
    const health = this.healthOf(model);
    if (health === undefined) this.health.set(model, { status: 'sticky_retry', consumed: false });
  }

  markHealthy(model: string): void {
    this.health.delete(model);
  }

  /** The one attempt of this turn is being made. */
  consumeStickyAttempt(model: string): void {
    const health = this.healthOf(model);
    if (health?.status === 'sticky_retry') this.health.set(model, { ...health, consumed: true });
  }

  /** A turn begins: every model with one attempt per turn has it again. */
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
