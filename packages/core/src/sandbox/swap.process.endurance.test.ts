/**
 * A folder that is swapped for a link between the plan and the start of a command opens nothing. Short: 10 races; at full
 * length 1,000.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { baseOutsideTmp, openTestSandbox, reasonToSkip, runInvocation } from './sandbox.fixture.ts';

const reason = await reasonToSkip();
const RACES = inject('isEndurance') ? 1000 : 10;
const LIMIT_MS = 60_000 + RACES * 500;

describe.skipIf(reason !== undefined)(`a swapped folder${reason === undefined ? '' : `: skipped, ${reason}`}`, () => {
  it.each(['../home', '/absolute'])('is not followed: %s', async (target) => {
    using box = await openTestSandbox({
      files: { 'sub/.git/config': '[core]\n', 'sub/.git/hooks/a.sample': '' },
      homeFiles: { '.bashrc': 'mine\n' },
      base: baseOutsideTmp(),
    });
    expect((await box.run('true')).code).toBe(0);
    renameSync(join(box.root, 'sub'), join(box.root, 'away'));
    symlinkSync(target === '/absolute' ? box.home : target, join(box.root, 'sub'));
    mkdirSync(join(box.home, '.git/hooks'), { recursive: true });
    box.write(join(box.home, '.git/config'), '');
    const { stderr, code } = await box.run('echo evil >> "$HOME/.bashrc"; touch "$HOME/made"');
    expect([code === 0, stderr]).toEqual([false, expect.any(String)]);
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(box.home, 'made'))).toBe(false);
  });

  it('is not followed by a command that was about to start: it ends before it begins, and says why', async () => {
    using box = await openTestSandbox({
      files: { 'sub/.git/config': '[core]\n', 'sub/.git/hooks/a.sample': '' },
      homeFiles: { '.bashrc': 'mine\n', '.git/config': '', '.git/hooks/a.sample': '' },
      base: baseOutsideTmp(),
    });
    const line = 'touch ran; echo evil >> "$HOME/.bashrc"';
    const environment = { PATH: process.env['PATH'] ?? '', HOME: box.home };
    const given = { file: '/bin/bash', args: ['-c', line], directory: box.root, environment };
    const invocation = box.sandbox.wrap(given, 'command', 'workspace-write');
    renameSync(join(box.root, 'sub'), join(box.root, 'away'));
    symlinkSync('../home', join(box.root, 'sub'));
    const { code, stderr } = await runInvocation(invocation);
    expect([code, stderr]).toEqual([126, expect.stringContaining('was replaced while the sandbox was made')]);
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(box.root, 'ran'))).toBe(false);
  });

  it(
    'is not followed by a command that starts while it is swapped again and again',
    async () => {
      using box = await openTestSandbox({
        files: { 'sub/.git/config': '[core]\n', 'sub/.git/hooks/a.sample': '' },
        homeFiles: { '.bashrc': 'mine\n', '.git/config': '', '.git/hooks/a.sample': '' },
        base: baseOutsideTmp(),
      });
      const swap = 'while mv sub away; do ln -s ../home sub; rm sub; mv away sub; done';
      const swapping = spawn('/bin/bash', ['-c', `echo begun; ${swap}`], {
        cwd: box.root,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await once(swapping.stdout, 'data');
      try {
        for (let race = 0; race < RACES; race++)
          await box.run('echo evil >> "$HOME/.bashrc"; echo evil > "$HOME/.git/config"').catch(() => undefined);
      } finally {
        swapping.kill('SIGKILL');
        await once(swapping, 'close');
      }
      expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('mine\n');
      expect(readFileSync(join(box.home, '.git/config'), 'utf8')).toBe('');
    },
    LIMIT_MS,
  );
});
