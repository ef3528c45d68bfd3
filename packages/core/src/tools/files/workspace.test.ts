import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolError } from '../../protocol/errors.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { Workspace } from './workspace.ts';

let base: string;
let workspace: Workspace;
const inside = (...names: string[]) => path.join(base, 'ws', ...names);

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'castor-workspace-')));
  await mkdir(inside('src'), { recursive: true });
  await mkdir(path.join(base, 'ws-evil'));
  await writeFile(inside('src', 'a.txt'), 'inside');
  await writeFile(path.join(base, 'ws-evil', 'secret.txt'), 'secret');
  workspace = new Workspace({ root: inside(), tempDirectory: path.join(base, 'temp') });
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function failure(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (error instanceof ToolError) return error.type;
    throw error;
  }
  return 'none';
}

async function readThrough(given: string): Promise<string> {
  const file = await workspace.openForReading(given);
  try {
    return String(await file.readUpTo(1024));
  } finally {
    file.close();
  }
}

describe('Workspace', () => {
  it('resolves names from the root, without NULs and a leading @', () => {
    expect(['src/a.txt', '@src/a.txt', 'src/\0a.txt', '/x/../y'].map((given) => workspace.resolve(given))).toEqual([
      inside('src/a.txt'),
      inside('src/a.txt'),
      inside('src/a.txt'),
      '/y',
    ]);
  });

  it('permits what is inside, existing or not', async () => {
    expect(await workspace.checkPath('src/a.txt')).toBe(inside('src/a.txt'));
    expect(await workspace.checkPath('new/deep/file.txt')).toBe(inside('new/deep/file.txt'));
    expect(await workspace.checkPath(path.join(base, 'temp', 'x'))).toBe(path.join(base, 'temp', 'x'));
  });

  it.each([
    '../ws-evil/secret.txt',
    'src/../../ws-evil/secret.txt',
    '/etc/passwd',
    '..',
    '/proc/self/root/etc/passwd',
    '/proc/self/environ',
  ])('refuses %s', async (given) => {
    expect(await failure(workspace.checkPath(given))).toBe('path_not_in_workspace');
  });

  it('names the path and the roots when it refuses', async () => {
    await expect(workspace.checkPath('/etc/passwd')).rejects.toThrow(
      `Path not in workspace: Attempted path "/etc/passwd" resolves outside the allowed workspace directories: ${inside()} or the project temp directory: ${path.join(base, 'temp')}`,
    );
  });

  it('takes a directory whose name begins like the root for another one', async () => {
    expect(await failure(workspace.checkPath(path.join(base, 'ws-evil/secret.txt')))).toBe('path_not_in_workspace');
  });

  it('refuses links that lead out, at every level, also to what does not exist', async () => {
    await symlink(path.join(base, 'ws-evil/secret.txt'), inside('file-link'));
    await symlink(path.join(base, 'ws-evil'), inside('directory-link'));
    await symlink(path.join(base, 'ws-evil/not-yet.txt'), inside('dangling'));
    await symlink('../ws-evil', inside('relative-link'));
    await symlink('file-link', inside('link-to-link'));
    const given = [
      'file-link',
      'directory-link/secret.txt',
      'directory-link/new/file',
      'dangling',
      'relative-link/x',
      'link-to-link',
    ];
    const types = await Promise.all(given.map((each) => failure(workspace.checkPath(each))));
    expect(types).toEqual(given.map(() => 'path_not_in_workspace'));
  });

  it('follows links that stay inside', async () => {
    await symlink('src/a.txt', inside('good'));
    await symlink('src/later.txt', inside('later'));
    expect(await workspace.checkPath('good')).toBe(inside('src/a.txt'));
    expect(await workspace.checkPath('later')).toBe(inside('src/later.txt'));
    expect(await readThrough('good')).toBe('inside');
  });

  it('refuses links that lead in circles', async () => {
    await symlink('two', inside('one'));
    await symlink('one', inside('two'));
    expect(await failure(workspace.checkPath('one/file'))).toBe('path_not_in_workspace');
  });

  it('does not follow the root when it is replaced by a link', async () => {
    await rename(inside(), path.join(base, 'moved'));
    await symlink(path.join(base, 'ws-evil'), inside());
    expect(await failure(workspace.openForReading('secret.txt'))).toBe('path_not_in_workspace');
  });

  it.each(['a\u202Eb.txt', 'a\u200Bb', '\uFEFFa', 'a\nb', 'a\u001B[8mb', 'a\u{E0041}', 'a\u200Db', 'a\uD800b'])(
    'refuses the hidden character in %j',
    async (given) => {
      expect(await failure(workspace.checkPath(given))).toBe('invalid_tool_params');
    },
  );

  it('permits letters of every script, spaces and joined emoji', async () => {
    const names = [
      '日本語.txt',
      'e\u0301.txt',
      'Screenshot at 1.23\u202FPM.png',
      '👩\u200D💻.md',
      'می\u200Cخواهم',
      'trailing. ',
    ];
    expect(await Promise.all(names.map((name) => workspace.checkPath(name)))).toEqual(
      names.map((name) => inside(name)),
    );
  });

  it('keeps composed and decomposed names, and upper and lower case, apart as the disk does', async () => {
    await writeFile(inside('é.txt'), 'composed');
    const other = await failure(workspace.openForReading('e\u0301.txt'));
    expect({ other, own: await readThrough('é.txt') }).toEqual({
      other: process.platform === 'linux' ? 'file_not_found' : 'none',
      own: 'composed',
    });
  });

  it('opens regular files only', async () => {
    execFileSync('mkfifo', [inside('pipe')]);
    await symlink('/dev/zero', inside('zero'));
    const types = await Promise.all(
      ['pipe', 'src', 'missing', 'zero', 'src/a.txt/x'].map((each) => failure(workspace.openForReading(each))),
    );
    expect(types).toEqual([
      'read_content_failure',
      'target_is_directory',
      'file_not_found',
      'path_not_in_workspace',
      'file_not_found',
    ]);
  });

  it('reads a file with several names', async () => {
    await link(inside('src/a.txt'), inside('hard'));
    expect(await readThrough('hard')).toBe('inside');
  });

  it('never reads outside while names are swapped under it', async () => {
    await mkdir(inside('real'));
    await writeFile(inside('real/secret.txt'), 'harmless');
    await symlink(inside('real'), inside('swap'));
    const swapping = `
      const { renameSync, symlinkSync } = require('node:fs');
      for (;;) {
        for (const target of ${JSON.stringify([path.join(base, 'ws-evil'), inside('real')])}) {
          symlinkSync(target, ${JSON.stringify(inside('swap-next'))});
          renameSync(${JSON.stringify(inside('swap-next'))}, ${JSON.stringify(inside('swap'))});
        }
      }`;
    const swapper = spawn(process.execPath, ['-e', swapping]);
    const ended = once(swapper, 'exit');
    const seen = new Set<string>();
    try {
      // Until the race has been run often, and both sides have been seen to win it.
      for (let race = 0; race < 10_000 || seen.size < 2; race++) {
        seen.add(await readThrough('swap/secret.txt').catch((error: ToolError) => error.type));
      }
    } finally {
      swapper.kill('SIGKILL');
      await ended;
    }
    expect(
      [...seen].filter(
        (each) => !['harmless', 'path_not_in_workspace', 'file_not_found', 'read_content_failure'].includes(each),
      ),
    ).toEqual([]);
  });

  it('lets read-only directories and single files be used as what they are', async () => {
    const wide = new Workspace({
      root: inside(),
      tempDirectory: path.join(base, 'temp'),
      readOnlyDirectories: [path.join(base, 'ws-evil')],
      files: [path.join(base, 'memory.md')],
    });
    const skill = path.join(base, 'ws-evil/secret.txt');
    expect(await wide.checkPath(skill)).toBe(skill);
    expect(await failure(wide.checkPath(skill, { access: 'write' }))).toBe('path_not_in_workspace');
    await expect(wide.checkPath(skill, { access: 'write' })).rejects.toThrow(`"${skill}" may be read and not changed.`);
    expect(await wide.checkPath(path.join(base, 'memory.md'), { access: 'write' })).toBe(path.join(base, 'memory.md'));
    expect(await failure(wide.checkPath(path.join(base, 'memory.md.bak')))).toBe('path_not_in_workspace');
  });

  it('takes a directory in when a person adds it, as it is by then', async () => {
    const added = path.join(base, 'added');
    await mkdir(added, { recursive: true });
    const file = path.join(added, 'a.txt');
    expect(await failure(workspace.checkPath(file, { access: 'write' }))).toBe('path_not_in_workspace');
    const known = workspace.directories;
    expect(workspace.addDirectory(added)).toBe(added);
    expect([await workspace.checkPath(file, { access: 'write' }), known.at(-1)]).toEqual([file, added]);
    expect(() => workspace.addDirectory(added)).toThrow(`${added} is already in the workspace.`);
    expect(() => workspace.addDirectory('no')).toThrow(`${inside('no')} is not a directory.`);
  });

  it('shows names relative to the root, and others whole', () => {
    expect([inside('src/a.txt'), 'src', '.', '/etc/hosts'].map((each) => workspace.relative(each))).toEqual([
      'src/a.txt',
      'src',
      '.',
      '/etc/hosts',
    ]);
    expect([workspace.isInside('src'), workspace.isInside('/etc')]).toEqual([true, false]);
  });
});

describe('IgnoreRules', () => {
  it('reads .gitignore at every level, the deeper one winning', async () => {
    await writeFile(inside('.gitignore'), 'dist/\n*.log\n/only-top\n');
    await mkdir(inside('src/deep'), { recursive: true });
    await writeFile(inside('src/.gitignore'), '!keep.log\nlocal.txt\n/anchored\n');
    const ignore = await IgnoreRules.load(inside());
    const ask = (name: string, kind: 'file' | 'directory' = 'file') => ignore.isIgnored(inside(name), kind);
    expect({
      directory: ask('dist', 'directory'),
      below: ask('dist/x/y.js'),
      log: ask('src/deep/a.log'),
      kept: ask('src/keep.log'),
      local: ask('src/deep/local.txt'),
      localAbove: ask('local.txt'),
      anchored: ask('src/anchored'),
      anchoredBelow: ask('src/deep/anchored'),
      top: ask('only-top'),
      topBelow: ask('src/only-top'),
      repository: ask('.git/config'),
      other: ask('src/a.txt'),
    }).toEqual({
      directory: true,
      below: true,
      log: true,
      kept: false,
      local: true,
      localAbove: false,
      anchored: true,
      anchoredBelow: false,
      top: true,
      topBelow: false,
      repository: true,
      other: false,
    });
  });

  it('lets .geminiignore win over .gitignore, and the extra files over both', async () => {
    await writeFile(inside('.gitignore'), 'generated/\n');
    await writeFile(inside('.geminiignore'), '!generated/\nsecrets/\n*.key\n');
    await writeFile(inside('extra'), '!public.key\n');
    const ignore = await IgnoreRules.load(inside(), { customIgnoreFiles: ['extra'] });
    const ask = (name: string, query = {}) => ignore.isIgnored(inside(name), 'file', query);
    expect([
      ask('generated/a.ts'),
      ask('generated/a.ts', { gemini: false }),
      ask('secrets/a'),
      ask('secrets/a', { gemini: false }),
      ask('private.key'),
      ask('public.key'),
      ask('generated/a.ts', { git: false, gemini: false }),
    ]).toEqual([false, true, true, false, true, false, false]);
  });

  it('counts changed files after a refresh', async () => {
    const ignore = await IgnoreRules.load(inside());
    expect(ignore.isIgnored(inside('x.tmp'), 'file')).toBe(false);
    await writeFile(inside('.gitignore'), '*.tmp\n');
    ignore.refresh();
    expect(ignore.isIgnored(inside('x.tmp'), 'file')).toBe(true);
  });

  it('reads the rules of the repository around the root', async () => {
    await mkdir(path.join(base, '.git/info'), { recursive: true });
    await writeFile(path.join(base, '.gitignore'), 'ws/src/*.bak\n');
    await writeFile(path.join(base, '.git/info/exclude'), 'mine.txt\n');
    const ignore = await IgnoreRules.load(inside());
    expect(['src/a.bak', 'mine.txt', 'src/a.txt'].map((name) => ignore.isIgnored(inside(name), 'file'))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
