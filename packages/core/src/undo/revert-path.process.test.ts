/** A file that `/diff` reverts: a step of the user's own, which undo takes back without the prompts before it. */

import { expect, it } from 'vitest';
import { revertPath } from './revert-path.ts';
import { UndoTrial } from './undo.fixture.ts';

it('is a step of its own: undo takes back the revert, and the prompt only with the next undo', async () => {
  await using trial = new UndoTrial();
  trial.write('a.txt', 'one\n');
  trial.write('b.txt', 'one\n');
  await trial.begin();
  const original = trial.tree();
  await trial.edit('a.txt', 'two\n');
  await trial.shell('echo two > b.txt');
  const changed = trial.tree();
  const client = await trial.undo.use();
  expect(await revertPath('a.txt', trial.desk, client!, (each) => trial.recorder.workspace(each))).toEqual([]);
  await trial.undo.refresh();
  expect(trial.tree()).toEqual({ ...changed, 'a.txt': original['a.txt'] });
  expect((await trial.desk.list()).map(({ text, files }) => [text, files])).toEqual([
    ['prompt 1', 2],
    ['/diff, a.txt reverted', 1],
  ]);
  expect(await trial.back()).toMatchObject({ done: ['a.txt'], isVerified: true });
  expect(trial.tree()).toEqual(changed);
  expect(await trial.back()).toMatchObject({ isVerified: true });
  expect(trial.tree()).toEqual(original);
});
