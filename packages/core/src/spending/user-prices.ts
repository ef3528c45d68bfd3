/** Loads the user's own prices from `<home>/.gemini/prices.json` over those of the provider's catalogue. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type { PriceTable } from '../provider/catalogue/model-catalogue.ts';
import type { ReadPrices } from './merge-prices.ts';

/** Never throws: an unusable file is reported in `problems`, and the catalogue's prices apply. */
export async function loadPrices(home: string, prices: PriceTable = GEMINI_CATALOGUE.prices): Promise<ReadPrices> {
  const path = join(userDirectory(home), 'prices.json');
  // Most users have no such file.
  if (!existsSync(path)) return { prices, problems: [] };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { prices, problems: [`${path} is not readable and was ignored: ${getErrorMessage(error)}`] };
  }
  try {
    const { mergePrices } = await import('./merge-prices.ts');
    const merged = mergePrices(prices, JSON.parse(text));
    return { prices: merged.prices, problems: merged.problems.map((problem) => `${path}: ${problem}`) };
  } catch (error) {
    return { prices, problems: [`${path} is not valid JSON and was ignored: ${getErrorMessage(error)}`] };
  }
}
