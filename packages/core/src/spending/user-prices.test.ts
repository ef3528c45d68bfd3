import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import { loadPrices } from './user-prices.ts';

const PRICES = GEMINI_CATALOGUE.prices;

describe('loadPrices', () => {
  it('gives ours when the user has none', async () => {
    await using workspace = await createWorkspace();
    expect(await loadPrices(workspace.home)).toEqual({ prices: PRICES, problems: [] });
  });

  it("puts the user's over ours, one by one, and names what is no price", async () => {
    const table = { 'my-model': { input: 1, output: 2 }, broken: { input: 'much' } };
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/prices.json': JSON.stringify(table) } });
    const { prices, problems } = await loadPrices(workspace.home);
    expect([prices['my-model'], prices['gemini-2.5-flash'], problems]).toEqual([
      table['my-model'],
      PRICES['gemini-2.5-flash'],
      [expect.stringMatching(/prices\.json: The price of "broken"/)],
    ]);
  });

  it('names a file that is no JSON and goes on', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/prices.json': '{' } });
    const { prices, problems } = await loadPrices(workspace.home);
    expect([prices, problems]).toEqual([PRICES, [expect.stringContaining('prices.json is not valid JSON')]]);
  });
});
