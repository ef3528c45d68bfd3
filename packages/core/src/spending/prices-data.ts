/**
 * What the service charges, in US dollars per million tokens of text, standard tier,
 * paid plan. Collected from public price tables as of August 2026; a model without a public
 * price is not in the table. Data only: users change it by a table of their own.
 */

import type { ModelPrice, PriceTable } from './prices.ts';

export const PRICES_AS_OF = '2026-08';

const GEMINI_3_PRO: ModelPrice = {
  input: 2,
  output: 12,
  cached: 0.2,
  long: { above: 200_000, input: 4, output: 18, cached: 0.4 },
};

export const PRICES: PriceTable = {
  'gemini-3-pro-preview': GEMINI_3_PRO,
  'gemini-3.1-pro-preview': GEMINI_3_PRO,
  'gemini-3.1-pro-preview-customtools': GEMINI_3_PRO,
  'gemini-3-flash-preview': { input: 0.5, output: 3, cached: 0.05 },
  'gemini-3.5-flash': { input: 1.5, output: 9, cached: 0.15 },
  'gemini-3.1-flash-lite': { input: 0.25, output: 1.5, cached: 0.025 },
  'gemini-2.5-pro': {
    input: 1.25,
    output: 10,
    cached: 0.125,
    long: { above: 200_000, input: 2.5, output: 15, cached: 0.25 },
  },
  'gemini-2.5-flash': { input: 0.3, output: 2.5, cached: 0.03 },
  'gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cached: 0.01 },
  /** Castor's own, which sends nothing. */
  offline: { input: 0, output: 0 },
};
