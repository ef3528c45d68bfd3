import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { git } from './git.ts';
import { openStarter } from './open-starter.ts';
import type { Task } from './task.ts';
import { firstFor, makeWorkplace, removeWorkplace, savePatch, unlockWorkplace } from './workplace.ts';

it('begins with the HEAD of its moment, also for the second task, and leaves no record of the worktree', async () => {
  const root = mkdtempSync(join(tmpdir(), 'castor-workplace-'));
  try {
    const repository = join(root, 'repository');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], {
        cwd: repository,
        encoding: 'utf8',
      });
    execFileSync('git', ['init', '--quiet', repository]);
    const commit = (text: string) => {
      writeFileSync(join(repository, 'a.txt'), text);
      git('add', '--all');
      git('commit', '--quiet', '--message', text);
      return git('rev-parse', 'HEAD').trim();
    };
    const where = { environment: process.env };
    const make = (name: string) =>
      makeWorkplace(
        { place: { kind: 'folder', folder: repository } } as unknown as Task,
        join(root, name),
        false,
        where,
      );
    const first = commit('one');
    const made = [await make('a'), await make('b')];
    expect(made.map(({ base }) => base)).toEqual([first, first]);
    const second = commit('two');
    const third = await make('c');
    expect(third.base).toBe(second);
    git('worktree', 'lock', third.top ?? '');
    const starter = openStarter(process.env);
    // A process of the starter removes the first one, this process the others.
    const by = {
      starter,
      scratch: join(root, 'git.txt'),
      errors: join(root, 'stderr.txt'),
      identity: join(root, 'process.txt'),
    };
    await removeWorkplace(made[0] ?? third, { ...where, by });
    expect(existsSync(join(root, 'a'))).toBe(false);
    // The next worker would wait for that process.
    expect(readFileSync(by.identity, 'utf8')).toMatch(/^\d+ \d+\n$/);
    for (const workplace of [...made.slice(1), third]) await removeWorkplace(workplace, where);
    starter.close();
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(['a', 'b', 'c', 'repository/.git/worktrees'].filter((path) => existsSync(join(root, path)))).toEqual([]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

it('asks git again that saw the record of another task which was being removed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'castor-git-'));
  try {
    // In the words of git 2.39 while 500 tasks were killed.
    const words = `fatal: Invalid path '/a/project/.git/worktrees/n394': No such file or directory`;
    const wrapper = `#!/bin/sh\nif test -e '${root}/seen'; then echo fine; else : > '${root}/seen'; echo "${words}" >&2; exit 128; fi\n`;
    writeFileSync(join(root, 'git'), wrapper, { mode: 0o755 });
    const environment = { PATH: `${root}:${process.env['PATH']}` };
    expect(await git(['worktree', 'add'], { directory: root, environment })).toBe('fine\n');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

it('makes its worktree although the end of another one takes the folder of all records away', async () => {
  const root = mkdtempSync(join(tmpdir(), 'castor-workplace-'));
  const starter = openStarter(process.env);
  try {
    const repository = join(root, 'repository');
    execFileSync('git', ['init', '--quiet', repository]);
    const identity = ['-c', 'user.name=n', '-c', 'user.email=e@x'];
    execFileSync('git', [...identity, 'commit', '--quiet', '--allow-empty', '--message', 'one'], { cwd: repository });
    // The folder is there when git makes it and gone when git makes its record inside; after the first try it can be made.
    const records = join(repository, '.git', 'worktrees');
    symlinkSync(join(root, 'gone'), records);
    mkdirSync(join(root, 'bin'));
    const wrapper = `#!/bin/sh\nPATH=\${PATH#*:}; git "$@"; code=$?; test -h '${records}' && test $code != 0 && rm '${records}'; exit $code\n`;
    writeFileSync(join(root, 'bin', 'git'), wrapper, { mode: 0o755 });
    const environment = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` };
    const by = {
      starter,
      scratch: join(root, 'git.txt'),
      errors: join(root, 'stderr.txt'),
      identity: join(root, 'process.txt'),
    };
    // git makes it where the task names a commit.
    const task = { place: { kind: 'folder', folder: repository }, ref: 'HEAD' } as unknown as Task;
    const made = await makeWorkplace(task, join(root, 'a'), false, { environment, by });
    expect(existsSync(join(made.top ?? '', '.git'))).toBe(true);
    // A git that was killed leaves its lock, and the next one would refuse to work.
    const changed = join(root, 'changes.patch');
    writeFileSync(join(made.top ?? '', 'new.txt'), 'new\n');
    writeFileSync(join(repository, '.git', 'worktrees', 'a', 'index.lock'), '');
    await expect(savePatch(made, changed, { environment, by })).rejects.toThrow('index.lock');
    unlockWorkplace(made);
    expect(await savePatch(made, changed, { environment, by })).toEqual({ files: 1, added: 1, removed: 0 });
  } finally {
    starter.close();
    rmSync(root, { recursive: true, force: true });
  }
});

it('makes the worktree when the program starts in it, whatever another end or a killed worker left', async () => {
  const root = mkdtempSync(join(tmpdir(), "castor-workplace-it's "));
  const starter = openStarter(process.env);
  try {
    const repository = join(root, 'repository');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], {
        cwd: repository,
        encoding: 'utf8',
      });
    execFileSync('git', ['init', '--quiet', repository]);
    writeFileSync(join(repository, 'a.txt'), 'one\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'one');
    mkdirSync(join(repository, 'unknown'));
    // The end of the only other worktree takes the folder of all records away, just before the record gets its name.
    const records = join(repository, '.git', 'worktrees');
    mkdirSync(join(root, 'bin'));
    const wrapper = `#!/bin/sh\nPATH=\${PATH#*:}; test -e "$0.seen" || { : >"$0.seen"; rmdir "\${3%/*}"; }; exec mv "$@"\n`;
    writeFileSync(join(root, 'bin', 'mv'), wrapper, { mode: 0o755 });
    const environment = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` };
    const files = { stdout: join(root, 'out.txt'), stderr: join(root, 'stderr.txt') };
    const by = { starter, scratch: join(root, 'git.txt'), errors: files.stderr, identity: join(root, 'process.txt') };
    const where = { environment, by };
    const task = { place: { kind: 'folder', folder: join(repository, 'unknown') } } as unknown as Task;
    const made = await makeWorkplace(task, join(root, 'work', 'a'), false, where);
    const start = (first = firstFor(made, where)) =>
      starter.start({
        words: ['sh', '-c', 'pwd; cat ../a.txt; cat ../.git >/dev/null && echo changed >../a.txt'],
        ...{ directory: made.directory, environment, ...files, identity: by.identity, first },
      }).ended;
    const told = `${join(root, 'work', 'a', 'unknown')}\none\n`;
    expect(await start()).toBe(0);
    expect(readFileSync(files.stdout, 'utf8')).toBe(told);
    expect(existsSync(join(root, 'bin', 'mv.seen'))).toBe(true);
    expect(git('worktree', 'list', '--porcelain')).toContain(`worktree ${made.top}\nHEAD ${made.base}\ndetached\n`);
    expect(await savePatch(made, join(root, 'changes.patch'), where)).toEqual({ files: 1, added: 1, removed: 1 });
    // As if the worker had died before the record had its name: the next one starts over in the same folder.
    renameSync(made.record ?? '', join(repository, '.git', basename(made.record ?? '')));
    expect(await start()).toBe(0);
    expect(readFileSync(files.stdout, 'utf8')).toBe(told.repeat(2));
    await removeWorkplace(made, where);
    expect(readdirSync(join(root, 'work'))).toEqual([]);
    expect(existsSync(records)).toBe(false);
    expect(readdirSync(join(repository, '.git')).filter((name) => name.startsWith('castor-'))).toEqual([]);
    // A commit that is not there: git says so, and the program does not start.
    const gone = { ...made, base: 'f'.repeat(40) };
    expect(await start(firstFor(gone, where))).toBe(118);
    expect(readFileSync(files.stderr, 'utf8')).toMatch(/fatal: /);
    await removeWorkplace(gone, where);
    expect(readFileSync(files.stdout, 'utf8')).toBe(told.repeat(2));
    // git itself writes the records of a repository with extensions.
    git('config', 'extensions.worktreeConfig', 'true');
    const byGit = await makeWorkplace(task, join(root, 'work', 'a'), false, where);
    expect([byGit.record, readFileSync(join(byGit.top ?? '', 'a.txt'), 'utf8')]).toEqual([undefined, 'one\n']);
    await removeWorkplace(byGit, where);
  } finally {
    starter.close();
    rmSync(root, { recursive: true, force: true });
  }
});
