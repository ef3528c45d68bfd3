import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from './offline.ts';

describe('the folder of the offline model', () => {
  let root: string;
  let project: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'castor-folder-'));
    project = join(root, 'project');
    await mkdir(join(project, 'src'), { recursive: true });
    await writeFile(join(root, 'secret.txt'), 'secret');
    await writeFile(join(project, 'a.txt'), 'hello');
    await writeFile(join(project, '..dots.txt'), 'dots');
    await writeFile(join(project, 'big.txt'), 'x'.repeat(1_000_001));
    await symlink(join(root, 'secret.txt'), join(project, 'link.txt'));
    await symlink(join(root, 'nowhere'), join(project, 'broken'));
    execFileSync('mkfifo', [join(project, 'pipe')]);
  });

  afterAll(() => rm(root, { recursive: true, force: true }));

  it('lists what is there, links to nowhere included', async () => {
    const entries = await createFolder(project).listDirectory('.');
    const byName = Object.fromEntries(entries.map(({ name, kind }) => [name, kind]));
    expect(byName).toEqual({
      '..dots.txt': 'file',
      'a.txt': 'file',
      'big.txt': 'file',
      broken: 'other',
      'link.txt': 'file',
      pipe: 'other',
      src: 'folder',
    });
  });

  it('reads a file of the folder', async () => {
    expect(await createFolder(project).readText('a.txt')).toBe('hello');
    expect(await createFolder(project).readText('src/../..dots.txt')).toBe('dots');
  });

  it.each([
    ['../secret.txt', '../secret.txt is outside of this folder.'],
    ['/etc/passwd', '/etc/passwd is outside of this folder.'],
    ['link.txt', 'link.txt is outside of this folder.'],
    ['none.txt', 'This folder has no none.txt.'],
    ['src', 'src is not a regular file.'],
    ['pipe', 'pipe is not a regular file.'],
    ['big.txt', 'big.txt is too large to show (1000001 bytes).'],
  ])('refuses %s', async (path, sentence) => {
    await expect(createFolder(project).readText(path)).rejects.toThrow(sentence);
  });
});
