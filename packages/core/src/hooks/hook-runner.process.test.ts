import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFakeClock } from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../util/clock.ts';
import { HookRunner } from './hook-runner.ts';
import type { HookProcess, HookRunnerOptions } from './hook-runner.ts';

const NEVER = new AbortController().signal;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-runner-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function create(options: Partial<HookRunnerOptions> = {}): HookRunner {
  const shell = { file: '/bin/bash', toArguments: (command: string) => ['-c', command] };
  return new HookRunner({ shell, clock: systemClock, ...options });
}

const hook = (command: string, rest: Partial<HookProcess> = {}): HookProcess => ({
  command,
  cwd: folder,
  env: { PATH: process.env['PATH'] ?? '' },
  input: '{"a":1}',
  timeoutMs: 60_000,
  ...rest,
});

/** A pipe whose reader sees the end only when every process that holds it is gone. */
function openFifo(name: string): string {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
}

describe('HookRunner', () => {
  it('gives the hook its input and takes what it prints and how it ends', async () => {
    const run = await create().run(hook('cat; echo problem >&2; exit 3'), NEVER);
    expect(run).toMatchObject({ stdout: '{"a":1}', stderr: 'problem\n', exitCode: 3, leftOut: 0 });
    expect(run.failure).toBeUndefined();
  });

  it('gives it the environment it was told to, and nothing of our own', async () => {
    process.env['CASTOR_RUNNER_TEST'] = 'leaks';
    const { stdout } = await create().run(hook('echo "$CASTOR_RUNNER_TEST:$A"', { env: { A: '1' } }), NEVER);
    delete process.env['CASTOR_RUNNER_TEST'];
    expect(stdout).toBe(':1\n');
  });

  it.each<[string, Partial<HookProcess>, Partial<HookRunnerOptions>, RegExp]>([
    ['a folder that is gone', { cwd: '/nowhere' }, {}, /could not be started: .*ENOENT/],
    [
      'a shell that is not there',
      {},
      { shell: { file: '/nowhere/bash', toArguments: () => [] } },
      /could not be started/,
    ],
    ['a command with a zero byte', { command: 'a\0b' }, {}, /could not be started/],
  ])('does not throw for %s', async (_, process_, options, failure) => {
    const run = await create(options).run(hook('true', process_), NEVER);
    expect(run).toMatchObject({ stdout: '', stderr: '', exitCode: null, failure: expect.stringMatching(failure) });
  });

  it('does not mind a hook that closes its input early', async () => {
    const run = await create().run(hook('exec 0<&-; echo done', { input: 'x'.repeat(5_000_000) }), NEVER);
    expect(run).toMatchObject({ stdout: 'done\n', exitCode: 0 });
  });

  it('keeps the beginning of 50 MB and counts the rest', async () => {
    const run = await create().run(hook('head -c 52428800 /dev/zero | tr "\\0" x'), NEVER);
    expect([run.stdout.length, run.leftOut, run.exitCode]).toEqual([10 * 1024 * 1024, 40 * 1024 * 1024, 0]);
  });

  it('is finished when the hook exits, and hears nothing a child of it prints later', async () => {
    const fifo = openFifo('late');
    const run = await create().run(hook(`echo early; (read -r _ < ${fifo}; echo late) & exit 0`), NEVER);
    writeFileSync(fifo, 'go\n');
    expect(run).toMatchObject({ stdout: 'early\n', exitCode: 0 });
  });

  it('tells what was printed before the exit from what a child of the hook printed after it', async () => {
    // The pipes are waited for as long as this takes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const gone = openFifo('gone');
    const speak = openFifo('speak');
    const child = `while kill -0 $$ 2>/dev/null; do :; done; echo > ${gone}; read -r _ < ${speak}; echo late; echo hm >&2`;
    const run = create().run(hook(`(${child}) & echo early`), NEVER);
    await readFile(gone);
    // What was printed before the exit is read within a few turns of this loop.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    writeFileSync(speak, 'go\n');
    expect(await run).toMatchObject({
      stdout: 'early\nlate\n',
      stderr: 'hm\n',
      atExit: { stdout: 'early\n', stderr: '' },
    });
  });

  it('reads all of a large output before it takes the exit for the end of it', async () => {
    const fifo = openFifo('holds');
    const run = await create().run(hook(`head -c 3000000 /dev/zero | tr "\\0" x; read -r _ < ${fifo} &`), NEVER);
    writeFileSync(fifo, 'go\n');
    expect([run.stdout.length, run.atExit]).toEqual([3_000_000, undefined]);
  });

  it('names the signal that ended it', async () => {
    const run = await create().run(hook('kill -SEGV $$'), NEVER);
    expect(run).toMatchObject({ exitCode: null, failure: 'it was ended by SIGSEGV' });
  });

  it('asks the group to end at the timeout', async () => {
    const run = await create().run(
      hook('trap "echo bye; exit 5" TERM; echo on; sleep 1000 & wait', { timeoutMs: 50 }),
      NEVER,
    );
    expect(run).toMatchObject({
      stdout: expect.stringContaining('bye'),
      failure: 'it did not finish within 50 ms and was ended',
    });
  });

  it('kills the whole group, 5 seconds after it was asked and did not listen', async () => {
    const fifo = openFifo('group');
    const alive = createReadStream(fifo);
    const opened = once(alive, 'open');
    const real = createFakeClock();
    // The first sleep, the timeout, ends once the hook is up; the second is the grace.
    const clock = {
      ...real,
      sleep: async (ms: number, signal?: AbortSignal) => (await opened, real.sleep(ms, signal)),
    };
    const run = create({ clock }).run(
      hook(`trap "" TERM; exec 9>${fifo}; (trap "" TERM; sleep 1000) & sleep 1000`),
      NEVER,
    );
    alive.resume();
    await once(alive, 'end');
    expect(await run).toMatchObject({ exitCode: null, failure: 'it did not finish within 60000 ms and was ended' });
    expect(real.sleeps).toEqual([60_000, 5_000]);
  });

  it('ends with the signal, and so does everything the hook started', async () => {
    const fifo = openFifo('abort');
    const alive = createReadStream(fifo);
    const controller = new AbortController();
    const run = create().run(hook(`exec 9>${fifo}; trap "" TERM; sleep 1000 & sleep 1000`), controller.signal);
    await once(alive, 'open');
    controller.abort();
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
    alive.resume();
    await once(alive, 'end');
  });

  it('ends what still runs when it is disposed of, and tells its listeners', async () => {
    const watched: string[] = [];
    const guard = {
      prepare: () => ({ MARK: 'x' }),
      watch: () => void watched.push('on'),
      unwatch: () => void watched.push('off'),
    };
    const runner = create({ guard });
    const fifo = openFifo('dispose');
    const alive = createReadStream(fifo);
    const run = runner.run(hook(`exec 9>${fifo}; sleep 1000`), NEVER);
    await once(alive, 'open');
    runner.dispose();
    expect(await run).toMatchObject({ failure: 'it was ended by SIGKILL' });
    expect(watched).toEqual(['on', 'off']);
    alive.destroy();
  });

  it('does not read the start file of the shell', async () => {
    writeFileSync(join(folder, '.bashrc'), 'echo started\n');
    const { stdout } = await create().run(hook('echo hook', { env: { HOME: folder } }), NEVER);
    expect(stdout).toBe('hook\n');
  });
});
