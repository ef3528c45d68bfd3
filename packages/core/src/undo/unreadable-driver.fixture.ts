/** A session of an ordinary user in a workspace with a file and folders that may not be read: see undo-cases.process.test.ts. */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './content-store.ts';
import { UndoTrial } from './undo.fixture.ts';
import { walkTree } from './walk-tree.ts';

const [folder = ''] = process.argv.slice(2);
const trial = new UndoTrial({ folder });
trial.write('a.txt', 'one');
trial.write('secret.txt', 'hidden', 0o000);
trial.write('locked/inside.txt', 'hidden');
chmodSync(trial.path('locked'), 0o000);
// May be listed, not entered.
trial.write('listed/inside.txt', 'hidden');
chmodSync(trial.path('listed'), 0o444);
trial.write('closed/inside.txt', 'kept');
trial.write('shut/up', 'kept');
const whileWalking = walkWhileClosing(join(folder, 'walked'));
await trial.begin();
await trial.shell('echo two > a.txt; rm -f secret.txt; chmod 0444 closed; echo lost > shut/up; chmod 0 shut');
const preview = await trial.desk.preview({ last: 1 });
const { isVerified } = await trial.desk.apply(preview);
const opened = await openAndUndo();
const answer = {
  opened,
  whileWalking,
  told: trial.told,
  restored: preview.restored,
  notCovered: preview.notCovered.map(({ path, reason }) => ({ path, reason })),
  isVerified,
  contents: ['a.txt', 'closed/inside.txt', 'shut/up'].map((path) => readFileSync(trial.path(path), 'utf8')),
};
await trial.undo.dispose();
trial.recorder.close();
// oxlint-disable-next-line no-console -- a program of its own
console.log(JSON.stringify(answer));

/** A command opens folders that the user had closed: one before anything of it was read, one after. Undo closes them again. */
async function openAndUndo(): Promise<object> {
  trial.write('barred/known.txt', 'known');
  await trial.shell('true');
  chmodSync(trial.path('barred'), 0o444);
  await trial.shell('chmod 755 barred locked; echo agent | tee barred/known.txt locked/inside.txt > locked/new.txt');
  const opening = await trial.desk.preview({ last: 1 });
  const outcome = await trial.desk.apply(opening);
  const redo = await trial.desk.previewRedo();
  for (const name of ['barred', 'locked']) chmodSync(trial.path(name), 0o755);
  return {
    restored: opening.restored,
    deleted: opening.deleted,
    notCovered: opening.notCovered.map(({ path, reason }) => ({ path, reason })),
    outcome,
    redone: redo.restored,
    leftAlone: redo.leftAlone.map(({ path, reason }) => ({ path, reason })),
    contents: ['barred/known.txt', 'locked/inside.txt'].map((path) => readFileSync(trial.path(path), 'utf8')),
  };
}

/** Walks during which the folder `b` is closed as soon as a content of it is read: first one that lists it, then one that knows its names. */
function walkWhileClosing(place: string): unknown[] {
  const before = process.cwd();
  mkdirSync(join(place, 'work/b/c'), { recursive: true });
  process.chdir(join(place, 'work'));
  for (const path of ['a', 'b/1', 'b/2', 'b/c/3', 'd']) writeFileSync(path, 'first');
  let last: string | undefined;
  const walk = (next: string, areListsKnown: boolean) => {
    const { changes, unkept } = walkTree({
      ...{ previous: last, next: join(place, next), areListsKnown, exclude: new Set<string>() },
      // Nothing is so young that a later change could have the same time.
      moment: Date.now() + 10_000,
      keep: (bytes) => {
        if (bytes.includes('close')) chmodSync('b', 0o000);
        return hashOf(bytes);
      },
      store: { has: () => true, hasBytes: () => true },
      limits: { fileBytes: 1e6, rebuildableBytes: 1e6, rebuildableFiles: 1000, entries: 1000, totalBytes: 1e9 },
    });
    last = join(place, next);
    chmodSync('b', 0o755);
    const noted = [...unkept].map(([reason, { paths }]) => [reason, ...paths.keys()]);
    return { changed: changes.call.map(({ path }) => path), noted };
  };
  walk('first', false);
  const results = [];
  for (const areListsKnown of [false, true]) {
    writeFileSync('b/1', `close it ${areListsKnown ? 'again' : 'once'}`);
    writeFileSync('d', `seen ${areListsKnown ? 'again' : 'once'}`);
    results.push(walk(`closed ${areListsKnown}`, areListsKnown), walk(`open ${areListsKnown}`, false));
  }
  process.chdir(before);
  return results;
}
