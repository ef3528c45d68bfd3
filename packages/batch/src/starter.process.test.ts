/** Both starters keep the same promises; the shell also those for a worker that dies and a shell that is killed. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectStarter } from './direct-starter.ts';
import { openStarter } from './open-starter.ts';
import { isRunning, startTimeOf } from './process-identity.ts';
import { ShellStarter } from './shell-starter.ts';
import type { Start, Starter } from './starter.ts';

const environment = { PATH: process.env['PATH'], BASE: 'base' };
let folder = '';
let starter: Starter;
const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), 'utf8');
const start = (script: string, more: Partial<Start> = {}, args: string[] = []) =>
  starter.start({
    ...{ words: ['sh', '-c', script, 'sh', ...args], directory: folder, environment },
    ...{ stdout: at('out'), stderr: at('err'), ...more },
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "castor-starter-it's "));
});
afterEach(() => {
  starter.close();
  rmSync(folder, { recursive: true, force: true });
});

const KINDS = [
  ['the shell', () => new ShellStarter(environment)],
  ['the worker', () => new DirectStarter()],
] as const;

describe.each(KINDS)('%s', (_, open) => {
  beforeEach(() => {
    starter = open();
  });

  it('passes words, folder, variables and the exit code as they are, and no secret of the worker', async () => {
    const words = ["it's", 'a\nline', '$HOME `id` "x" \\', '', '-e', 'ä'];
    const script = 'printf "[%s]" "$@"; echo; pwd; echo "$MORE/${BASE-none}"; umask; echo wrong >&2; exit 124';
    const started = start(script, { environment: { PATH: environment.PATH, MORE: "a'b\nc" } }, words);
    expect(await started.ended).toBe(124);
    const mask = process.umask().toString(8).padStart(4, '0');
    expect(text('out')).toBe(`${words.map((word) => `[${word}]`).join('')}\n${folder}\na'b\nc/none\n${mask}\n`);
    expect(text('err')).toBe('wrong\n');
    expect(statSync(at('out')).mode & 0o777).toBe(0o600);
  });

  it('runs many at once, each with its own end', async () => {
    const all = Array.from({ length: 20 }, (_each, index) => start(`exit ${index}`).ended);
    expect(await Promise.all(all)).toEqual(all.map((_each, index) => index));
  });

  it('ends a program with all it started, and tells that it was ended', async () => {
    const started = start('sleep 600 & echo $! >pid; wait', { lifeline: 'read', identity: at('id') });
    await expect.poll(() => existsSync(at('pid')) && text('pid') !== '').toBe(true);
    const [pid, since = ''] = text('id').trim().split(' ');
    expect(startTimeOf(Number(pid))).toBe(since);
    started.end('SIGKILL');
    expect(await started.ended).toBeNull();
    const child = Number(text('pid'));
    await expect.poll(() => isRunning(child, startTimeOf(child)) && startTimeOf(child) !== 'ended').toBe(false);
  });

  it('ends one that has not begun yet', async () => {
    const started = start('sleep 600', { lifeline: 'read' });
    started.end('SIGTERM');
    expect(await started.ended).toBeNull();
  });

  it('fails with the words of the system where the output cannot be written', async () => {
    const run = async () => start('true', { stdout: join(folder, 'missing', 'out') }).ended;
    await expect(run()).rejects.toThrow(/ENOENT.*missing/);
  });
});

describe('a shell that starts programs', () => {
  it('is replaced when it was killed, and what it started goes on', async () => {
    starter = new ShellStarter(environment);
    const first = start('echo $PPID >parent; while test ! -e go; do sleep 0.02; done; exit 3');
    await expect.poll(() => existsSync(at('parent')) && text('parent') !== '').toBe(true);
    const outer = readFileSync(`/proc/${text('parent').trim()}/stat`, 'utf8');
    process.kill(Number(outer.slice(outer.lastIndexOf(')') + 2).split(' ')[1]), 'SIGKILL');
    // The worker may not know it yet: then the start fails, in a way that blames no task.
    const next = () => start('exit 5').ended.catch((error: unknown) => (error as Error).name);
    const codes = [await next(), await next()];
    expect(codes.filter((code) => code !== 'StarterDiedError').at(-1)).toBe(5);
    writeFileSync(at('go'), '');
    expect(await first.ended).toBe(3);
  });

  it('starts nothing for a worker that has died', { tags: 'wide' }, async () => {
    starter = new DirectStarter();
    const worker = at('worker.mts');
    const code = `import { readFileSync } from 'node:fs';
      import { ShellStarter } from ${JSON.stringify(join(import.meta.dirname, 'shell-starter.ts'))};
      const where = ${JSON.stringify({ directory: folder, stdout: at('out'), stderr: at('err') })};
      const start = (...words) => starter.start({ ...where, environment: process.env, words }).ended;
      const starter = new ShellStarter(process.env);
      await start('true');
      const shell = Number(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8'));
      process.kill(shell, 'SIGSTOP');
      void start('touch', 'begun');
      process.stdout.write(String(shell), () => process.kill(process.pid, 'SIGKILL'));`;
    writeFileSync(worker, code);
    const { stdout } = spawnSync(process.execPath, [worker], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const shell = Number(stdout);
    const left = () => spawnSync('ps', ['-o', 'pid=', '-s', stdout], { encoding: 'utf8' }).stdout;
    expect(left()).not.toBe('');
    process.kill(shell, 'SIGCONT');
    await expect.poll(left, { timeout: 60_000 }).toBe('');
    expect(existsSync(at('begun'))).toBe(false);
  });
});

it('is not used where the shell would lose a variable', () => {
  starter = openStarter({ ...environment, 'with-dash': 'x' });
  expect(starter).toBeInstanceOf(DirectStarter);
});
