/** Computes the cost of tokens from a price table. The cost of a model without a price is unknown, which is not zero. */

import type { PriceTable } from '../provider/catalogue/model-catalogue.ts';
import type { TokenMetrics } from './session-metrics.ts';

/** Prices are per this many tokens. */
const TOKENS_PER_UNIT = 1_000_000;

/** US dollars of one request; undefined when the model has no price. */
export function costOf(model: string, tokens: TokenMetrics, prices: PriceTable): number | undefined {
  const name = model.replace(/^models\//, '');
  const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (!price) return undefined;
  const rates = price.long && tokens.prompt > price.long.above ? price.long : price;
  const { cacheWrite = 0 } = tokens;
  const fresh = (tokens.input - cacheWrite + tokens.tool) * rates.input;
  const cache = tokens.cached * (rates.cached ?? rates.input) + cacheWrite * (rates.cacheWrite ?? rates.input);
  const output = (tokens.candidates + tokens.thoughts) * rates.output;
  return (fresh + cache + output) / TOKENS_PER_UNIT;
}
