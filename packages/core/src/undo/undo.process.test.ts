/** Undo of what commands did: byte by byte, mode by mode, and back again. The numbers are those of isolation.md A.6. */

import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UndoTrial } from './undo.fixture.ts';

const hasGit = canRun('git', '--version');
const hasPerl = canRun('perl', '-v');

function canRun(program: string, argument: string): boolean {
  try {
    execFileSync(program, [argument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function fill(trial: UndoTrial): void {
  trial.write('a.txt', 'one\n');
  trial.write('src/b.ts', 'export const b = 1;\n');
  trial.write('src/deep/c.bin', Buffer.from([0, 1, 2, 255]));
  trial.write('.env', 'SECRET=1\n', 0o600);
  trial.write('.gitignore', '.env\nnode_modules\n');
  trial.write('node_modules/x/index.js', 'x');
  trial.write('run.sh', '#!/bin/sh\n', 0o755);
}

/** Each: command, undo, redo, undo, compared each time. */
async function proves(trial: UndoTrial, name: string, command: string, options = {}): Promise<void> {
  const before = trial.tree();
  trial.prompt(name);
  await trial.shell(command);
  const after = trial.tree();
  expect(after, name).not.toEqual(before);
  expect(await trial.back({ last: 1 }, options), name).toMatchObject({ skipped: [], isVerified: true });
  expect(trial.tree(), name).toEqual(before);
  expect(await trial.forth(options), name).toMatchObject({ skipped: [], isVerified: true });
  expect(trial.tree(), name).toEqual(after);
  await trial.back({ last: 1 }, options);
  expect(trial.tree(), name).toEqual(before);
}

/** One of each kind. */
const CHANGES = {
  '1 create': 'echo new > new.txt; mkdir -p d/e; echo f > d/e/f',
  '1 modify': 'echo two > a.txt',
  '1 delete': 'rm a.txt',
  '4 rm -rf of a folder with ignored files': 'rm -rf src .env',
  '7 a folder renamed': 'mv src source',
  '15 modes': 'chmod 600 a.txt; chmod 4755 run.sh; chmod 750 src',
  '16 folder to link': 'mv src moved; ln -s moved src',
  '22 names':
    "touch \"$(printf 'a\\nb')\" \"$(printf 'caf\\351')\" \"$(printf '\\303\\251')\" \"$(printf 'e\\314\\201')\" A.TXT $(head -c 255 /dev/zero | tr '\\0' n); mkdir \"$(printf 'd\\377')\"; echo x > \"$(printf 'd\\377')/x\"",
  '25 same size, same time': 'touch -r a.txt t; printf "eno\\n" > a.txt; touch -r t a.txt; rm t',
  '26 the clock set back':
    'echo old > a.txt; touch -d 1999-01-01 a.txt src/b.ts; echo x >> src/b.ts; touch -d 1999-01-01 src/b.ts',
};

const FURTHER_CHANGES = {
  '1 append': 'echo two >> a.txt',
  '1 truncate': ': > a.txt',
  '2 sed -i': 'sed -i s/1/2/ src/b.ts',
  '3 an install that is replaced':
    'mkdir -p node_modules/y; echo y > node_modules/y/index.js; rm -r node_modules/x; echo 1 > package-lock.json',
  '5 rm -rf node_modules': 'rm -rf node_modules',
  '6 an ignored file overwritten': 'echo SECRET=2 > .env',
  '16 a link made': 'ln -s a.txt link',
  '16 file to folder': 'rm a.txt; mkdir a.txt; echo x > a.txt/x',
  '16 folder to file': 'rm -r src; echo x > src',
  '16 file to link': 'rm a.txt; ln -s .env a.txt',
  '19 empty folders': 'mkdir -p empty/er',
  '23 a sparse file': 'truncate -s 3M sparse; printf x >> sparse',
};

describe('undo, redo and undo again of a command', () => {
  async function provesAll(changes: Readonly<Record<string, string>>): Promise<void> {
    await using trial = new UndoTrial();
    fill(trial);
    await trial.begin();
    for (const [name, command] of Object.entries(changes)) await proves(trial, name, command);
  }

  it('brings every kind of change back exactly', { timeout: 300_000 }, () => provesAll(CHANGES));

  // The process that keeps files has a low priority, and all processors are busy.
  it('brings further changes back exactly', { tags: 'wide', timeout: 300_000 }, () => provesAll(FURTHER_CHANGES));

  it('brings a large tree back that was renamed, and an edit in place', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    fill(trial);
    await trial.begin();
    for (let file = 0; file < 400; file++) trial.write(`large/d${file % 20}/f${file}`, `${file}`);
    await proves(trial, '7 a large tree renamed', 'mv large larger');
    if (hasPerl) await proves(trial, '2 perl -pi', "perl -pi -e 's/b/c/' src/b.ts");
  });

  it('retargets links and separates nothing that shares a file (16, 18)', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    trial.write('a', 'shared');
    linkSync(trial.path('a'), trial.path('b'));
    linkSync(trial.path('a'), trial.path('c'));
    symlinkSync('a', trial.path('link'));
    await trial.begin();
    await proves(trial, 'retarget', 'ln -sfn b link');
    await proves(trial, 'write through one name', 'printf longer-than-before > b');
    await proves(trial, 'one name removed', 'rm c');
    await proves(trial, 'all names removed', 'rm a b c');
    expect(statSync(trial.path('a')).ino).toBe(statSync(trial.path('c')).ino);
  });

  it.skipIf(!hasGit)(
    'leaves .git alone unless it is asked to include it (8, 9, 10, 11)',
    { tags: 'wide' },
    async () => {
      await using trial = new UndoTrial();
      fill(trial);
      const git = 'git -c user.name=n -c user.email=e@e -c init.defaultBranch=main';
      trial.sh(`${git} init -q . && git add -A && ${git} commit -qm one && echo dirty >> a.txt && echo u > untracked`);
      trial.sh(
        `mkdir -p nested/lib && cd nested/lib && ${git} init -q . && echo n > n && git add n && ${git} commit -qm n`,
      );
      trial.sh(`mkdir empty-repo && cd empty-repo && ${git} init -q . && echo n > n`);
      await trial.begin();
      const withGit = { withGit: true };
      await proves(trial, 'checkout', 'git checkout -q -- a.txt', withGit);
      await proves(trial, 'stash', `${git} stash -qu`, withGit);
      await proves(trial, 'clean', 'git clean -qfdx', withGit);
      await proves(trial, 'reset', 'git reset -q --hard', withGit);
      await proves(
        trial,
        'commit and branch',
        `git switch -qc b && git add a.txt untracked && ${git} commit -qm two`,
        withGit,
      );
      await proves(trial, 'rm -rf .git', 'rm -rf .git', withGit);
      await proves(trial, 'nested repository', 'rm -rf nested; echo x >> empty-repo/n', withGit);
      trial.prompt('without');
      await trial.shell(`echo new > a.txt; git add a.txt; ${git} commit -qm three`);
      const preview = await trial.desk.preview({ last: 1 });
      expect(preview.restored).toEqual(['a.txt']);
      expect(new Set(preview.leftAlone.map(({ reason }) => reason))).toEqual(new Set(['git']));
      const head = readFileSync(trial.path('.git/refs/heads/main'), 'utf8');
      await trial.desk.apply(preview);
      expect(readFileSync(trial.path('.git/refs/heads/main'), 'utf8')).toBe(head);
      expect(readFileSync(trial.path('a.txt'), 'utf8')).toContain('dirty');
    },
  );

  it.skipIf(!hasGit)(
    'keeps raw bytes whatever the attributes of a repository say (12), and needs no repository (13, 14)',
    { tags: 'wide' },
    async () => {
      await using trial = new UndoTrial();
      trial.sh('git init -q .');
      trial.write('.gitattributes', '* text=auto eol=lf ident filter=lfs\n');
      trial.write('crlf.txt', 'a\r\nb\r\n$Id$\r\n');
      await trial.begin();
      await proves(trial, 'crlf', 'printf "a\\n" > crlf.txt');
      await proves(trial, 'no git in reach', 'PATH= ; echo x > crlf.txt');
    },
  );
});

describe('the conflict rule', () => {
  it('leaves what the user changed, and touches nothing else (27, 28)', async () => {
    await using trial = new UndoTrial();
    fill(trial);
    await trial.begin();
    await trial.shell('echo agent > a.txt; echo agent > src/b.ts; mkdir made; echo agent > made/x');
    trial.write('a.txt', 'user\n');
    trial.write('other.txt', 'user\n');
    trial.write('made/user.txt', 'user\n');
    const other = lstatSync(trial.path('other.txt')).ctimeMs;
    const untouched = lstatSync(trial.path('run.sh')).ctimeMs;
    const preview = await trial.desk.preview({ last: 1 });
    expect(preview.restored).toEqual(['src/b.ts']);
    expect(preview.deleted).toEqual(['made/x']);
    expect(preview.leftAlone).toMatchObject([
      { path: 'a.txt', reason: 'changed_since' },
      { path: 'made', reason: 'not_empty' },
    ]);
    const outcome = await trial.desk.apply(preview);
    // The preview is the result (39).
    expect(outcome).toEqual({ done: ['made/x', 'src/b.ts'], skipped: [], isVerified: true, isDiskFull: false });
    expect(readFileSync(trial.path('a.txt'), 'utf8')).toBe('user\n');
    expect(readFileSync(trial.path('made/user.txt'), 'utf8')).toBe('user\n');
    expect(lstatSync(trial.path('other.txt')).ctimeMs).toBe(other);
    expect(lstatSync(trial.path('run.sh')).ctimeMs).toBe(untouched);
  });

  it('does not undo over a change of the user between two calls', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', '0');
    await trial.begin();
    await trial.shell('printf 1 > a.txt');
    trial.write('a.txt', 'user');
    await trial.edit('a.txt', 'user and agent');
    const preview = await trial.desk.preview({ last: 1 });
    expect(preview.changes).toEqual([]);
    expect(preview.leftAlone).toMatchObject([{ path: 'a.txt' }]);
  });

  it('writes nothing outside when a parent is swapped for a link (17)', async () => {
    await using trial = new UndoTrial();
    fill(trial);
    await trial.begin();
    await trial.shell('echo agent > src/b.ts');
    trial.sh('mkdir ../outside && cp src/b.ts ../outside/b.ts && rm -r src && ln -s ../outside src');
    const preview = await trial.desk.preview({ last: 1 });
    await trial.desk.apply(preview);
    expect(preview.changes).toEqual([]);
    expect(readFileSync(join(trial.folder, 'outside/b.ts'), 'utf8')).toBe('agent\n');
  });

  it('gives what another session edited at the same time to that session (30)', { tags: 'wide' }, async () => {
    await using one = new UndoTrial();
    fill(one);
    await one.begin();
    await using two = new UndoTrial({ beside: one });
    await two.begin();
    await one.call(async () => {
      one.sh('echo uno > a.txt');
      await two.edit('src/b.ts', 'two');
    });
    const preview = await one.desk.preview({ last: 1 });
    expect(preview.restored).toEqual(['a.txt']);
    expect(preview.leftAlone).toMatchObject([{ path: 'src/b.ts', reason: 'two_sessions' }]);
    await one.desk.apply(preview);
    expect(readFileSync(one.path('src/b.ts'), 'utf8')).toBe('two');
    expect(await two.back()).toMatchObject({ done: ['src/b.ts'], isVerified: true });
  });

  it('takes back what a call did to the file of a session that had ended', { tags: 'wide' }, async () => {
    await using one = new UndoTrial();
    fill(one);
    await one.begin();
    await one.edit('src/b.ts', 'one');
    await one.undo.settled();
    one.passTime();
    await using two = new UndoTrial({ beside: one });
    await two.begin();
    two.prompt('chmod');
    await two.shell('chmod 600 src/b.ts');
    expect(await two.desk.preview({ last: 1 })).toMatchObject({ restored: ['src/b.ts'], leftAlone: [] });
  });

  it('never takes back what was written between two calls (29, 31)', async () => {
    await using trial = new UndoTrial();
    fill(trial);
    await trial.begin();
    await trial.shell('echo built > dist.js');
    trial.write('dist.js', 'rebuilt by a server\n');
    trial.write('late.log', 'written by a background job\n');
    await trial.shell('echo x > own.txt');
    // Not touched, but shown.
    const { byOthers, leftAlone } = await trial.desk.preview({ to: '1' });
    expect([byOthers, leftAlone.map(({ path }) => path)]).toEqual([['late.log'], ['dist.js']]);
    await trial.back({ to: '1' });
    expect(trial.tree()).toMatchObject({ 'dist.js': expect.any(String), 'late.log': expect.any(String) });
    expect(trial.tree()).not.toHaveProperty('own.txt');
  });
});

describe('several prompts', () => {
  it(
    'names neither a prompt that is undone already nor what an undo changed as the work of others',
    { tags: 'wide' },
    async () => {
      await using trial = new UndoTrial();
      fill(trial);
      await trial.begin();
      await trial.shell('echo x > own.txt');
      trial.prompt('second');
      await trial.shell('echo changed > a.txt');
      await trial.back({ last: 1 });
      await trial.undo.settled();
      const named = ({ prompts }: { prompts: readonly { number: number }[] }) => prompts.map(({ number }) => number);
      expect(named(await trial.desk.preview({ to: '1' }))).toEqual([1]);
      trial.prompt('third');
      // Its walk sees what the undo wrote.
      await trial.shell('echo y > other.txt');
      const preview = await trial.desk.preview({ to: '1' });
      expect([named(preview), preview.byOthers]).toEqual([[1, 3], []]);
      await trial.desk.apply(preview);
      expect(named(await trial.desk.previewRedo())).toEqual([1, 3]);
    },
  );

  it('names the calls that ran at the same time as the one to undo: their changes are part of it', async () => {
    await using trial = new UndoTrial();
    await trial.begin();
    let inner = '';
    const outer = await trial.call(async () => {
      trial.write('outer.txt', 'one');
      inner = await trial.call(() => trial.write('inner.txt', 'one'));
    });
    const preview = await trial.desk.preview({ call: inner });
    expect(preview.alongside.map(({ callId }) => callId)).toEqual([outer]);
    expect(preview.deleted).toEqual(['inner.txt', 'outer.txt']);
    expect((await trial.desk.preview({ last: 1 })).alongside).toEqual([]);
  });

  it('takes back edits and commands of three prompts at once, or one call (37, 38)', async () => {
    await using trial = new UndoTrial();
    fill(trial);
    const before = trial.tree();
    await trial.begin();
    await trial.edit('a.txt', 'edited\n');
    await trial.shell('cat a.txt a.txt > both.txt');
    trial.prompt('second');
    await trial.edit('a.txt', 'edited twice\n');
    await trial.edit('new/file.ts', 'new');
    const call = await trial.shell('echo alone > alone.txt');
    trial.prompt('third');
    await trial.shell('rm -r src; mv both.txt joined.txt');
    const after = trial.tree();
    expect((await trial.desk.list()).map(({ files }) => files)).toEqual([2, 4, 6]);
    await trial.back({ call });
    expect(trial.tree()).not.toHaveProperty('alone.txt');
    await trial.forth();
    expect(trial.tree()).toEqual(after);
    await trial.back({ to: '1' });
    expect(trial.tree()).toEqual(before);
    await trial.forth();
    expect(trial.tree()).toEqual(after);
    await trial.back({ last: 3 });
    expect(trial.tree()).toEqual(before);
    await expect(trial.back()).rejects.toThrow('Nothing to undo');
  });
});

describe('what is not covered', () => {
  it('is named, and never blocks (20, 21, 23)', async () => {
    await using trial = new UndoTrial({ limits: { fileBytes: 1000 } });
    trial.write('big.bin', Buffer.alloc(2000, 1));
    trial.write('small', 'x');
    trial.sh('mkfifo pipe');
    await trial.begin();
    await trial.shell('printf x >> big.bin; rm pipe; echo y > small');
    const preview = await trial.desk.preview({ last: 1 });
    expect(preview.restored).toEqual(['small']);
    expect(preview.notCovered).toMatchObject([
      { path: 'big.bin', reason: 'large' },
      { path: 'pipe', reason: 'special' },
    ]);
    expect(await trial.desk.apply(preview)).toMatchObject({ done: ['small'], isVerified: true });
  });

  it('covers edits only in a tree beyond the limits, and says so once (40, 41)', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial({ limits: { entries: 3 } });
    fill(trial);
    await trial.begin();
    await trial.shell('echo x > a.txt');
    await trial.edit('src/b.ts', 'edited');
    await trial.shell('echo y > a.txt');
    expect(trial.told).toEqual([
      expect.stringMatching(/^Undo covers edits only in this workspace: it has more than 3 /),
    ]);
    const preview = await trial.desk.preview({ last: 1 });
    expect(preview.restored).toEqual(['src/b.ts']);
    expect(preview.uncoveredCalls).toHaveLength(2);
    expect(await trial.desk.apply(preview)).toMatchObject({ isVerified: true });
    expect(readFileSync(trial.path('src/b.ts'), 'utf8')).toBe('export const b = 1;\n');
  });

  it('refuses a content that is damaged in the store (34)', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    trial.write('a.txt', 'precious'.repeat(1000));
    await trial.begin();
    await trial.shell('echo x > a.txt');
    const segments = join(trial.store, 'segments');
    trial.sh(`for f in ${segments}/*.seg; do printf XXXX | dd of=$f bs=1 seek=70 conv=notrunc 2>/dev/null; done`);
    const preview = await trial.desk.preview({ last: 1 });
    expect(preview.notCovered).toMatchObject([{ path: 'a.txt', reason: 'lost' }]);
    expect(preview.changes).toEqual([]);
  });

  it('keeps the store to its owner, and refuses planted links (35)', { tags: 'wide' }, async () => {
    await using trial = new UndoTrial();
    fill(trial);
    await trial.begin();
    const modes = execFileSync('find', [trial.store, '-printf', '%y %m\n'], { encoding: 'utf8' });
    expect(new Set(modes.trim().split('\n'))).toEqual(new Set(['d 700', 'f 600']));
    await using other = new UndoTrial();
    rmSync(other.store, { recursive: true, force: true });
    execFileSync('mkdir', ['-p', join(other.store, '..'), join(other.folder, 'elsewhere')]);
    symlinkSync(join(other.folder, 'elsewhere'), other.store);
    await other.begin();
    expect(other.told.join()).toMatch(/is a link/);
  });
});

it('sees a change with the size and times of before (25)', async () => {
  await using trial = new UndoTrial();
  trial.write('a', 'aaaa');
  const { atime, mtime } = statSync(trial.path('a'));
  await trial.begin();
  await trial.call(() => {
    writeFileSync(trial.path('a'), 'bbbb');
    utimesSync(trial.path('a'), atime, mtime);
  });
  expect(await trial.back()).toMatchObject({ done: ['a'] });
  truncateSync(trial.path('a'), 4);
  expect(readFileSync(trial.path('a'), 'utf8')).toBe('aaaa');
});
