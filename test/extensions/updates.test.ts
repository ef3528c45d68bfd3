/** Updates that a session finds at its start: over real git repositories, in the terminal UI. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace, fakeModel, runCli, say, startTerminal } from '@castor/testkit';
import { expect, it } from 'vitest';

const manifest = (name: string, version: string) => JSON.stringify({ name, version });

function git(cwd: string, ...words: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'init.defaultBranch=main'];
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' };
  execFileSync('git', [...identity, ...words], { cwd, env, stdio: 'pipe' });
}

async function createRepository(name: string) {
  const repository = await createWorkspace({ files: { 'gemini-extension.json': manifest(name, '1.0.0') } });
  git(repository.project, 'init', '-q');
  git(repository.project, 'add', '-A');
  git(repository.project, 'commit', '-qm', 'first');
  return Object.assign(repository, {
    async release(version: string) {
      await repository.write('gemini-extension.json', manifest(name, version));
      git(repository.project, 'commit', '-qam', version);
    },
  });
}

it('updates what was installed with --auto-update, and names the others', { tags: 'wide' }, async () => {
  await using automatic = await createRepository('automatic');
  await using manual = await createRepository('manual');
  await using workspace = await createWorkspace();
  const install = (project: string, ...flags: string[]) =>
    runCli(['extensions', 'install', `file://${project}`, '--consent', ...flags], { workspace });
  expect((await install(automatic.project, '--auto-update')).code).toBe(0);
  expect((await install(manual.project)).code).toBe(0);
  for (const repository of [automatic, manual]) await repository.release('1.1.0');

  await using model = await fakeModel([say('ok')]);
  await using terminal = await startTerminal([], { model, workspace, rows: 40, columns: 160 });
  await terminal.waitForText('Extension "automatic" successfully updated: 1.0.0 → 1.1.0. /extensions reload loads it.');
  await terminal.waitForText('You have 1 extension with an update available. Run "/extensions update manual".');
  const installed = ['automatic', 'manual'].map((name) =>
    readFileSync(join(workspace.home, '.gemini/extensions', name, 'gemini-extension.json'), 'utf8'),
  );
  expect(installed).toEqual([manifest('automatic', '1.1.0'), manifest('manual', '1.0.0')]);
});
