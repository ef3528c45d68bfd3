/**
 * Any sequence of edits, commands, changes by the user, undos and redos: after each undo and redo the tree is, byte by
 * byte and mode by mode, what the rules of docs/undo.md say.
 */

import { expect, inject, it } from 'vitest';
import type { Stats } from 'node:fs';
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { UndoOracle } from './undo-oracle.fixture.ts';
import { UndoTrial } from './undo.fixture.ts';

const isEndurance = inject('isEndurance');
const SEQUENCES = isEndurance ? 2000 : 2;
/** Sequences that share a process and a session. */
const PER_SESSION = 20;
const STEPS = 9;
const TIMEOUT_MS = 3_600_000;
const NAMES = ['a', 'b', 'c', 'd', 'd/e', 'd/f', 'g', 'g/h', 'g/h/i', 'g/j', 'new', 'new/deep'];
const MODES = [0o600, 0o644, 0o755];
const FOLDER_MODES = [0o700, 0o755];

type Random = (below: number) => number;

/** A small generator, so that a failure names its seed. */
function randomFrom(seed: number): Random {
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
function mutate(trial: UndoTrial, random: Random): void {
  const name = NAMES[random(NAMES.length)]!;
  const path = trial.path(name);
  makeParents(trial, name);
  const kind = random(8);
  const found = findAt(path);
  if (kind === 0) rmSync(path, { recursive: true, force: true });
  else if (kind === 1 && found?.isFile()) chmodSync(path, MODES[random(MODES.length)]!);
  else if (kind === 1 && found?.isDirectory()) chmodSync(path, FOLDER_MODES[random(FOLDER_MODES.length)]!);
  else if (kind === 2 && found && !findAt(trial.path('moved'))) renameSync(path, trial.path('moved'));
  else if (kind === 3) {
    rmSync(path, { recursive: true, force: true });
    symlinkSync(`target-${random(5)}`, path);
  } else if (kind === 4) {
    if (!found?.isDirectory()) rmSync(path, { force: true });
    mkdirSync(path, { recursive: true });
  } else {
    if (found && !found.isFile()) rmSync(path, { recursive: true, force: true });
    writeFileSync(path, `content ${random(20)}\n`.repeat(1 + random(3)));
  }
}

/** What lies above a name becomes a folder. */
function makeParents(trial: UndoTrial, name: string): void {
  const parts = name.split('/').slice(0, -1);
  for (const [index] of parts.entries()) {
    const parent = trial.path(parts.slice(0, index + 1).join('/'));
    if (findAt(parent)?.isDirectory() === false) rmSync(parent);
    mkdirSync(parent, { recursive: true });
  }
}

/** A path that an edit tool can write: a file, or none, below folders. */
function editable(trial: UndoTrial, random: Random): string | undefined {
  const name = ['a', 'd/e', 'g/h/i', 'new/edited.txt', 'new/deep/edited.txt'][random(5)]!;
  const parts = name.split('/');
  const isFree = parts.slice(0, -1).every((_, index) => {
    const found = findAt(trial.path(parts.slice(0, index + 1).join('/')));
    return found === undefined || found.isDirectory();
  });
  const found = isFree ? findAt(trial.path(name)) : undefined;
  return isFree && (found === undefined || found.isFile()) ? name : undefined;
}

it(
  `leaves exactly what the rules say, in ${SEQUENCES} random sequences`,
  async () => {
    for (let seed = 1; seed <= SEQUENCES; seed += PER_SESSION) {
      await using trial = new UndoTrial();
      await trial.begin();
      for (let each = seed; each < seed + PER_SESSION && each <= SEQUENCES; each++)
        await new Sequence(trial, each).run();
    }
  },
  TIMEOUT_MS,
);

class Sequence {
  private readonly trial: UndoTrial;
  private readonly seed: number;
  private readonly random: Random;
  private oracle = new UndoOracle({});
  /** The calls of each prompt. */
  private readonly prompts: string[][] = [];
  private readonly story: string[] = [];

  constructor(trial: UndoTrial, seed: number) {
    this.trial = trial;
    this.seed = seed;
    this.random = randomFrom(seed);
  }

  async run(): Promise<void> {
    const { trial, random } = this;
    // What the user does between the sequences belongs to no call.
    trial.sh('rm -rf ./* ./.[!.]*');
    for (let count = random(8); count > 0; count--) mutate(trial, random);
    await trial.undo.refresh();
    this.oracle = new UndoOracle(trial.tree());
    for (let step = 0; step < STEPS; step++) await this.step();
  }

  private async step(): Promise<void> {
    const { trial, random } = this;
    const kind = random(9);
    if (kind <= 2) await this.prompt(kind);
    else if (kind <= 5) await this.undo();
    else if (kind === 6 && this.oracle.canRedo) await this.redo();
    else {
      // The user, while no call runs: seen by the walk before the next command, or by the undo itself.
      mutate(trial, random);
      this.story.push('user');
    }
  }

  /** Commands, edits, or both. */
  private async prompt(kind: number): Promise<void> {
    const { trial, random } = this;
    trial.prompt(`seed ${this.seed}`);
    const calls: string[] = [];
    this.prompts.push(calls);
    for (let count = 1 + random(2); count > 0; count--) {
      const name = kind === 0 ? editable(trial, random) : undefined;
      this.oracle.see(trial.tree());
      if (name === undefined)
        calls.push(
          await trial.call(() => {
            for (let each = 1 + random(4); each > 0; each--) mutate(trial, random);
          }),
        );
      else {
        const isRemoved = findAt(trial.path(name)) !== undefined && random(4) === 0;
        calls.push(await trial.edit(name, isRemoved ? null : `edit ${random(9)}`));
        await trial.undo.settled();
      }
      this.oracle.see(trial.tree(), calls.at(-1)!);
      this.story.push(name === undefined ? 'command' : `edit ${name}`);
    }
  }

  private async undo(): Promise<void> {
    const { trial, random } = this;
    const changed = this.prompts.filter((calls) => this.oracle.hasChanges(calls));
    if (changed.length === 0) return;
    const isCall = random(3) === 0;
    const last = 1 + random(changed.length);
    const since = this.prompts.slice(this.prompts.indexOf(changed.at(-last)!)).flat();
    const call = since[random(since.length)]!;
    const wanted = this.oracle.undo(trial.tree(), new Set(isCall ? [call] : since));
    const outcome = await trial.back(isCall ? { call } : { last });
    this.story.push(isCall ? 'undo of a call' : `undo ${last}`);
    this.check(wanted, outcome);
  }

  private async redo(): Promise<void> {
    const wanted = this.oracle.redo(this.trial.tree());
    const outcome = await this.trial.forth();
    this.story.push('redo');
    this.check(wanted, outcome);
  }

  private check(wanted: Readonly<Record<string, string>>, outcome: unknown): void {
    const name = `seed ${this.seed}: ${this.story.join(', ')}`;
    expect({ tree: this.trial.tree(), outcome, told: this.trial.told }, name).toEqual({
      tree: wanted,
      outcome: expect.objectContaining({ isVerified: true, skipped: [] }),
      told: [],
    });
  }
}
