/** Folders without a manifest, from real repositories and archives. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { writeTar, writeZip } from './archive.fixture.ts';
import { fetchFolder } from './fetch-folder.ts';
import { createReleaseServer } from './release-server.fixture.ts';

const signal = new AbortController().signal;
const environment = { PATH: process.env['PATH'] };

function commit(directory: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: directory });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'x');
}

describe('fetchFolder', () => {
  it('clones a repository without running anything of it, and removes the clone at the end', async () => {
    await using files = await createWorkspace({
      files: { 'skills/a/SKILL.md': 'a', '.gitattributes': '* filter=evil' },
    });
    commit(files.project);
    const marker = join(files.home, 'ran');
    mkdirSync(join(files.home, 'hooks'));
    writeFileSync(join(files.home, 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    writeFileSync(
      join(files.home, '.gitconfig'),
      `[core]\n\thooksPath = ${join(files.home, 'hooks')}\n[filter "evil"]\n\tsmudge = touch ${marker}\n`,
    );
    const own = { ...environment, HOME: files.home };
    // The configuration does run for a plain clone.
    execFileSync('git', ['clone', '-q', `file://${files.project}`, join(files.home, 'clone')], {
      env: own,
      stdio: 'ignore',
    });
    expect(existsSync(marker)).toBe(true);
    execFileSync('rm', [marker]);
    const fetched = await fetchFolder(`file://${files.project}`, { environment: own, signal });
    expect(readFileSync(join(fetched.directory, 'skills', 'a', 'SKILL.md'), 'utf8')).toBe('a');
    expect(existsSync(marker)).toBe(false);
    await fetched[Symbol.asyncDispose]();
    expect(existsSync(fetched.directory)).toBe(false);
  });

  it.each(['one.skill', 'one.zip', 'one.tar.gz'])('unpacks %s, of this machine or at an address', async (name) => {
    await using files = await createWorkspace();
    await using server = await createReleaseServer();
    const file = join(files.home, name);
    const entries = [{ path: 'a/SKILL.md', text: 'a' }];
    if (name.endsWith('gz')) writeTar(file, entries);
    else writeZip(file, entries);
    server.answers[`/${name}`] = readFileSync(file);
    for (const source of [file, `${server.url}/${name}`]) {
      await using fetched = await fetchFolder(source, { environment, signal });
      expect(readdirSync(join(fetched.directory, 'a'))).toEqual(['SKILL.md']);
    }
  });

  it.each([
    ['a path out of it', { path: '../x', text: 'x' }, 'its path leaves the archive'],
    ['an absolute path', { path: '/tmp/x', text: 'x' }, 'its path is absolute'],
  ])('rejects an archive with %s', async (_what, entry, problem) => {
    await using files = await createWorkspace();
    const file = writeZip(join(files.home, 'x.skill'), [entry]);
    await expect(fetchFolder(file, { environment, signal })).rejects.toThrow(problem);
  });

  it.each([
    ['ext::sh -c "touch x"', 'neither an address nor an archive'],
    ['ssh://-oProxyCommand=x/y', 'Invalid address of a git repository'],
    ['file:///does/not/exist', 'git failed'],
  ])('refuses %s', async (source, problem) => {
    await expect(fetchFolder(source, { environment, signal })).rejects.toThrow(problem);
  });
});
