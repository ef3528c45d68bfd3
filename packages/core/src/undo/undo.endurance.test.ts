/**
 * Any sequence of edits, commands, changes by the user, undos and redos: what is undone is exactly as it was, what the
 * user changed stays, and nothing else is touched.
 */

import { expect, inject, it } from 'vitest';
import type { Stats } from 'node:fs';
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { UndoTrial } from './undo.fixture.ts';

const isEndurance = inject('isEndurance');
const SEQUENCES = isEndurance ? 2000 : 20;
/** Sequences that share a process and a session. */
const PER_SESSION = 20;
const STEPS = 6;
const TIMEOUT_MS = 1_800_000;
const NAMES = ['a', 'b', 'c', 'd/e', 'd/f', 'g/h/i', 'g/j'];

/** A small generator, so that a failure names its seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** A link is found itself. */
function findAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Changes one path in any way. */
function mutate(trial: UndoTrial, random: (below: number) => number): void {
  const name = NAMES[random(NAMES.length)]!;
  const path = trial.path(name);
  const parent = path.slice(0, path.lastIndexOf('/'));
  if (findAt(parent)?.isDirectory() === false) rmSync(parent);
  const kind = random(7);
  const found = findAt(path);
  if (kind === 0) rmSync(path, { recursive: true, force: true });
  else if (kind === 1 && found?.isFile()) chmodSync(path, [0o600, 0o644, 0o755][random(3)]!);
  else if (kind === 2 && found && !findAt(trial.path('moved'))) renameSync(path, trial.path('moved'));
  else if (kind === 3) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(parent, { recursive: true });
    symlinkSync(`target-${random(5)}`, path);
  } else if (kind === 4) {
    if (!found?.isDirectory()) rmSync(path, { force: true });
    mkdirSync(path, { recursive: true });
  } else {
    if (found && !found.isFile()) rmSync(path, { recursive: true, force: true });
    mkdirSync(parent, { recursive: true });
    writeFileSync(path, `content ${random(20)}\n`.repeat(1 + random(3)));
  }
}

it(
  `undoes exactly, in ${SEQUENCES} random sequences`,
  async () => {
    for (let seed = 1; seed <= SEQUENCES; seed += PER_SESSION) {
      await using trial = new UndoTrial();
      await trial.begin();
      for (let each = seed; each < seed + PER_SESSION && each <= SEQUENCES; each++) await runSequence(trial, each);
    }
  },
  TIMEOUT_MS,
);

function apartFrom(path: string, tree: Readonly<Record<string, string>>): Record<string, string> {
  const isNear = (each: string) => path === each || path.startsWith(`${each}/`) || each.startsWith(`${path}/`);
  return Object.fromEntries(Object.entries(tree).filter(([each]) => !isNear(each)));
}

async function runSequence(trial: UndoTrial, seed: number): Promise<void> {
  const random = randomFrom(seed);
  // What the user does between the sequences belongs to nobody.
  trial.sh('rm -rf ./* ./.[!.]*');
  for (let count = random(6); count > 0; count--) mutate(trial, random);
  await trial.undo.refresh();
  /** The tree before each prompt that is not undone. */
  let before: Record<string, string>[] = [];
  let redo: { after: Record<string, string>; count: number }[] = [];
  /** A file that the user changed, when so many prompts were not undone. */
  let users: { path: string; own: string; state: string; since: number } | undefined;
  const check = (wanted: Record<string, string>, what: string, prompts = 0) => {
    const name = `seed ${seed}, ${what}`;
    // What came after the user's change is undone as always.
    if (users === undefined || prompts >= users.since) expect(trial.tree(), name).toEqual(wanted);
    else {
      const tree = trial.tree();
      // As it is, as the user left it, or as a later call did that is redone.
      const redone = what === 'redo' ? [wanted[users.path]] : [];
      expect([users.state, users.own, ...redone], name).toContain(tree[users.path]);
      users = { ...users, state: tree[users.path]! };
      // What the user's file does not lie in is as if the user had changed nothing.
      expect(apartFrom(users.path, tree), name).toEqual(apartFrom(users.path, wanted));
    }
  };
  for (let step = 0; step < STEPS; step++) {
    const kind = random(8);
    if (kind <= 2) {
      trial.prompt(`seed ${seed}, step ${step}`);
      const tree = trial.tree();
      if (kind > 0)
        await trial.call(() => {
          for (let count = 1 + random(4); count > 0; count--) mutate(trial, random);
        });
      if (kind < 2) await trial.edit(`new${random(3)}/edited.txt`, `edit ${random(9)}`);
      await trial.undo.settled();
      if (users !== undefined) users = { ...users, state: trial.tree()[users.path] ?? '' };
      if (users !== undefined && users.state === '') return;
      if (JSON.stringify(tree) !== JSON.stringify(trial.tree())) {
        before.push(tree);
        redo = [];
      }
    } else if (kind <= 4 && before.length > 0) {
      const after = trial.tree();
      const count = 1 + random(before.length);
      const outcome = await trial.back({ last: count });
      expect(outcome, `seed ${seed}`).toMatchObject({ isVerified: true, skipped: [] });
      const first = before.length - count;
      check(before[first]!, 'undo', first);
      if (users && first >= users.since) users = { ...users, state: before[first]![users.path] ?? '' };
      redo.push({ after, count });
      before = before.slice(0, -count);
    } else if (kind === 5 && redo.length > 0) {
      const { after } = redo.pop()!;
      await trial.forth();
      check(after, 'redo');
      return;
    } else if (kind === 6 && users?.path !== 'user.txt') {
      trial.write('user.txt', `user ${random(9)}`);
      const state = trial.tree()['user.txt']!;
      before = before.map((each) => ({ ...each, 'user.txt': state }));
      redo = redo.map((each) => ({ ...each, after: { ...each.after, 'user.txt': state } }));
    } else if (kind === 7 && before.length > 0 && users === undefined) {
      const path = Object.keys(trial.tree()).find((name) => trial.tree()[name]!.startsWith('file'));
      if (path === undefined) continue;
      writeFileSync(trial.path(path), `the user's own ${seed} ${step}`);
      const own = trial.tree()[path]!;
      users = { path, own, state: own, since: before.length };
    }
  }
}
