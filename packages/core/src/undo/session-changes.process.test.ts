/** The diffs of many changes: the session's file is read once for all of them, and a content that no walk has seen comes from the workspace. */

import { expect, it } from 'vitest';
import { sessionChanges } from './session-changes.ts';
import { UndoDesk } from './undo-desk.ts';
import { UndoTrial } from './undo.fixture.ts';

const FILES = 40;

it('asks for lists once, not again for each of the files', async () => {
  await using trial = new UndoTrial();
  for (let file = 0; file < FILES; file++) trial.write(`f${file}`, 'one\n');
  await trial.begin();
  await trial.shell('for f in f*; do echo two > $f; done');
  const client = await trial.undo.use();
  const asked: string[] = [];
  const { root, recorder } = trial;
  const counted = Object.assign(Object.create(client!) as NonNullable<typeof client>, {
    ask: (request: Parameters<NonNullable<typeof client>['ask']>[0]) => {
      asked.push(request.do);
      return client!.ask(request);
    },
  });
  const clock = { now: () => 0, sleep: async () => undefined, random: () => 0 };
  const desk = new UndoDesk({ root, path: recorder.path, client: async () => counted, record: () => undefined, clock });
  const { files } = await sessionChanges(desk);
  expect(files).toHaveLength(FILES);
  expect(files.every(({ diff }) => diff?.includes('-one\n+two\n'))).toBe(true);
  expect(asked.filter((each) => each === 'list').length).toBeLessThan(4);
});

it('shows what an edit wrote where no walk keeps it', async () => {
  await using trial = new UndoTrial({ editsOnly: 'it is a home folder' });
  await trial.edit('made.txt', 'by an edit\n');
  const { files } = await sessionChanges(trial.desk);
  expect(files).toMatchObject([{ path: 'made.txt', kind: 'added', diff: expect.stringContaining('+by an edit\n') }]);
});
