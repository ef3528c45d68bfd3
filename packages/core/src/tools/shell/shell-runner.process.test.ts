import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createChildEnvironment } from './child-environment.ts';
import { createShellFixture } from './shell.fixture.ts';
import type { ShellFixture } from './shell.fixture.ts';
import { ShellRunner } from './shell-runner.ts';
import type { ShellOutcome, ShellRequest } from './shell-outcome.ts';
import type { ShellRunnerOptions } from './shell-runner.ts';
import { findGroupMembers, signalGroup } from './stray-processes.ts';

const QUIET = { exitCode: 0, signal: null, backgroundPids: [], ending: 'exited' };

describe('ShellRunner', () => {
  let fixture: ShellFixture;
  let runners: ShellRunner[];

  beforeEach(async () => {
    fixture = await createShellFixture();
    runners = [];
  });
  afterEach(async () => {
    await Promise.all(runners.map((runner) => runner.dispose()));
    await fixture[Symbol.asyncDispose]();
  });

  function createRunner(options: Partial<ShellRunnerOptions> = {}): ShellRunner {
    const environment = createChildEnvironment({ base: process.env });
    const runner = new ShellRunner({ environment, tempDirectory: join(fixture.directory, 'temp'), ...options });
    runners.push(runner);
    return runner;
  }

  function run(command: string, options: Partial<ShellRunnerOptions & ShellRequest> = {}): Promise<ShellOutcome> {
    const { signal = new AbortController().signal, onOutput, onPid, ...rest } = options;
    return createRunner(rest).run({
      command,
      directory: fixture.directory,
      signal,
      ...(onOutput && { onOutput }),
      ...(onPid && { onPid }),
    });
  }

  const withoutPid = ({ pid: _pid, ...outcome }: ShellOutcome) => outcome;

  it('gives stdout and stderr in the order they were written', async () => {
    const outcome = await run('for i in 1 2 3; do echo out $i; echo err $i >&2; done');
    expect(withoutPid(outcome)).toEqual({ ...QUIET, output: 'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n' });
  });

  it('gives a command an output it can open again by name', async () => {
    expect((await run('echo a >/dev/stderr; echo b | tee /dev/stdout')).output).toBe('a\nb\nb\n');
  });

  it('works over plain pipes where no named ones can be made', { tags: 'wide' }, async () => {
    const file = join(fixture.directory, 'a-file');
    await writeFile(file, '');
    const outcome = await run('echo out; echo err >&2', { tempDirectory: file });
    expect(outcome.output.split('\n').sort()).toEqual(['', 'err', 'out']);
  });

  it.each([
    ['exit 3', { exitCode: 3, signal: null }],
    ['kill -9 $$', { exitCode: null, signal: 'SIGKILL' }],
    ['false | true', { exitCode: 0, signal: null }],
    ['no-such-program-here', { exitCode: 127, signal: null }],
  ])('reports how %s ended', async (command, expected) => {
    const { exitCode, signal } = await run(command);
    expect({ exitCode, signal }).toEqual(expected);
  });

  it('closes stdin and gives no terminal, so that nothing waits for an answer', async () => {
    const outcome = await run(
      'read -r answer || echo "no answer"; (exec 3</dev/tty) 2>/dev/null || echo "no terminal"',
    );
    expect(outcome.output).toBe('no answer\nno terminal\n');
  });

  it('runs a command as the leader of a group and a session of its own', async () => {
    const outcome = await run('ps -o pgid=,sid= -p $$');
    expect(outcome.output.trim().split(/\s+/)).toEqual([String(outcome.pid), String(outcome.pid)]);
  });

  it('leaves jobs and wait to the command', async () => {
    expect((await run('jobs; sleep 0 & wait; echo done')).output).toBe('done\n');
  });

  it('is finished when the shell is, while a job it left runs on with its output read', async () => {
    const fifo = fixture.makeFifo('alive');
    const gate = fixture.makeFifo('gate');
    const reader = fifo.listen();
    const runner = createRunner();
    const outcome = await runner.run({
      command: `(exec 9>${fifo.path}; read -r go <${gate.path}; yes | head -c 1000000; echo survived >&9; sleep 1000) & echo started`,
      directory: fixture.directory,
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ ...QUIET, output: 'started\n', backgroundPids: [expect.any(Number)] });
    await writeFile(gate.path, 'go\n');
    expect(await reader.nextLine()).toBe('survived');
    await runner.dispose();
    await reader.ended;
  });

  it('finds and later ends what left the group of the command', async () => {
    const fifo = fixture.makeFifo('alive');
    const reader = fifo.listen();
    const runner = createRunner();
    const outcome = await runner.run({
      command: `setsid sh -c 'exec 9>${fifo.path}; echo up >&9; sleep 1000' >/dev/null 2>&1 & disown; echo started; read -r x <${fixture.makeFifo('go').path}`,
      directory: fixture.directory,
      signal: abortAfter(reader.nextLine()),
    });
    expect(outcome.ending).toBe('cancelled');
    await reader.ended;
  });

  it('names what left the group and writes nowhere', async () => {
    const fifo = fixture.makeFifo('alive');
    const gate = fixture.makeFifo('gate');
    const reader = fifo.listen();
    const runner = createRunner();
    const outcome = await runner.run({
      command: `setsid sh -c 'exec 9>${fifo.path}; echo up >${gate.path}; exec sleep 1000' >/dev/null 2>&1 & read -r up <${gate.path}`,
      directory: fixture.directory,
      signal: new AbortController().signal,
    });
    expect(withoutPid(outcome)).toEqual({ ...QUIET, output: '', backgroundPids: [expect.any(Number)] });
    await runner.dispose();
    await reader.ended;
  });

  it('ends the whole group on cancel, also members that ignore the request', async () => {
    const fifo = fixture.makeFifo('alive');
    const reader = fifo.listen();
    const outcome = await run(
      `exec 9>${fifo.path}; trap '' TERM; (trap '' TERM; while :; do sleep 1000; done) & echo text; echo up >&9; wait`,
      { signal: abortAfter(reader.nextLine()) },
    );
    await reader.ended;
    expect(withoutPid(outcome)).toEqual({
      ending: 'cancelled',
      output: 'text\n',
      exitCode: null,
      signal: 'SIGKILL',
      backgroundPids: [],
    });
    expect(await findGroupMembers(outcome.pid!)).toEqual([]);
  });

  it('lets a command clean up before it is killed', async () => {
    const fifo = fixture.makeFifo('alive');
    const reader = fifo.listen();
    const outcome = await run(`trap 'echo cleaned; exit 7' TERM; echo up >${fifo.path}; while :; do sleep 0.01; done`, {
      signal: abortAfter(reader.nextLine()),
    });
    expect(withoutPid(outcome)).toEqual({
      ending: 'cancelled',
      output: expect.stringContaining('cleaned') as string,
      exitCode: 7,
      signal: null,
      backgroundPids: [],
    });
  });

  it('starts nothing when cancelled before', async () => {
    const marker = join(fixture.directory, 'marker');
    const outcome = await run(`touch ${marker}`, { signal: AbortSignal.abort() });
    expect(outcome).toEqual({ ending: 'cancelled', output: '', exitCode: null, signal: null, backgroundPids: [] });
    expect(await readdir(fixture.directory)).toEqual([]);
  });

  it('ends a command that is silent for too long', async () => {
    const outcome = await run('echo before; sleep 1000', { inactivityTimeoutMs: 100 });
    expect(outcome).toMatchObject({ ending: 'timed_out', output: 'before\n', signal: 'SIGTERM' });
  });

  it('counts silence from the last output, not from the start', { tags: 'wide' }, async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // One for each: what is left of a writer would let the next reader pass.
    const gates = [1, 2, 3].map((step) => fixture.makeFifo(`gate${step}`));
    const runner = createRunner({ inactivityTimeoutMs: 600 });
    let pid = 0;
    const running = runner.run({
      command: gates.map(({ path }, index) => `printf ${index + 1}; read -r _ <${path}`).join('; '),
      directory: fixture.directory,
      signal: new AbortController().signal,
      onPid: (given) => (pid = given),
    });
    for (const [index, gate] of gates.entries()) {
      while (runner.unfinishedLine(pid) !== '123'.slice(0, index + 1)) await nextLoop();
      vi.advanceTimersByTime(400);
      if (gate === gates.at(-1)) vi.useRealTimers();
      await writeFile(gate.path, '\n');
    }
    expect(await running).toMatchObject({ ending: 'exited', exitCode: 0, output: '123' });
  });

  it('says why a command could not be started', async () => {
    const runner = createRunner();
    const request = { command: 'true', signal: new AbortController().signal };
    const missing = await runner.run({ ...request, directory: join(fixture.directory, 'missing') });
    const huge = await runner.run({ ...request, command: `: ${'x'.repeat(300_000)}`, directory: fixture.directory });
    expect([missing.error, huge.error]).toEqual([
      expect.objectContaining({ code: 'ENOENT' }),
      expect.objectContaining({ code: 'E2BIG' }),
    ]);
  });

  it('keeps head and tail of a flood and counts the rest', async () => {
    const { output } = await run('seq 1 2000000', { outputCap: 10_000 });
    expect(output.length).toBeLessThan(10_100);
    expect(output.startsWith('1\n2\n3\n')).toBe(true);
    expect(output.endsWith('1999999\n2000000\n')).toBe(true);
    expect(output).toMatch(/\n\.\.\. \[\d+ characters omitted\] \.\.\.\n/);
  });

  it('shows neither escape sequences nor bytes that are no text', async () => {
    expect((await run(String.raw`printf '\033[31mred\033[0m \033]0;t\007ok\n10%%\r20%%\n'`)).output).toBe(
      'red ok\n20%\n',
    );
    expect((await run('head -c 5000 /dev/zero')).output).toBe('[Binary output: 5000 bytes, not shown.]');
  });

  it('runs commands at the same time', async () => {
    const runner = createRunner();
    const [a, b] = [fixture.makeFifo('a'), fixture.makeFifo('b')];
    const signal = new AbortController().signal;
    // Each waits for the other: one after the other they would never end.
    const outcomes = await Promise.all([
      runner.run({ command: `echo from-a >${a.path}; cat ${b.path}`, directory: fixture.directory, signal }),
      runner.run({ command: `cat ${a.path}; echo from-b >${b.path}`, directory: fixture.directory, signal }),
    ]);
    expect(outcomes.map(({ output }) => output)).toEqual(['from-b\n', 'from-a\n']);
  });

  it('hands out live output and the process id while the command runs', async () => {
    const gate = fixture.makeFifo('gate');
    const seen: string[] = [];
    let pid: number | undefined;
    const outcome = await run(`printf 'first\\n'; cat ${gate.path}`, {
      onPid: (given) => (pid = given),
      onOutput: (text) => {
        seen.push(text);
        if (seen.length === 1) void writeFile(gate.path, 'second\n');
      },
    });
    expect({ seen: seen.join(''), first: seen[0], pid }).toEqual({
      seen: 'first\nsecond\n',
      first: 'first\n',
      pid: outcome.pid,
    });
  });

  it('reports a question in the live output and does not end the command for it', async () => {
    const gate = fixture.makeFifo('gate');
    const outcome = await run(`printf 'Continue? [y/N] '; read -r answer <${gate.path}; echo "$answer"`, {
      promptSilenceMs: 50,
      onOutput: (text) => {
        if (text.includes('wait for input')) void writeFile(gate.path, 'yes\n');
      },
    });
    expect(withoutPid(outcome)).toEqual({ ...QUIET, output: 'Continue? [y/N] yes\n' });
  });

  it('sends a server that is up to the background and lets it run', async () => {
    const runner = createRunner({ serverSilenceMs: 100 });
    const script = `const s = require('net').createServer((c) => c.end('hello')).listen(0, '127.0.0.1', () => console.log('listening on', s.address().port))`;
    await writeFile(join(fixture.directory, 'server.js'), script);
    const outcome = await runner.run({
      command: `"${process.execPath}" server.js`,
      directory: fixture.directory,
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ ending: 'serving', exitCode: null });
    expect(outcome.output).toMatch(/^listening on \d+\n$/);
    expect(signalGroup(outcome.pid!, 0)).toBe(true);
    await outcome.moved!.end();
    expect(await outcome.moved!.finished).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('lets a command run on when a person moves it to the background', async () => {
    const runner = createRunner();
    const gate = fixture.makeFifo('gate');
    let pid = 0;
    const outcome = await runner.run({
      command: `echo before; cat ${gate.path}`,
      directory: fixture.directory,
      signal: new AbortController().signal,
      onOutput: () => runner.moveToBackground(pid),
      onPid: (given) => (pid = given),
    });
    expect(outcome).toMatchObject({ ending: 'moved_to_background', output: 'before\n' });
    const later: string[] = [];
    outcome.moved!.onText((text) => later.push(text));
    await writeFile(gate.path, 'after\n');
    expect(await outcome.moved!.finished).toEqual({ code: 0, signal: null });
    expect(later.join('')).toBe('after\n');
  });
  it('leaves no file and no process behind when disposed', async () => {
    const fifo = fixture.makeFifo('alive');
    const reader = fifo.listen();
    const runner = createRunner();
    const running = runner.run({
      command: `exec 9>${fifo.path}; echo up >&9; sleep 1000`,
      directory: fixture.directory,
      signal: new AbortController().signal,
    });
    await reader.nextLine();
    await runner.dispose();
    await reader.ended;
    expect((await running).ending).toBe('cancelled');
    expect(await readdir(join(fixture.directory, 'temp'))).toEqual([]);
  });

  it.each([
    ['over pipes', {}],
    ['in a terminal', { useTerminal: true }],
  ])('stops a command that prints without end, %s', async (_where, options) => {
    const outcome = await run('yes', { ...options, maxOutputBytes: 300_000 });
    expect(outcome).toMatchObject({ ending: 'too_much_output', backgroundPids: [] });
    expect(outcome.printedBytes).toBeGreaterThan(300_000);
    expect(outcome.output.length).toBeLessThanOrEqual(300_000);
    expect(await findGroupMembers(outcome.pid!)).toEqual([]);
  });

  it('stops one that prints bytes that are not text as well', { tags: 'wide' }, async () => {
    expect(await run('cat /dev/zero', { maxOutputBytes: 300_000 })).toMatchObject({ ending: 'too_much_output' });
  });

  it.each([
    ['up to the limit', { maxOutputBytes: 300_000 }, 300_000],
    ['without a limit', { maxOutputBytes: 0 }, 400_000],
  ])('lets a command print %s', async (_name, options, bytes) => {
    const outcome = await run(`yes | head -c ${bytes}`, options);
    expect([outcome.ending, outcome.exitCode, outcome.output.length]).toEqual(['exited', 0, bytes]);
  });

  it('tells who took over a command that it prints too much', { tags: 'wide' }, async () => {
    const gate = fixture.makeFifo('gate');
    const runner = createRunner({ maxOutputBytes: 300_000 });
    let pid = 0;
    const outcome = await runner.run({
      command: `echo up; read -r go <${gate.path}; yes`,
      directory: fixture.directory,
      signal: new AbortController().signal,
      onPid: (given) => (pid = given),
      onOutput: () => runner.moveToBackground(pid),
    });
    let text = '';
    outcome.moved!.onText((piece) => (text += piece));
    const printed = new Promise<number>((resolve) => outcome.moved!.onTooMuchOutput(resolve));
    await writeFile(gate.path, 'go\n');
    expect(await printed).toBeGreaterThan(300_000);
    await outcome.moved!.end();
    expect(text.length).toBeLessThanOrEqual(300_000);
  });

  describe('with a terminal', () => {
    const terminal = { useTerminal: true };

    it('gives the command one and cleans what it writes', async () => {
      const outcome = await run(
        String.raw`test -t 0 && test -t 1 && printf '\033[32mgreen\033[0m\n'; exit 4`,
        terminal,
      );
      expect(withoutPid(outcome)).toEqual({ ...QUIET, exitCode: 4, output: 'green\n' });
    });

    it.each(['read -p "Name: " name', 'cat', 'printf "Continue? [y/N] "; sleep 1000'])(
      'ends %s, which waits for somebody to type, and says where it waits',
      async (command) => {
        const outcome = await run(command, { ...terminal, promptSilenceMs: 50 });
        expect(outcome).toMatchObject({ ending: 'waiting_for_input', waitingAt: outcome.output.trim() });
      },
    );

    it('does not take a silent command for a waiting one', async () => {
      const outcome = await run('printf "Compiling: "; sleep 0.5; echo done', { ...terminal, promptSilenceMs: 20 });
      expect(withoutPid(outcome)).toEqual({ ...QUIET, output: 'Compiling: done\n' });
    });

    it.runIf(process.platform === 'linux')('does not hang up on a command that closes its terminal', async () => {
      const outcome = await run('exec </dev/null >log 2>&1; sleep 0.2; exit 3', terminal);
      expect(withoutPid(outcome)).toEqual({ ...QUIET, exitCode: 3, output: '' });
    });

    it('does not hang up on a daemon either', { tags: 'wide' }, async () => {
      const fifo = fixture.makeFifo('alive');
      const reader = fifo.listen();
      const runner = createRunner(terminal);
      const outcome = await runner.run({
        command: `setsid -f sh -c 'exec 9>${fifo.path} >/dev/null 2>&1; echo up >&9; exec sleep 1000'`,
        directory: fixture.directory,
        signal: new AbortController().signal,
      });
      expect(withoutPid(outcome)).toEqual({ ...QUIET, output: '', backgroundPids: [expect.any(Number)] });
      expect(await reader.nextLine()).toBe('up');
      await runner.dispose();
      await reader.ended;
    });

    it('lets a person answer', async () => {
      const runner = createRunner({ ...terminal, whenWaiting: 'report', promptSilenceMs: 50 });
      let pid = 0;
      const outcome = await runner.run({
        command: 'stty -echo; read -p "Name: " name; echo; echo "hello $name"',
        directory: fixture.directory,
        signal: new AbortController().signal,
        onPid: (given) => (pid = given),
        onOutput: (text) => {
          if (text.includes('wait for input')) runner.write(pid, 'me\n');
        },
      });
      expect(withoutPid(outcome)).toEqual({ ...QUIET, output: 'Name: \nhello me\n' });
    });

    it('shows what is typed as it is typed, and corrected', { tags: 'wide' }, async () => {
      const runner = createRunner({ ...terminal, whenWaiting: 'report', promptSilenceMs: 50 });
      let pid = 0;
      let seen = '';
      const typed: boolean[] = [];
      const keys = ['mx', '\x7f', 'e', '\r'];
      const outcome = await runner.run({
        command: 'read -p "Name: " name; echo "hello $name"',
        directory: fixture.directory,
        signal: new AbortController().signal,
        onPid: (given) => (pid = given),
        onOutput: (text) => {
          seen += text;
          const line = seen.slice(seen.search(/[^\n\r]*$/));
          const expected = ['', 'Name: mx', 'Name: m', 'Name: me'][typed.length];
          if (line === expected) typed.push(runner.write(pid, keys[typed.length] ?? ''));
        },
      });
      expect([typed, outcome.output, runner.write(pid, 'late')]).toEqual([
        [true, true, true, true],
        'Name: me\nhello me\n',
        false,
      ]);
    });

    it('can be typed into in the background, where its prompt is known', { tags: 'wide' }, async () => {
      const runner = createRunner({ ...terminal, whenWaiting: 'report', promptSilenceMs: 50 });
      let pid = 0;
      const { moved } = await runner.run({
        command: 'echo up; read -p "Name: " name; echo "hello $name"',
        directory: fixture.directory,
        signal: new AbortController().signal,
        onPid: (given) => (pid = given),
        onOutput: () => runner.moveToBackground(pid),
      });
      let later = '';
      moved!.onText((text) => (later += text));
      expect([runner.isRunning(pid), runner.canType(pid), runner.write(pid, 'you\r')]).toEqual([true, true, true]);
      expect(await moved!.finished).toEqual({ code: 0, signal: null });
      expect(later).toMatch(/hello you\n$/);
      expect([runner.isRunning(pid), runner.canType(pid), runner.unfinishedLine(pid)]).toEqual([false, false, '']);
    });

    it('ends the command on cancel', async () => {
      const fifo = fixture.makeFifo('alive');
      const reader = fifo.listen();
      const outcome = await run(`exec 9>${fifo.path}; echo up >&9; sleep 1000`, {
        ...terminal,
        signal: abortAfter(reader.nextLine()),
      });
      await reader.ended;
      expect(outcome.ending).toBe('cancelled');
    });
  });
});

/** A signal that is aborted when the promise resolves. */
function abortAfter(promise: Promise<unknown>): AbortSignal {
  const controller = new AbortController();
  void promise.then(() => controller.abort());
  return controller.signal;
}
