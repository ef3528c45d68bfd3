/** Undo when something goes wrong: a killed program, a store above its budget, deleted sessions. */

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../util/clock.ts';
import { collectGarbage } from './collect-garbage.ts';
import { ContentStore, hashOf } from './content-store.ts';
import { repairCutOff } from './repair-cut-off.ts';
import { UndoTrial } from './undo.fixture.ts';

describe('a killed program (33)', () => {
  it('finds out at the next start what its last call changed, and names it', async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', 'one');
    const before = trial.tree();
    await trial.begin();
    // As a kill leaves it: the call is on record, its walk is not.
    trial.recorder.workspace({
      $callStarted: { callId: 'killed', name: 'run_shell_command', hasEffects: true, description: 'make all' },
    });
    trial.recorder.workspace({ $walkStarted: { callId: 'killed', isCovered: true } });
    trial.sh('echo two > a.txt; mkdir out; echo x > out/x');
    const client = (await trial.undo.use())!;
    const { sessionId, root, recorder } = trial;
    const record = (each: object) => recorder.workspace(each);
    const { sentences } = await repairCutOff({
      client,
      clock: systemClock,
      root,
      sessionId,
      path: recorder.path,
      record,
    });
    expect(sentences.join()).toMatch(/stopped during .*make all.*3 paths/);
    await trial.back();
    expect(trial.tree()).toEqual(before);
  });

  it('does not take what the user did after the kill for the work of its last call', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', 'one');
    trial.write('b.txt', 'one');
    await trial.begin();
    const { sessionId, root, recorder, store } = trial;
    const call = { callId: 'killed', name: 'run_shell_command', hasEffects: true, description: 'make all' };
    trial.recorder.workspace({ $callStarted: call });
    trial.recorder.workspace({ $walkStarted: { callId: 'killed', isCovered: true, at: Date.now() } });
    trial.sh('echo agent > a.txt; echo agent > made');
    // The process notes when its program ended: here an hour ago, before the user went on.
    await trial.undo.dispose();
    const ended = join(store, 'manifests', `${sessionId}.ended`);
    expect(Number(readFileSync(ended, 'utf8'))).toBeGreaterThan(0);
    await using other = new UndoTrial({ beside: trial });
    await other.begin();
    const client = (await other.undo.use())!;
    const hour = 3_600_000;
    writeFileSync(ended, String(Date.now() - hour + 2000));
    const record = (each: object) => recorder.workspace(each);
    const read = readFileSync(recorder.path, 'utf8');
    writeFileSync(recorder.path, read.replace(/"at":\d+/, `"at":${Date.now() - hour}`));
    const { sentences } = await repairCutOff({
      client,
      clock: systemClock,
      root,
      sessionId,
      path: recorder.path,
      record,
    });
    expect(sentences.join()).toMatch(/make all.*0 paths/);
    const preview = await other.deskOf(trial).preview({ call: 'killed' });
    expect(preview.changes).toEqual([]);
  });

  it('completes an undo that was cut off, and removes its unfinished files', async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', 'one');
    trial.write('b.txt', 'one');
    const before = trial.tree();
    await trial.begin();
    await trial.shell('echo two > a.txt; echo two > b.txt; mkdir d');
    const preview = await trial.desk.preview({ last: 1 });
    const record = (each: object) => trial.recorder.workspace(each);
    const { toStoredChange } = await import('./tree-state.ts');
    record({
      $undoStarted: { id: 'u1', kind: 'undo', callIds: preview.callIds, changes: preview.changes.map(toStoredChange) },
    });
    trial.sh('printf one > a.txt; printf half > .castor-undo-999999-x1-0.tmp');
    const client = (await trial.undo.use())!;
    const { sessionId, root, recorder } = trial;
    const { sentences } = await repairCutOff({
      client,
      clock: systemClock,
      root,
      sessionId,
      path: recorder.path,
      record,
    });
    expect(sentences.join()).toMatch(/undo of .* complete now/);
    expect(trial.tree()).toEqual(before);
    expect((await trial.desk.list())[0]).toMatchObject({ isUndone: true });
  });

  it('names what was changed since an undo was cut off, and leaves it', async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', 'one');
    trial.write('b.txt', 'one');
    await trial.begin();
    await trial.shell('echo two > a.txt; echo two > b.txt');
    const { callIds, changes } = await trial.desk.preview({ last: 1 });
    const record = (each: object) => trial.recorder.workspace(each);
    const { toStoredChange } = await import('./tree-state.ts');
    record({ $undoStarted: { id: 'u1', kind: 'undo', callIds, changes: changes.map(toStoredChange) } });
    trial.write('b.txt', 'user');
    const client = (await trial.undo.use())!;
    const { sessionId, root, recorder } = trial;
    const common = { client, clock: systemClock, root, sessionId, path: recorder.path, record };
    const { sentences, finished } = await repairCutOff(common);
    expect(sentences.join()).toMatch(/undo of .*the rest of it is done now; left alone: b\.txt \(it was changed since/);
    expect(finished?.outcome).toMatchObject({ done: ['a.txt'], skipped: [{ path: 'b.txt' }] });
    expect([readFileSync(trial.path('a.txt'), 'utf8'), readFileSync(trial.path('b.txt'), 'utf8')]).toEqual([
      'one',
      'user',
    ]);
  });
});

describe('the store', () => {
  it(
    'stays within its budget during one walk of a large workspace, and says what it does not keep',
    { tags: 'wide' },
    async () => {
      await using trial = new UndoTrial({ budget: { freeBytes: 0, shareOfFree: 1, storeBytes: 3_000_000 } });
      for (let file = 0; file < 12; file++)
        trial.write(`f${file}`, execFileSync('head', ['-c', '900000', '/dev/urandom'], { maxBuffer: 2e6 }));
      await trial.begin();
      const segments = join(trial.store, 'segments');
      const size = readdirSync(segments).reduce((sum, name) => sum + statSync(join(segments, name)).size, 0);
      expect(size).toBeLessThan(5_000_000);
      expect(trial.told.join()).toMatch(/^Undo does not cover \d+ files: the disk or the store of undo is full/);
      await trial.shell('rm f0 f9; echo new > new');
      const preview = await trial.desk.preview({ last: 1 });
      expect(preview.recreated).toEqual(['f0']);
      expect(preview.notCovered).toMatchObject([{ path: 'f9', reason: 'lost' }]);
      expect(preview.deleted).toEqual(['new']);
    },
  );

  it('cuts a torn end off, and goes on', () => {
    const folder = mkdtempSync(join(tmpdir(), 'castor-store-'));
    const store = new ContentStore(folder);
    const one = store.put(Buffer.from('one'));
    store.flush();
    store.put(Buffer.from('two'));
    store.flush();
    store.close();
    const [name] = readdirSync(join(folder, 'segments'));
    const path = join(folder, 'segments', name!);
    truncateSync(path, statSync(path).size - 3);
    const again = new ContentStore(folder);
    expect(again.get(one)?.toString()).toBe('one');
    expect(again.get(hashOf(Buffer.from('two')))).toBeUndefined();
    expect(again.get(again.put(Buffer.from('two')))?.toString()).toBe('two');
    again.close();
    rmSync(folder, { recursive: true });
  });

  it('drops the oldest points first when it is above its budget (42), and everything unused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'castor-store-'));
    const store = new ContentStore(folder);
    const random = () => execFileSync('head', ['-c', '900000', '/dev/urandom'], { maxBuffer: 2e6 });
    const points = Array.from({ length: 6 }, () => [store.put(random())]);
    const nobodys = store.put(random());
    store.flush();
    const collected = collectGarbage({ store, manifests: [], points, storeBytes: 3_000_000 });
    expect(collected.dropped).toBe(3);
    expect(collected.bytes).toBeLessThan(4_000_000);
    expect(points.map(([hash]) => store.get(hash!) !== undefined)).toEqual([true, true, true, false, false, false]);
    expect(store.get(nobodys)).toBeUndefined();
    store.close();
    rmSync(folder, { recursive: true });
  });

  it('says nothing about a reading that its end cut off', { tags: 'wide' }, async () => {
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    await using trial = new UndoTrial({
      // The time to wait for it is over at once.
      clock: { ...systemClock, sleep: () => Promise.resolve() },
      repair: async () => resolve(),
    });
    for (let count = 0; count < 300; count++) trial.write(`${count}.txt`, 'one');
    trial.prompt();
    trial.undo.begin();
    await opened;
    await new Promise(setImmediate);
    await trial.undo.dispose();
    expect(trial.told).toEqual([]);
  });

  it('is found again by another process of the same session (36)', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', 'one');
    const before = trial.tree();
    await trial.begin();
    await trial.shell('echo two > a.txt; rm -f b; ln -s a.txt b');
    await trial.undo.dispose();
    await using other = new UndoTrial({ beside: trial });
    const desk = other.deskOf(trial);
    const outcome = await desk.apply(await desk.preview({ last: 1 }));
    expect(outcome.isVerified).toBe(true);
    expect(trial.tree()).toEqual(before);
    expect(existsSync(trial.store)).toBe(true);
    expect(readFileSync(trial.path('a.txt'), 'utf8')).toBe('one');
  });
});
