/** What an undo leaves because it was not asked for it can be taken back by another one, and nothing is passed over in silence. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../util/clock.ts';
import { applyChanges } from './apply-changes.ts';
import { describeChange } from './describe-changes.ts';
import { NotInSession } from './undo-preview.ts';
import { UndoTrial } from './undo.fixture.ts';

it('takes the data of a deleted repository back afterwards, with --git', async () => {
  await using trial = new UndoTrial();
  trial.sh('mkdir nested; cd nested; git init -q; echo one > a.txt');
  const before = trial.tree();
  await trial.begin();
  await trial.shell('rm -rf nested');
  expect(await trial.back()).toMatchObject({ done: ['nested', 'nested/a.txt'], skipped: [] });
  expect(Object.keys(trial.tree())).toEqual(['nested', 'nested/a.txt']);
  await expect(trial.back()).rejects.toThrow('Nothing to undo');
  expect(await trial.back({ last: 1 }, { withGit: true })).toMatchObject({ skipped: [], isVerified: true });
  expect(trial.tree()).toEqual(before);
  await expect(trial.back({ last: 1 }, { withGit: true })).rejects.toThrow('Nothing to undo');
  await trial.forth({ withGit: true });
  await trial.forth();
  expect(trial.tree()).toEqual({});
});

it('leaves what commands of two sessions may both have made, unless the user asks for it', async () => {
  await using one = new UndoTrial();
  one.write('a.txt', 'one');
  const before = one.tree();
  await one.begin();
  await using two = new UndoTrial({ beside: one });
  await two.begin();
  // More than a record holds itself.
  const many = 'for n in $(seq 40); do echo b > b$n; done';
  await one.call(async () => {
    one.sh('echo uno > a.txt');
    await two.shell(many);
  });
  for (const trial of [one, two]) {
    const { leftAlone } = await trial.desk.preview({ last: 1 });
    expect(leftAlone).toHaveLength(40);
    expect(leftAlone[0]).toEqual({ path: 'b1', reason: 'shared', because: expect.stringContaining('--shared') });
  }
  expect(await one.back()).toMatchObject({ done: ['a.txt'], skipped: [] });
  await expect(one.back()).rejects.toThrow('Nothing to undo');
  const preview = await one.desk.preview({ last: 1 }, { withShared: true });
  expect(preview.shared).toHaveLength(40);
  expect(await one.desk.apply(preview)).toMatchObject({ skipped: [], isVerified: true });
  expect(one.tree()).toEqual(before);
});

it('does not pass a call without cover over', async () => {
  await using trial = new UndoTrial({ clock: { ...systemClock, sleep: () => Promise.resolve() } });
  for (let count = 0; count < 300; count++) trial.write(`${count}.txt`, 'one');
  trial.prompt();
  await trial.shell('echo two > 0.txt');
  expect((await trial.desk.list())[0]).toMatchObject({ files: 0, calls: [{ callId: 'c1', isCovered: false }] });
  const problem = await trial.desk.preview({ last: 1 }).catch((error: unknown) => error);
  expect(String(problem)).toContain('1 call ran while undo covered edits only');
  // Else what an earlier session changed would be taken back in its place.
  expect(problem).not.toBeInstanceOf(NotInSession);
});

it('stops restoring when the program that asked for it is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'castor-apply-'));
  const here = process.cwd();
  process.chdir(folder);
  try {
    for (const name of ['a', 'b']) writeFileSync(name, 'agent');
    const made = { kind: 'file', mode: -1, content: 'hash', size: 5 } as const;
    let asked = 0;
    const applied = applyChanges({
      changes: ['a', 'b'].map((path) => ({ path, before: made, after: null })),
      ...{ read: () => undefined, keep: () => 'hash', fileBytes: 100, shared: new Map() },
      isAbandoned: () => ++asked > 1,
    });
    await expect(applied).rejects.toThrow('has ended');
    expect(readFileSync('a', 'utf8')).toBe('agent');
    expect(() => readFileSync('b')).toThrow('ENOENT');
  } finally {
    process.chdir(here);
    rmSync(folder, { recursive: true });
  }
});

it('shows a name with a newline in one line of a header', async () => {
  const after = { kind: 'file', mode: 0o644, content: 'hash', size: 2 } as const;
  const change = { path: 'a\n+++ b', before: null, after };
  const { diff } = await describeChange(change, async () => Buffer.from('x\n'));
  expect(diff?.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^(Index: |---) *"a\\n\+\+\+ b"/),
    expect.any(String),
    expect.any(String),
  ]);
  expect(diff).not.toContain('a\n');
});
