import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readFile, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomically } from './atomic-write.ts';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'castor-atomic-')));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const at = (name: string) => path.join(root, name);
const isWritable = (real: string) => real.startsWith(root + path.sep);

function isRootOnLinux(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0;
}

describe('writeFileAtomically', () => {
  it('refuses to replace what changed since it was looked at', async () => {
    await writeFile(at('a'), 'old');
    const expected = await lstat(at('a'));
    await writeFile(at('a'), 'theirs');
    const write = writeFileAtomically({ realPath: at('a'), bytes: Buffer.from('ours'), expected, isWritable });
    await expect(write).rejects.toMatchObject({ type: 'file_write_failure' });
    expect({ text: await readFile(at('a'), 'utf8'), names: await readdir(root) }).toEqual({
      text: 'theirs',
      names: ['a'],
    });
  });

  it('refuses to create over a file that appeared', async () => {
    await writeFile(at('a'), 'theirs');
    const write = writeFileAtomically({
      realPath: at('a'),
      bytes: Buffer.from('ours'),
      expected: undefined,
      isWritable,
    });
    await expect(write).rejects.toMatchObject({ type: 'file_write_failure' });
    expect(await readFile(at('a'), 'utf8')).toBe('theirs');
  });

  it('leaves no folder behind that it made for nothing', async () => {
    await mkdir(at('there'));
    const write = writeFileAtomically({
      realPath: at('there/a/b/c.txt'),
      bytes: Buffer.from('x'),
      expected: undefined,
      isWritable: () => false,
    });
    await expect(write).rejects.toMatchObject({ type: 'path_not_in_workspace' });
    expect(await readdir(root, { recursive: true })).toEqual(['there']);
  });

  it('does not write through a directory that was swapped for a link', async () => {
    await mkdir(at('ws'));
    await mkdir(at('out'));
    await rename(at('ws'), at('gone'));
    await symlink(at('out'), at('ws'));
    const inWorkspace = (real: string) => real.startsWith(at('ws') + path.sep);
    const write = writeFileAtomically({
      realPath: at('ws/a'),
      bytes: Buffer.from('x'),
      expected: undefined,
      isWritable: inWorkspace,
    });
    await expect(write).rejects.toMatchObject({ name: 'ToolError' });
    expect(await readdir(at('out'))).toEqual([]);
  });

  it.runIf(isRootOnLinux())('keeps the owner', async () => {
    await writeFile(at('a'), 'old');
    execFileSync('chown', ['1234:4321', at('a')]);
    await writeFileAtomically({
      realPath: at('a'),
      bytes: Buffer.from('new'),
      expected: await lstat(at('a')),
      isWritable,
    });
    const { uid, gid } = await lstat(at('a'));
    expect({ uid, gid, text: await readFile(at('a'), 'utf8') }).toEqual({ uid: 1234, gid: 4321, text: 'new' });
  });

  it.runIf(isRootOnLinux())('leaves the old content whole on a full disk', async () => {
    await mkdir(at('disk'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'castor-test', at('disk')]);
    try {
      await writeFile(at('disk/a'), 'o'.repeat(40_000));
      const expected = await lstat(at('disk/a'));
      const write = writeFileAtomically({
        realPath: at('disk/a'),
        bytes: Buffer.alloc(100_000, 'n'),
        expected,
        isWritable,
      });
      await expect(write).rejects.toMatchObject({ type: 'no_space_left' });
      const names = await readdir(at('disk'));
      expect({ names, isWhole: (await readFile(at('disk/a'), 'utf8')) === 'o'.repeat(40_000) }).toEqual({
        names: ['a'],
        isWhole: true,
      });
    } finally {
      execFileSync('umount', [at('disk')]);
    }
  });
});
