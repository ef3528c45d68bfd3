/** Checks as real processes, by both starters: their output, their end, and what they leave running. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectStarter } from './direct-starter.ts';
import { isRunning, startTimeOf } from './process-identity.ts';
import { runCheck } from './run-check.ts';
import { ShellStarter } from './shell-starter.ts';
import type { Starter } from './starter.ts';

const environment = { PATH: process.env['PATH'] };
let folder = '';
let starter: Starter;
const text = (name: string) => readFileSync(join(folder, name), 'utf8');
const run = (command: string, timeoutMs = 600_000) =>
  runCheck({
    ...{ starter, command, directory: folder, environment, granted: [], mark: `test/${folder}`, timeoutMs },
    ...{ output: join(folder, 'check.txt'), pipe: join(folder, 'check.pipe'), signal: new AbortController().signal },
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-check-'));
});
afterEach(() => {
  starter.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['the shell', () => new ShellStarter(environment)],
  ['the worker', () => new DirectStarter()],
] as const)('a check that %s starts', (_, open) => {
  beforeEach(() => {
    starter = open();
  });

  it('has its whole output in the file, in order', async () => {
    expect(await run('echo one; echo two >&2; echo three; exit 7')).toEqual({ exitCode: 7, isLate: false });
    expect(text('check.txt')).toBe('one\ntwo\nthree\n');
    expect(existsSync(join(folder, 'check.pipe'))).toBe(false);
  });

  it('may print more than the file holds: the beginning and the end stay, and the exit code counts', async () => {
    const command = 'echo begin; head -c 150000000 /dev/zero; echo; echo end';
    expect(await run(command)).toEqual({ exitCode: 0, isLate: false });
    const kept = text('check.txt');
    expect([kept.slice(0, 6), kept.slice(-5)]).toEqual(['begin\n', '\nend\n']);
    const mark = '\n… 145,805,707 bytes left out …\n';
    expect(kept.includes(mark)).toBe(true);
    expect(kept.length).toBe(4 * 1024 * 1024 + mark.length);
  });

  it('leaves no process behind, also none that has left its group', async () => {
    const child = `setsid sh -c 'echo $$ >pid; exec sleep 600' & until test -s pid; do sleep 0.01; done`;
    const born = `cut -d' ' -f22 /proc/$(cat pid)/stat >born`;
    expect(await run(`${child}; ${born}; (sleep 600 &); exit 3`)).toEqual({ exitCode: 3, isLate: false });
    const [pid, started] = [Number(text('pid')), text('born').trim()];
    await expect.poll(() => isRunning(pid, started) && startTimeOf(pid) === started).toBe(false);
  });

  it('ends with its time', async () => {
    expect(await run('sleep 600', 1)).toEqual({ exitCode: null, isLate: true });
  });
});
