/**
 * Opens an agent's spending: the ledger that counts, the budget that ends a prompt, and the generator that reports to
 * both. It runs once per agent, so every request, including those of tools, is counted once.
 */

import type { ContentGenerator } from '../provider/content-generator.ts';
import { catalogueOf } from '../routing/models.ts';
import type { TelemetryPort } from '../telemetry/open-telemetry.ts';
import type { Clock } from '../util/clock.ts';
import { Budget } from './budget.ts';
import type { BudgetLimits } from './budget.ts';
import { createBudgetedGenerator } from './budgeted-generator.ts';
import { Ledger } from './ledger.ts';
import type { LedgerOptions } from './ledger.ts';
import { createMeteredGenerator } from './metered-generator.ts';

export interface Spending {
  ledger: Ledger;
  budget: Pick<Budget, 'add' | 'describeNearEnd' | 'exceeded' | 'requirePriceOf' | 'warning' | 'watch'> | undefined;
  /** Records its requests, and rejects them once the budget is spent. */
  generator: ContentGenerator;
}

export interface SpendingOptions {
  generator: ContentGenerator;
  prices?: LedgerOptions['prices'];
  budget?: BudgetLimits | undefined;
  telemetry?: TelemetryPort | undefined;
}

/** Throws BudgetError for a limit that cannot be enforced. */
export function openSpending(
  { generator, prices, budget: limits, telemetry }: SpendingOptions,
  clock: Clock,
): Spending {
  const ledger = new Ledger({
    clock,
    prices: prices ?? catalogueOf(generator).prices,
    ...(telemetry && { onCall: (call) => telemetry.called(call) }),
  });
  const watched = telemetry ? telemetry.watch(generator) : generator;
  const metered = createMeteredGenerator(watched, ledger, clock);
  if (limits === undefined) return { ledger, budget: undefined, generator: metered };
  const budget = new Budget({ limits, ledger, clock });
  return { ledger, budget, generator: createBudgetedGenerator(metered, budget) };
}
