/** What the user changed shortly before or after a command is not undone with it, also where no walk lies in between. */

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../util/clock.ts';
import { UndoTrial } from './undo.fixture.ts';

/** A workspace that is too large to be walked before each call, and whose last walk never gets old. */
function largeTrial(options = {}): UndoTrial {
  const now = systemClock.now();
  return new UndoTrial({ quickEntries: 0, clock: { ...systemClock, now: () => now }, ...options });
}

describe('in a large workspace', () => {
  it('undoes only what the command changed, not what the user changed before it', async () => {
    await using trial = largeTrial();
    for (const name of ['a.txt', 'saved.txt', 'both.txt', 'src/b.ts', 'src/c.ts', 'old/gone.txt', 'kept/x'])
      trial.write(name, `${name}\n`);
    await trial.begin();
    trial.passTime();
    trial.write('user.txt', 'user\n');
    trial.write('a.txt', 'user\n');
    trial.write('saved.tmp', 'user\n');
    renameSync(trial.path('saved.tmp'), trial.path('saved.txt'));
    trial.write('draft.txt', 'user\n');
    trial.write('mine/user.txt', 'user\n');
    rmSync(trial.path('old/gone.txt'));
    trial.passTime();
    const before = trial.tree();
    await trial.shell(
      [
        'echo agent > own.txt; echo agent >> draft.txt; echo agent > mine/agent.txt; echo agent > both.txt',
        'mv src source; echo agent >> source/b.ts; rm -r kept',
      ].join('; '),
    );
    const preview = await trial.desk.preview({ last: 1 });
    expect(preview.leftAlone).toEqual([
      { path: 'draft.txt', reason: 'unclear', because: expect.stringContaining('at about the time of the call') },
      { path: 'mine', reason: 'unclear', because: expect.any(String) },
    ]);
    expect(preview.restored).toEqual(['both.txt']);
    expect(preview.deleted).toEqual(['mine/agent.txt', 'own.txt', 'source', 'source/b.ts', 'source/c.ts']);
    expect(preview.recreated).toEqual(['kept', 'kept/x', 'src', 'src/b.ts', 'src/c.ts']);
    expect(await trial.desk.apply(preview)).toMatchObject({ skipped: [], isVerified: true });
    expect(readFileSync(trial.path('draft.txt'), 'utf8')).toBe('user\nagent\n');
    expect({ ...trial.tree(), 'draft.txt': before['draft.txt'] }).toEqual(before);
    await trial.forth();
    expect(readFileSync(trial.path('own.txt'), 'utf8')).toBe('agent\n');
  });

  it('undoes files that the command linked or moved in from outside', { tags: 'wide' }, async () => {
    await using trial = largeTrial();
    trial.write('a.txt', 'one');
    const before = trial.tree();
    for (const name of ['cache', 'moved']) writeFileSync(join(trial.folder, name), name);
    await trial.begin();
    trial.passTime();
    await trial.call(() => {
      linkSync(join(trial.folder, 'cache'), trial.path('linked'));
      renameSync(join(trial.folder, 'moved'), trial.path('moved'));
    });
    expect(await trial.back()).toMatchObject({ done: ['moved', 'linked'], isVerified: true });
    expect(trial.tree()).toEqual(before);
  });
});

it('takes back the folders that an edit made, not those that the user made for it', { tags: 'wide' }, async () => {
  await using trial = new UndoTrial();
  await trial.begin();
  trial.sh('mkdir mine');
  const before = trial.tree();
  await trial.edit('mine/deep/er/x.txt', 'agent');
  await trial.edit('own/y.txt', 'agent');
  expect(await trial.back()).toMatchObject({ skipped: [], isVerified: true });
  expect(trial.tree()).toEqual(before);
});

it('leaves what the user changed after the command ended, while it is being looked at', async () => {
  let end: number | undefined;
  await using trial = new UndoTrial({ timeOfDay: () => end ?? Date.now() });
  trial.write('a.txt', 'one');
  trial.write('b.txt', 'one');
  await trial.begin();
  await trial.call(() => {
    trial.write('b.txt', 'agent');
    trial.write('made/x', 'agent');
    end = Date.now();
    trial.passTime();
    trial.write('a.txt', 'user');
    trial.write('made/user', 'user');
  });
  const preview = await trial.desk.preview({ last: 1 });
  expect(preview.restored).toEqual(['b.txt']);
  expect(preview.deleted).toEqual(['made/x']);
  expect(preview.leftAlone).toMatchObject([
    { path: 'a.txt', reason: 'unclear' },
    { path: 'made', reason: 'not_empty' },
  ]);
  await trial.desk.apply(preview);
  expect(readFileSync(trial.path('a.txt'), 'utf8')).toBe('user');
  expect(readFileSync(trial.path('made/user'), 'utf8')).toBe('user');
});

it('undoes what a call changed while the clock of files stood still', async () => {
  await using trial = new UndoTrial({ timeOfDay: () => Date.now() + 500 });
  trial.write('a.txt', 'one');
  await trial.begin();
  const before = trial.tree();
  await trial.shell('echo agent > a.txt; echo agent > b.txt');
  expect(await trial.back()).toMatchObject({ skipped: [], isVerified: true });
  expect(trial.tree()).toEqual(before);
});
