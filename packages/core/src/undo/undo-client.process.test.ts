/** The client as a program that has nothing else to do: it lives until what it waits for has come. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { UndoTrial } from './undo.fixture.ts';
import { DEFAULT_LIMITS } from './walk-rules.ts';

const CLIENT = new URL('undo-client.ts', import.meta.url).href;

it('keeps a program alive until the process beside it has ended, also when an answer arrives meanwhile', async () => {
  await using trial = new UndoTrial();
  trial.write('a.txt', 'a');
  const budget = { storeBytes: 1e9, shareOfFree: 1, freeBytes: 0 };
  const request = { root: trial.root, store: join(trial.folder, 'store'), sessionId: 's', limits: DEFAULT_LIMITS };
  const program = `
    const { UndoClient } = await import(${JSON.stringify(CLIENT)});
    const { client } = await UndoClient.open(${JSON.stringify({ ...request, exclude: [], budget })});
    const walk = client.ask({ do: 'walk' });
    await client.close();
    console.log((await walk).entries, 'closed');`;
  const flags = [
    '--experimental-transform-types',
    '--no-warnings',
    '--conditions=castor-source',
    '--input-type=module',
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' });
  expect([stdout, stderr, status]).toEqual(['1 closed\n', '', 0]);
});
