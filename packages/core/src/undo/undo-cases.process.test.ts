/** The cases of isolation.md A.6 that need real programs, repositories, file systems or another user. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UndoTrial } from './undo.fixture.ts';

const NOBODY = 65_534;
const MEGABYTE = 1024 * 1024;

function canRun(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Runs as an ordinary user, since root may read everything. */
function runAsNobody(driver: string, folder: string) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return spawnSync(process.execPath, ['--experimental-transform-types', '--no-warnings', driver, folder], {
    encoding: 'utf8',
    cwd: '/',
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
}

/** Command, undo and redo, compared each time. */
async function proves(trial: UndoTrial, command: string, options = {}): Promise<void> {
  const before = trial.tree();
  trial.prompt(command);
  await trial.shell(command);
  const after = trial.tree();
  expect(after, command).not.toEqual(before);
  expect(await trial.back({ last: 1 }, options), command).toMatchObject({ skipped: [], isVerified: true });
  expect(trial.tree(), command).toEqual(before);
  expect(await trial.forth(options), command).toMatchObject({ skipped: [], isVerified: true });
  expect(trial.tree(), command).toEqual(after);
}

describe('undo of real programs', () => {
  it.skipIf(!canRun('npm', '--version'))('takes back npm install and npm uninstall (3)', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    trial.write('package.json', '{ "name": "work", "version": "1.0.0" }\n');
    const library = { name: 'one', version: '1.0.0', bin: './one.js', files: ['*.js'] };
    trial.write('packages/one/package.json', JSON.stringify(library));
    trial.write('packages/one/one.js', '#!/usr/bin/env node\n', 0o755);
    const cache = join(trial.folder, 'npm');
    const npm = (words: string) =>
      `npm ${words} --offline --no-audit --no-fund --cache ${cache} --install-links=true >/dev/null`;
    await trial.begin();
    await proves(trial, npm('install ./packages/one'));
    expect(trial.tree()).toMatchObject({
      'node_modules/.bin/one': 'link ../one/one.js',
      'node_modules/one/one.js': expect.stringMatching(/^file 755/),
      'package-lock.json': expect.stringMatching(/^file/),
    });
    await proves(trial, npm('uninstall one'));
    await trial.back({ to: '1' });
    expect(Object.keys(trial.tree()).some((path) => path.startsWith('node_modules'))).toBe(false);
  });

  it.skipIf(!canRun('git', '--version'))(
    'keeps what is in nested repositories, submodules and worktrees (11)',
    { tags: 'wide' },
    async () => {
      await using trial = new UndoTrial();
      const git = 'git -c user.name=n -c user.email=e@e -c init.defaultBranch=main -c protocol.file.allow=always';
      const commit = `git add -A && ${git} commit -qm x`;
      trial.sh(`mkdir ../library && cd ../library && ${git} init -q . && echo lib > lib.txt && ${commit}`);
      trial.sh(
        `${git} init -q . && echo one > a.txt && ${commit} && ${git} submodule -q add ../library sub && ${commit}`,
      );
      trial.sh(`${git} worktree add -q tree && ${git} init -q nested && cd nested && echo n > n.txt && ${commit}`);
      trial.sh(`${git} init -q unborn && echo u > unborn/u.txt`);
      await trial.begin();
      await proves(
        trial,
        'echo changed > sub/lib.txt; rm nested/n.txt; echo more >> unborn/u.txt; echo x > tree/new.txt',
      );
      await trial.back();
      const withGit = { withGit: true };
      await proves(trial, `cd sub && echo more > more.txt && ${commit}`, withGit);
      await proves(trial, 'rm -rf nested unborn tree', withGit);
      await proves(trial, `${git} submodule -q deinit -f sub`, withGit);
      await trial.back({ to: '1' }, withGit);
      const status = execFileSync('git', ['status', '--porcelain', '--ignored'], { cwd: trial.root, encoding: 'utf8' });
      expect(status).toBe('?? nested/\n?? tree/\n?? unborn/\n');
      expect(readFileSync(trial.path('sub/lib.txt'), 'utf8')).toBe('lib\n');
    },
  );
});

describe('what cannot be kept', () => {
  it('does not block: a pipe and a socket (20)', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', 'one');
    trial.sh('mkfifo pipe');
    await using server = createServer();
    await new Promise<void>((resolve) => void server.listen(trial.path('socket'), resolve));
    await trial.begin();
    await trial.shell('echo two > a.txt; rm pipe; mkfifo other');
    const preview = await trial.desk.preview({ last: 1 });
    expect(preview.notCovered.map(({ path, reason }) => [path, reason])).toEqual([
      ['other', 'special'],
      ['pipe', 'special'],
    ]);
    expect(await trial.desk.apply(preview)).toMatchObject({ done: ['a.txt'], isVerified: true });
    expect(lstatSync(trial.path('socket')).isSocket()).toBe(true);
  });

  it('is named and not fatal: a file and folders that the user may not read or enter (21)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'castor-unreadable-'));
    const driver = fileURLToPath(new URL('unreadable-driver.fixture.ts', import.meta.url));
    const { stdout, stderr } = runAsNobody(driver, folder);
    expect(stderr).toBe('');
    // A folder that is closed during a walk does not end it: what is in it is unknown, and not deleted.
    const closed = { changed: ['b/1', 'd'], noted: [['unreadable', 'b']] };
    const open = { changed: [], noted: [] };
    expect(JSON.parse(stdout)).toEqual({
      whileWalking: [closed, open, closed, open],
      // What was in a closed folder is unknown: it is not taken for new, and not deleted.
      opened: {
        restored: ['barred', 'barred/known.txt', 'locked'],
        deleted: [],
        notCovered: [
          { path: 'locked/inside.txt', reason: 'unreadable' },
          { path: 'locked/new.txt', reason: 'unreadable' },
        ],
        outcome: { done: ['barred/known.txt', 'locked', 'barred'], skipped: [], isVerified: true, isDiskFull: false },
        redone: ['barred', 'locked'],
        leftAlone: [{ path: 'barred/known.txt', reason: 'unreadable' }],
        contents: ['known', 'agent\n'],
      },
      told: ['Undo does not cover listed, locked, secret.txt (cannot be read).'],
      restored: ['a.txt', 'closed', 'shut'],
      notCovered: [
        { path: 'secret.txt', reason: 'unreadable' },
        { path: 'closed', reason: 'closed' },
        { path: 'shut', reason: 'closed' },
      ],
      isVerified: true,
      contents: ['one', 'kept', 'lost\n'],
    });
    execFileSync('chmod', ['-R', 'u+rwX', folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'is named at once: files of 30 MB and of 3 GB; a sparse file that fits is kept with its bytes (23)',
    { tags: 'wide' },
    async () => {
      await using trial = new UndoTrial();
      for (const [name, size] of [
        ['large', 30 * MEGABYTE],
        ['huge', 3000 * MEGABYTE],
        ['sparse', 3 * MEGABYTE],
      ] as const) {
        trial.write(name, 'begins');
        truncateSync(trial.path(name), size);
      }
      const before = readFileSync(trial.path('sparse'));
      trial.undo.begin();
      // Asked while the workspace is read for the first time: the answer waits for it (44).
      expect(await trial.undo.foretell('rm -f huge', trial.root)).toMatch(/^huge \(3\.1 GB\) is not kept/);
      expect(await trial.undo.foretell('ls huge', trial.root)).toBeUndefined();
      await trial.begin();
      // An edit touches no other file.
      await trial.edit('a.txt', 'new');
      expect(trial.told).toEqual([]);
      trial.prompt('a command');
      await trial.shell('rm huge; printf x >> large; printf x > sparse');
      expect(trial.told).toEqual(['Undo does not cover huge, large (above 10 MB).']);
      const preview = await trial.desk.preview({ last: 1 });
      expect(preview.restored).toEqual(['sparse']);
      expect(preview.notCovered.map(({ path, reason }) => [path, reason])).toEqual([
        ['huge', 'large'],
        ['large', 'large'],
      ]);
      expect(await trial.desk.apply(preview)).toMatchObject({ done: ['sparse'], isVerified: true });
      expect(readFileSync(trial.path('sparse')).equals(before)).toBe(true);
    },
  );

  const canMount = process.getuid?.() === 0 && canRun('mount', '--version');
  it.skipIf(!canMount)('is left alone: another file system inside the workspace (24)', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', 'one');
    mkdirSync(trial.path('mounted'));
    if (!canRun('mount', '-t', 'tmpfs', 'tmpfs', trial.path('mounted'))) return;
    try {
      trial.write('mounted/kept.txt', 'one');
      await trial.begin();
      await trial.shell('echo two > a.txt; echo two > mounted/kept.txt; echo new > mounted/new.txt');
      expect(await trial.back()).toMatchObject({ done: ['a.txt'], skipped: [], isVerified: true });
      expect(readFileSync(trial.path('mounted/kept.txt'), 'utf8')).toBe('two\n');
      expect(readFileSync(trial.path('mounted/new.txt'), 'utf8')).toBe('new\n');
      await trial.shell(`umount ${trial.path('mounted')}; rmdir mounted`);
      const { notCovered, changes } = await trial.desk.preview({ last: 1 });
      expect([changes, notCovered]).toMatchObject([[], [{ path: 'mounted', reason: 'special' }]]);
    } finally {
      canRun('umount', trial.path('mounted'));
    }
  });
});
