/** The sandbox of an ordinary user: the same escapes fail, started from root where the tests run as root. */

import { execFile } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { kernelEscapes, tryAll } from '../../packages/core/src/sandbox/escape-attempts.fixture.ts';
import { reasonToSkip } from '../../packages/core/src/sandbox/sandbox.fixture.ts';

const NOBODY = 65_534;
const PROGRAM = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));
const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);

async function reason(): Promise<string | undefined> {
  if (!isRoot) return 'the tests already run as an ordinary user';
  const missing = await reasonToSkip();
  if (missing !== undefined) return missing;
  const canRead = await run(process.execPath, [PROGRAM, '--version'], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: '/',
    env: { HOME: '/nonexistent' },
  }).then(
    () => true,
    () => false,
  );
  return canRead ? undefined : 'an ordinary user cannot read this checkout';
}

const why = await reason();

describe.skipIf(why !== undefined)(`an ordinary user${why === undefined ? '' : `: skipped, ${why}`}`, () => {
  it('has the same bounds as root', async () => {
    const base = mkdtempSync(join(tmpdir(), 'castor-nobody-'));
    try {
      const home = join(base, 'home');
      const work = join(base, 'work');
      for (const path of [base, home, work, join(home, '.ssh'), join(work, '.git'), join(work, '.git/hooks')]) {
        if (path !== base) mkdirSync(path);
        chownSync(path, NOBODY, NOBODY);
        chmodSync(path, 0o755);
      }
      for (const [path, text] of [
        [join(home, '.ssh/id'), 'KEY'],
        [join(home, '.bashrc'), 'mine\n'],
        [join(work, '.git/config'), '[core]\n'],
      ] as const) {
        writeFileSync(path, text);
        chownSync(path, NOBODY, NOBODY);
      }
      const attempts: [what: string, line: string][] = [
        ['a file of the home', 'echo evil >> ~/.bashrc'],
        ['a key', 'cat ~/.ssh/id'],
        ['the passwords of the computer', 'cat /etc/shadow'],
        ['a hook', 'echo evil > .git/hooks/pre-commit'],
        ['a renamed repository', 'mv .git g2'],
        ['a server of the computer', 'echo > /dev/tcp/127.0.0.1/1'],
        ...kernelEscapes(process.pid),
      ];
      const line = `${tryAll(attempts)}\necho fine > made; cat made`;
      const { stdout } = await run(process.execPath, [PROGRAM, 'sandbox', 'run', '--', 'bash', '-c', line], {
        ...{ uid: NOBODY, gid: NOBODY, cwd: work },
        env: { HOME: home, PATH: process.env['PATH'], TMPDIR: base },
      });
      expect(stdout).toBe('fine\n');
      expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('mine\n');
      expect(existsSync(join(work, '.git/hooks/pre-commit'))).toBe(false);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
});
