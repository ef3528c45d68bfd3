/**
 * What an agent spends: the ledger that counts it, the budget that ends it, and the generator
 * that reports to both. It decides nothing about prices.
 */

import type { ContentGenerator } from '../model/content-generator.ts';
import type { Clock } from '../util/clock.ts';
import type { AgentOptions } from './agent-options.ts';
import { Budget } from './budget.ts';
import { createBudgetedGenerator } from './budgeted-generator.ts';
import { Ledger } from './ledger.ts';
import { createMeteredGenerator } from './metered-generator.ts';

export interface Spending {
  ledger: Ledger;
  budget: Budget | undefined;
  /** Counts what it spends, and stops where the budget ends. */
  generator: ContentGenerator;
}

type SpendingOptions = Pick<AgentOptions, 'generator' | 'ledger' | 'budget' | 'prices' | 'telemetry'>;

/** A ledger or a budget that is given is one the generator reports to already. */
export function openSpending(options: SpendingOptions, clock: Clock): Spending {
  const ledger = options.ledger ?? createLedger(options, clock);
  const metered = options.ledger ? options.generator : meterGenerator(options, ledger, clock);
  const { budget: limits } = options;
  if (limits === undefined || limits instanceof Budget) return { ledger, budget: limits, generator: metered };
  const budget = new Budget({ limits, ledger, clock });
  return { ledger, budget, generator: createBudgetedGenerator(metered, budget) };
}

/** Every call it counts is told to telemetry. */
function createLedger({ prices, telemetry }: SpendingOptions, clock: Clock): Ledger {
  return new Ledger({
    clock,
    ...(prices && { prices }),
    ...(telemetry && { onCall: (call) => telemetry.called(call) }),
  });
}

function meterGenerator({ generator, telemetry }: SpendingOptions, ledger: Ledger, clock: Clock): ContentGenerator {
  return createMeteredGenerator(telemetry ? telemetry.watch(generator) : generator, ledger, clock);
}
