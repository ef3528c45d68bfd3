/** Walks of one process, which list only the folders that changed, against walks of a new process, which list all. */

import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { StoredChange } from './tree-state.ts';
import { UndoClient } from './undo-client.ts';
import { UndoTrial } from './undo.fixture.ts';
import { DEFAULT_LIMITS } from './walk-rules.ts';

const BUDGET = { storeBytes: 1e9, shareOfFree: 1, freeBytes: 0 };

async function open(trial: UndoTrial, name: string): Promise<UndoClient> {
  const { root, folder } = trial;
  const request = { root, store: join(folder, name), sessionId: name, limits: DEFAULT_LIMITS, exclude: [] };
  return (await UndoClient.open({ ...request, budget: BUDGET })).client;
}

async function changesOf(client: UndoClient): Promise<readonly StoredChange[] | undefined> {
  const { list, changes } = await client.ask({ do: 'walk' });
  return list === undefined ? changes : (await client.ask({ do: 'list', list })).changes;
}

function fill(trial: UndoTrial, place = '.'): void {
  for (const folder of ['a', 'a/b', 'a/b/c', 'a/bb', 'd', 'd/e'])
    for (const name of ['1.txt', '2.txt', 'z.txt']) trial.write(`${place}/${folder}/${name}`, `${folder} ${name}`);
  trial.sh(`cd ${place} && mkdir d/empty && ln -s e d/link && ln a/1.txt a/hard.txt`);
}

const COMMANDS = [
  'true',
  'echo new > a/b/new.txt',
  'echo new > a/b/c/0.txt',
  'rm a/b/c/z.txt a/b/z.txt',
  'rm -r a/b',
  'rm -r a/b/c d/e/z.txt',
  'mv a/1.txt a/3.txt',
  'mv a/b x; mv a/bb a/b; mv x a/bb',
  'printf changed >> a/b/c/2.txt',
  'touch -r a/b/c/2.txt ref; echo "a/b/c 2.tyt" | tr -d "\\n" > a/b/c/2.txt; touch -r ref a/b/c/2.txt; rm ref',
  'rm d/z.txt; mkdir d/z.txt; touch d/z.txt/inside',
  'rm -r d/e; echo file > d/e',
  'ln -sfn empty d/link',
  'chmod 700 d/e; chmod 600 a/1.txt',
  'touch d/empty/.hidden a/b/c/.castor-undo-1-a-1.tmp',
  'mkdir -p d/empty/x/y/z',
  'rm -r a d/e',
];

it('finds the same as a walk that lists every folder', { tags: 'wide' }, async () => {
  await using trial = new UndoTrial();
  const places = COMMANDS.map((_, index) => `place-${index}`);
  for (const place of places) fill(trial, place);
  trial.passTime();
  const known = await open(trial, 'known');
  try {
    const fresh = await open(trial, 'fresh');
    try {
      for (const client of [known, known, fresh]) await changesOf(client);
      for (const [index, command] of COMMANDS.entries()) trial.sh(`cd ${places[index]} && ${command}`);
    } finally {
      await fresh.close();
    }
    const listing = await open(trial, 'fresh');
    try {
      const found = await changesOf(known);
      expect(found).toEqual(await changesOf(listing));
      const changed = new Set(found?.map(([path]) => (typeof path === 'string' ? path.split('/')[0] : path)));
      expect(places.filter((place) => !changed.has(place))).toEqual(['place-0']);
      expect(await changesOf(known)).toEqual([]);
    } finally {
      await listing.close();
    }
  } finally {
    await known.close();
  }
});

it('lists what a damaged manifest no longer names', async () => {
  await using trial = new UndoTrial();
  fill(trial);
  trial.passTime();
  const client = await open(trial, 'known');
  try {
    for (let walk = 0; walk < 2; walk++) await changesOf(client);
    const folder = join(trial.folder, 'known', 'manifests');
    const [manifest] = readdirSync(folder).filter((name) => name.endsWith('.manifest'));
    const { entries } = await client.ask({ do: 'walk' });
    truncateSync(join(folder, manifest!), 700);
    expect(await client.ask({ do: 'walk' })).toMatchObject({ entries });
    expect(await changesOf(client)).toEqual([]);
  } finally {
    await client.close();
  }
});
