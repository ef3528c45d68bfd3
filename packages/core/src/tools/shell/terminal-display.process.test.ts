import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChildEnvironment } from './child-environment.ts';
import { createShellFixture } from './shell.fixture.ts';
import type { ShellFixture } from './shell.fixture.ts';
import { ShellRunner } from './shell-runner.ts';
import type { TerminalSink } from './terminal-display.ts';

describe('the terminal of a command', () => {
  let fixture: ShellFixture;
  let runner: ShellRunner;
  let pid = 0;

  beforeEach(async () => {
    fixture = await createShellFixture();
    runner = createRunner();
  });
  afterEach(async () => {
    await runner.dispose();
    await fixture[Symbol.asyncDispose]();
  });

  function createRunner(limits: { inactivityTimeoutMs?: number } = {}): ShellRunner {
    return new ShellRunner({
      environment: createChildEnvironment({ base: { ...process.env, COLUMNS: '7', LINES: '7' } }),
      tempDirectory: join(fixture.directory, 'temp'),
      useTerminal: true,
      whenWaiting: 'report',
      promptSilenceMs: 50,
      ...limits,
    });
  }

  function show(sink: Partial<TerminalSink>): void {
    const nothing = () => {};
    runner.showTerminals({
      size: { columns: 66, rows: 22 },
      open(given) {
        pid = given;
        return { write: nothing, wait: nothing, close: nothing, ...sink };
      },
    });
  }

  const run = (command: string, signal = new AbortController().signal) =>
    runner.run({ command, directory: fixture.directory, signal });

  it('is 120 by 40 while it is not shown, whatever the environment says', async () => {
    expect((await run('stty size; env | grep -cE "^(COLUMNS|LINES)="')).output).toBe('40 120\n0\n');
  });

  it('has the size it is shown in, and follows it', async () => {
    show({
      wait(line) {
        if (line === undefined) return;
        runner.resizeTerminals({ columns: 50, rows: 10 });
        runner.write(pid, '\n');
      },
    });
    const { output } = await run('stty -echo; stty size; read; stty size');
    expect(output).toBe('22 66\n10 50\n');
  });

  it('is shown byte by byte, and reports each prompt it waits at', async () => {
    const told: (string | undefined)[] = [];
    let bytes = '';
    const ended = Promise.withResolvers<void>();
    show({
      write: (chunk) => (bytes += Buffer.from(chunk).toString('latin1')),
      wait(line) {
        const isNew = !told.includes(line);
        told.push(line);
        if (line !== undefined && isNew) runner.write(pid, 'me\n');
      },
      close: () => ended.resolve(),
    });
    await run(String.raw`stty -echo; printf '\033[2J\033]0;title\007'; read -p "Name: "; echo; read -p "Town: "`);
    await ended.promise;
    // On a busy machine a shell reads what was typed after the silence, so a prompt may be reported twice.
    expect([...new Set(told)]).toEqual(['Name:', undefined, 'Town:']);
    expect(told.every((line, index) => (line === undefined) === (index % 2 === 1))).toBe(true);
    expect(told.length % 2).toBe(0);
    expect(bytes).toBe('\x1b[2J\x1b]0;title\x07Name: \r\nTown: ');
  });

  it('is known to wait while a program takes the keys one by one', async () => {
    const cancel = new AbortController();
    const told: (string | undefined)[] = [];
    show({
      wait(line) {
        told.push(line);
        cancel.abort();
      },
    });
    await run('stty raw -echo; printf "Choose "; sleep 1000', cancel.signal);
    expect(told).toEqual(['Choose']);
  });

  it('is not ended by the inactivity limit once the user has typed into it', { tags: 'wide' }, async () => {
    runner = createRunner({ inactivityTimeoutMs: 1000 });
    show({ wait: (line) => line === 'Name:' && runner.write(pid, 'me\n') });
    const { ending } = await run('read -p "Name: "; timeout --foreground 1.5 cat; exit 0');
    expect(ending).toBe('exited');
  });

  it('is ended by the inactivity limit while the user types nothing', { tags: 'wide' }, async () => {
    runner = createRunner({ inactivityTimeoutMs: 1000 });
    show({});
    expect((await run('read -p "Name: "')).ending).toBe('timed_out');
  });

  it('answers for itself, and the answer does not count as typing', async () => {
    const gate = fixture.makeFifo('gate');
    const reader = gate.listen();
    const cancel = new AbortController();
    show({ write: () => runner.answer(pid, '\x1b[1;1R') });
    const running = run(
      `stty raw -echo; printf '\\033[6n'; head -c 6 | od -An -c >${gate.path}; sleep 1000`,
      cancel.signal,
    );
    expect(await reader.nextLine()).toBe(' 033   [   1   ;   1   R');
    cancel.abort();
    expect((await running).ending).toBe('cancelled');
  });
});
