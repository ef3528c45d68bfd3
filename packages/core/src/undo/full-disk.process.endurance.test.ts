/** A disk that gets full at each single write of a reading, a walk or an undo (32): nothing half-written, nothing in silence. */

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { UndoTrial } from './undo.fixture.ts';

const PAGE = 4096;
/** More than all that is written. */
const PAGES = 40;
const isEndurance = inject('isEndurance');
const TIMEOUT_MS = 600_000;

/** A file system in memory whose free pages and names can be set, where the user may mount one. */
class SmallDisk implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'castor-small-'));

  constructor() {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,nr_inodes=1000', 'tmpfs', this.folder], { stdio: 'ignore' });
  }

  /** Leaves room for so many pages, or so many new files. */
  leave({ pages = 500, names = 500 }: { pages?: number; names?: number }): void {
    const used = (field: string, option: string) =>
      Number(execFileSync('stat', ['-f', '-c', field, option], { encoding: 'utf8' }).split(' ')[0]);
    const blocks = used('%b', this.folder) - used('%f', this.folder);
    const inodes = used('%c', this.folder) - used('%d', this.folder);
    const size = `size=${Math.max(blocks + pages, 1) * PAGE},nr_inodes=${inodes + names}`;
    execFileSync('mount', ['-o', `remount,${size}`, this.folder], { stdio: 'ignore' });
  }

  [Symbol.dispose](): void {
    execFileSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const canMount = (() => {
  try {
    new SmallDisk()[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
})();

/** How much is left, from nothing on. */
function roomsOf(names: number) {
  const all = [
    ...Array.from({ length: PAGES }, (_, count) => ({ pages: count })),
    ...Array.from({ length: names }, (_, count) => ({ names: count })),
  ];
  return isEndurance ? all : [all[1]!, all[PAGES + 1]!];
}

/** The room grew from none to enough: every write was the first that failed once. */
function expectAllCovered(fits: readonly boolean[]): void {
  if (isEndurance) expect([fits[0], fits[PAGES - 1], fits[PAGES], fits.at(-1)]).toEqual([false, true, false, true]);
}

describe.skipIf(!canMount)('a disk that is full at each write', () => {
  it(
    'of an undo: every file is as before or as after, and the rest follows when there is room',
    async () => {
      using disk = new SmallDisk();
      const root = join(disk.folder, 'work');
      mkdirSync(root);
      await using outside = new UndoTrial();
      await using trial = new UndoTrial({ root, beside: outside });
      for (const [index, name] of ['a', 'b', 'c/d', 'c/e', 'f'].entries())
        trial.write(name, `${name}\n`.repeat(PAGE * index));
      linkSync(trial.path('b'), trial.path('shared'));
      symlinkSync('a', trial.path('link'));
      await trial.begin();
      const before = trial.tree();
      const fits: boolean[] = [];
      for (const room of roomsOf(16)) {
        disk.leave({});
        trial.prompt();
        await trial.shell(
          'for f in a b f; do echo changed > $f; done; rm -r c link; mkdir new; echo x > new/x; ln -s f made',
        );
        const after = trial.tree();
        disk.leave(room);
        const preview = await trial.desk.preview({ last: 1 });
        const outcome = await trial.desk.apply(preview);
        const between = trial.tree();
        const name = JSON.stringify(room);
        expect(outcome.isVerified, name).toBe(true);
        // The mode of a folder that is being filled follows at the end.
        const isWhole = (path: string) =>
          between[path] === before[path] || between[path] === after[path] || path === 'c';
        for (const path of Object.keys(between)) expect(isWhole(path), `${name} ${path} ${between[path]}`).toBe(true);
        for (const path of Object.keys(before))
          expect(path in between || !(path in after), `${name} ${path}`).toBe(true);
        disk.leave({});
        if (outcome.skipped.length > 0) {
          expect(outcome.isDiskFull, name).toBe(true);
          await trial.desk.apply(await trial.desk.preview({ last: 1 }));
        }
        expect(trial.tree(), name).toEqual(before);
        fits.push(outcome.skipped.length === 0);
      }
      expectAllCovered(fits);
    },
    TIMEOUT_MS,
  );

  it(
    'of the store: no call fails, what is not kept is named, and what is undone is right',
    async () => {
      const fits: boolean[] = [];
      for (const room of roomsOf(16)) {
        using disk = new SmallDisk();
        const name = JSON.stringify(room);
        disk.leave(room);
        await using trial = new UndoTrial({ store: join(disk.folder, 'undo') });
        for (const file of ['a', 'b', 'c/d', 'c/e'])
          trial.write(file, execFileSync('head', ['-c', '6000', '/dev/urandom']));
        const before = trial.tree();
        await trial.begin();
        await trial.shell('echo changed > a; rm -r c; echo x > new');
        expect(readdirSync(trial.root).toSorted(), name).toEqual(['a', 'b', 'new']);
        const client = await trial.undo.use();
        if (client === undefined) {
          // Nothing can be kept at all: the user was told.
          expect(trial.told.join(), name).toMatch(/^Undo covers edits only in this workspace: /);
          fits.push(false);
          continue;
        }
        const { changes, notCovered, uncoveredCalls } = await trial.desk.preview({ call: 'c1' });
        const isNamed = notCovered.length + uncoveredCalls.length > 0;
        if (isNamed) expect(trial.told.join(), name).toMatch(/full|ENOSPC/);
        disk.leave({});
        const preview = await trial.desk.preview({ call: 'c1' });
        if (preview.changes.length > 0)
          expect(await trial.desk.apply(preview), name).toMatchObject({ isVerified: true });
        const now = trial.tree();
        for (const { path } of changes) if (path in now) expect(now[path], `${name} ${path}`).toBe(before[path]);
        if (!isNamed) expect(now, name).toEqual(before);
        fits.push(!isNamed);
      }
      expectAllCovered(fits);
    },
    TIMEOUT_MS,
  );
});
