/**
 * Budget: compares a session's limits with the spending of all requests in its ledger. Warns
 * once at nine tenths and ends the prompt at the limit. Only the time limit aborts a running
 * request, and only after a grace period. budgeted-generator.ts blocks requests once the
 * budget is spent.
 */

import type { AgentEvent, BudgetName, SpentBudget } from '../protocol/agent-events.ts';
import { BudgetExceededError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { Clock } from '../util/clock.ts';
import type { Ledger } from './ledger.ts';

export interface BudgetLimits {
  /** Accepted answers of the model in the conversation. */
  turns?: number;
  /** Every token the service reports, including those of broken answers. */
  tokens?: number;
  /** US dollars. */
  cost?: number;
  /** Milliseconds since the budget was opened. */
  timeMs?: number;
}

export interface BudgetOptions {
  limits: BudgetLimits;
  ledger: Pick<Ledger, 'spentTokens' | 'cost' | 'hasPrice'>;
  clock: Clock;
}

/** A limit that cannot be enforced, found before anything is spent. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
  readonly reason: 'invalid_limit' | 'unknown_price';

  constructor(reason: BudgetError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface Watch {
  /** Aborts with the given signal, or when the time and its grace period are over. */
  readonly signal: AbortSignal;
  readonly hasExpired: boolean;
  release(): void;
}

const WARN_AT = 0.9;
/** Running work may exceed the time limit by this fraction of it, and by at most MAX_GRACE_MS. */
const GRACE_PART = 0.1;
const MAX_GRACE_MS = 30_000;
/** A timer of Node holds 2³¹ − 1 ms; a longer one would end at once. */
const MAX_TIME_MS = 2 ** 31 - 1 - MAX_GRACE_MS;

interface Account extends SpentBudget {
  /** For the user: `9 of 10 turns`. */
  words: string;
}

export class Budget {
  private readonly options: BudgetOptions;
  private readonly startedAt: number;
  private turns = 0;
  private hasWarned = false;

  /** Throws BudgetError for an invalid limit. */
  constructor(options: BudgetOptions) {
    for (const [name, limit] of Object.entries(options.limits) as [string, number | undefined][]) {
      if (limit === undefined || (limit >= 0 && (name !== 'timeMs' || limit <= MAX_TIME_MS))) continue;
      const rule = 'It must be at least 0, and a time at most 24 days.';
      throw new BudgetError('invalid_limit', `Invalid budget: ${name} is ${limit}. ${rule}`);
    }
    this.options = options;
    this.startedAt = options.clock.now();
  }

  /** Throws BudgetError when the cost of this model is unknown. */
  requirePriceOf(model: string): void {
    if (this.options.limits.cost === undefined || this.options.ledger.hasPrice(model)) return;
    throw new BudgetError(
      'unknown_price',
      `The limit on the cost needs a price for the model ${model}. ` +
        'Add one to ~/.gemini/prices.json, choose a model that has one, or limit the tokens instead.',
    );
  }

  /** Accepts any event of the session; counts the ends of turns. */
  add(event: AgentEvent): void {
    if (event.type === GeminiEventType.Finished) this.turns += 1;
  }

  /** The first limit that is reached, with a sentence for the user. */
  exceeded(): { budget: SpentBudget; detail: string } | undefined {
    const account = this.accounts().find(({ spent, limit }) => spent >= limit);
    if (!account) return undefined;
    const { words, spent, ...budget } = account;
    return { budget: { ...budget, spent: round(spent) }, detail: `The budget of this run is spent: ${words}.` };
  }

  /** Throws BudgetExceededError when no more requests are allowed. */
  assertOpen(): void {
    const exceeded = this.exceeded();
    if (exceeded) throw new BudgetExceededError(exceeded.detail);
  }

  /** The warning for the model when the budget is nearly spent; returned once. */
  warning(): string | undefined {
    const warning = this.hasWarned ? undefined : this.describeNearEnd();
    this.hasWarned ||= warning !== undefined;
    return warning;
  }

  /** The warning, each time it applies. */
  describeNearEnd(): string | undefined {
    const near = this.accounts().filter(isNearlySpent);
    if (near.length === 0) return undefined;
    const spent = near.map(({ words }) => words).join(', ');
    return (
      `[The budget of this run is nearly spent: ${spent}. Start nothing new. Finish the current step safely ` +
      'and answer now with what you have; Castor stops the run when the budget is spent.]'
    );
  }

  /** Watches the time limit during one prompt. */
  watch(outer: AbortSignal): Watch {
    const { limits, clock } = this.options;
    if (limits.timeMs === undefined) return { signal: outer, hasExpired: false, release: () => undefined };
    const limited = new AbortController();
    const released = new AbortController();
    const onAbort = () => limited.abort(outer.reason);
    outer.addEventListener('abort', onAbort, { once: true });
    if (outer.aborted) onAbort();
    let hasExpired = false;
    const grace = Math.min(limits.timeMs * GRACE_PART, MAX_GRACE_MS);
    const left = limits.timeMs + grace - this.elapsedMs();
    const expire = () => {
      hasExpired = true;
      limited.abort();
    };
    // A rejection means that the watch was released: nothing to do.
    clock.sleep(Math.max(0, left), released.signal).then(expire, () => undefined);
    return {
      signal: limited.signal,
      get hasExpired() {
        return hasExpired;
      },
      release() {
        outer.removeEventListener('abort', onAbort);
        released.abort();
      },
    };
  }

  private elapsedMs(): number {
    return this.options.clock.now() - this.startedAt;
  }

  private accounts(): Account[] {
    const { limits, ledger } = this.options;
    const accounts: (Account | undefined)[] = [
      limits.turns === undefined ? undefined : account('turns', this.turns, limits.turns, 'turns'),
      limits.tokens === undefined ? undefined : account('tokens', ledger.spentTokens, limits.tokens, 'tokens'),
      limits.cost === undefined ? undefined : this.costAccount(limits.cost),
      limits.timeMs === undefined
        ? undefined
        : account('time', this.elapsedMs() / 1000, limits.timeMs / 1000, 'seconds'),
    ];
    return accounts.filter((each) => each !== undefined);
  }

  private costAccount(limit: number): Account {
    const { usd } = this.options.ledger.cost();
    if (usd !== undefined) return account('cost', usd, limit, 'US dollars');
    // A model without a price has answered: its cost is unknown, so no more may be spent.
    return { name: 'cost', limit, spent: limit, words: 'a model without a price was used, so the cost is unknown' };
  }
}

function account(name: BudgetName, spent: number, limit: number, unit: string): Account {
  return { name, limit, spent, words: `${round(spent)} of ${limit} ${unit}` };
}

/** Rounds for display, with enough digits for the smallest sum. */
function round(spent: number): number {
  return spent < 0.001 ? Number(spent.toPrecision(3)) : Math.round(spent * 10_000) / 10_000;
}

/** Turns are few: the last one always counts as nearly spent, whatever its fraction of the limit. */
function isNearlySpent({ name, spent, limit }: Account): boolean {
  return spent > 0 && (spent >= limit * WARN_AT || (name === 'turns' && spent + 1 >= limit));
}
