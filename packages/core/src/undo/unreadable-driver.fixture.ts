/** A session of an ordinary user in a workspace with a file and folders that may not be read: see undo-cases.process.test.ts. */

import { chmodSync, readFileSync } from 'node:fs';
import { UndoTrial } from './undo.fixture.ts';

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
await trial.begin();
await trial.shell('echo two > a.txt; rm -f secret.txt; chmod 0444 closed');
const preview = await trial.desk.preview({ last: 1 });
const { isVerified } = await trial.desk.apply(preview);
const answer = {
  told: trial.told,
  restored: preview.restored,
  notCovered: preview.notCovered.map(({ path, reason }) => ({ path, reason })),
  isVerified,
  contents: ['a.txt', 'closed/inside.txt'].map((path) => readFileSync(trial.path(path), 'utf8')),
};
await trial.undo.dispose();
trial.recorder.close();
// oxlint-disable-next-line no-console -- a program of its own
console.log(JSON.stringify(answer));
