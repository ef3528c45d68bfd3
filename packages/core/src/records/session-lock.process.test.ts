import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, findLockHolder, lockPath } from './session-lock.ts';

/** Takes the lock, says whether it got it, and waits to be killed. */
const TAKER = `
  const { acquireLock } = await import(process.argv[1]);
  const lock = acquireLock(process.argv[2]);
  process.stdout.write('release' in lock ? 'taken' : 'held by ' + lock.pid);
  process.stdin.resume();
`;

describe('the lock of a session', () => {
  let directory: string;
  let session: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'castor-lock-'));
    session = join(directory, 'session.jsonl');
    await writeFile(session, '');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const start = () => {
    const module = new URL('./session-lock.ts', import.meta.url).href;
    const args = ['--conditions=castor-source', '--input-type=module', '-e', TAKER, module, session];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const said = once(child.stdout, 'data').then(([chunk]) => String(chunk));
    return { child, said };
  };

  it('names its holder to others, and is free once it is released', () => {
    const lock = acquireLock(session);
    expect(acquireLock(session)).toMatchObject({ pid: process.pid, host: hostname() });
    expect(findLockHolder(session)).toMatchObject({ pid: process.pid });
    if ('release' in lock) lock.release();
    expect(findLockHolder(session)).toBeUndefined();
    expect('release' in acquireLock(session)).toBe(true);
  });

  it('goes from a process that was killed to exactly one of those who want it', async () => {
    const first = start();
    expect(await first.said).toBe('taken');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const others = Array.from({ length: 6 }, start);
    const said = await Promise.all(others.map((other) => other.said));
    const winner = others[said.indexOf('taken')]?.child.pid;
    expect(said.toSorted()).toEqual([...Array.from({ length: 5 }, () => `held by ${winner}`), 'taken']);
    await Promise.all(
      others.map(({ child }) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    );
    expect((await readdir(directory)).toSorted()).toEqual(['session.jsonl', 'session.jsonl.lock']);
  });

  const gone = { pid: 2 ** 22 + 1, host: hostname() };
  it.each([
    ['of a process that is gone', JSON.stringify(gone), 0, false],
    [
      'of a number that is now another process',
      JSON.stringify({ pid: process.pid, host: hostname(), startedAt: '1' }),
      0,
      false,
    ],
    ['of another machine whose session is written to', JSON.stringify({ pid: 1, host: 'elsewhere' }), 0, true],
    ['of another machine that is silent for long', JSON.stringify({ pid: 1, host: 'elsewhere' }), 3600, false],
    ['that is being written', '', 0, true],
    ['that was never written', '', 3600, false],
    ['that holds something else', 'no JSON', 3600, false],
    ['with a number that is none', '{"pid":"1","host":"x"}', 3600, false],
  ])('counts a lock %s for what it is', async (_what, content, ageSeconds, isHeld) => {
    await writeFile(lockPath(session), content);
    const time = Date.now() / 1000 - ageSeconds;
    await Promise.all([utimes(lockPath(session), time, time), utimes(session, time, time)]);
    expect(findLockHolder(session) !== undefined).toBe(isHeld);
    expect('release' in acquireLock(session)).toBe(!isHeld);
  });

  it('does not wait for ever for what is no lock', async () => {
    await mkdir(lockPath(session));
    expect(() => acquireLock(session)).toThrow(
      /can neither be created nor read\. If it is not a lock of Castor, remove it\./,
    );
    expect(findLockHolder(session)).toBeUndefined();
  });

  it('does not release what another process has taken over', async () => {
    const lock = acquireLock(session);
    await rm(lockPath(session));
    await writeFile(lockPath(session), JSON.stringify(gone));
    if ('release' in lock) lock.release();
    expect(await readFile(lockPath(session), 'utf8')).toBe(JSON.stringify(gone));
  });
});
