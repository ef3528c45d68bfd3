/** Merges the user's own table of prices over another. */

import type { ModelPrice, PriceTable, Rates } from '../provider/catalogue/model-catalogue.ts';
import { isRecord } from '../util/is-record.ts';

export interface ReadPrices {
  prices: PriceTable;
  /** A sentence for each rejected entry. */
  problems: string[];
}

/**
 * Merges the user's table over the given one, entry by entry. Rejects invalid prices and reports them. Entries that are
 * added to the given table later, by a provider that is opened in the middle of a session, count as well.
 */
export function mergePrices(prices: PriceTable, userTable: unknown): ReadPrices {
  if (userTable === undefined) return { prices, problems: [] };
  if (!isRecord(userTable)) return { prices, problems: ['The price table must be an object of prices by model.'] };
  const problems: string[] = [];
  const own: Record<string, ModelPrice> = {};
  for (const [model, value] of Object.entries(userTable)) {
    if (isModelPrice(value))
      Object.defineProperty(own, model, { value, enumerable: true, configurable: true, writable: true });
    else problems.push(`The price of "${model}" must have input and output in US dollars per million tokens.`);
  }
  return { prices: layered(own, prices), problems };
}

function layered(upper: PriceTable, lower: PriceTable): PriceTable {
  const tableOf = (model: string | symbol) => (Object.hasOwn(upper, model) ? upper : lower);
  return new Proxy(upper, {
    get: (_, model) => Reflect.get(tableOf(model), model) as unknown,
    has: (_, model) => Object.hasOwn(tableOf(model), model),
    ownKeys: () => [...new Set([...Reflect.ownKeys(upper), ...Reflect.ownKeys(lower)])],
    getOwnPropertyDescriptor: (_, model) => {
      const found = Object.getOwnPropertyDescriptor(tableOf(model), model);
      return found && { ...found, configurable: true };
    },
  });
}

function isModelPrice(value: unknown): value is ModelPrice {
  if (!isRates(value)) return false;
  const { long } = value as { long?: unknown };
  return long === undefined || (isRates(long) && isAmount((long as { above?: unknown }).above));
}

function isRates(value: unknown): value is Rates {
  if (!isRecord(value)) return false;
  const { input, output, cached = 0, cacheWrite = 0 } = value;
  return [input, output, cached, cacheWrite].every(isAmount);
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
