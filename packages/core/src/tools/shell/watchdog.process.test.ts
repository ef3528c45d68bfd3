import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createShellFixture } from './shell.fixture.ts';
import type { ShellFixture } from './shell.fixture.ts';
import { variants } from '../../../../../test/house/variants.ts';

const NODE_MODULES = join(import.meta.dirname, '../../../../../node_modules');

/** A program that runs commands with our runner and can be killed. */
const PROGRAM = `
import { ShellRunner } from './shell-runner.ts';
import { BackgroundProcesses } from './background.ts';
import { createChildEnvironment } from './child-environment.ts';
const [directory, kind, command] = process.argv.slice(2);
const environment = createChildEnvironment({ base: process.env });
const shell = new ShellRunner({ environment, tempDirectory: directory + '/temp', useTerminal: kind === 'terminal' });
const background = new BackgroundProcesses({ environment, logDirectory: directory + '/logs' });
if (kind === 'background') await background.start(command, directory);
else await shell.run({ command, directory, signal: new AbortController().signal });
setInterval(() => {}, 1000);
`;

describe('Watchdog', () => {
  let fixture: ShellFixture;
  let program: ChildProcess | undefined;
  let built: string;
  let programFile: string;

  // Built once: every start would otherwise strip the types of all it imports.
  beforeAll(async () => {
    built = await mkdtemp(join(tmpdir(), 'castor-watchdog-'));
    programFile = join(built, 'program.mjs');
    await symlink(NODE_MODULES, join(built, 'node_modules'));
    await build({
      stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: 'ts' },
      outfile: programFile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['@lydell/node-pty'],
    });
  });
  afterAll(() => rm(built, { recursive: true }));

  beforeEach(async () => {
    fixture = await createShellFixture();
  });
  afterEach(async () => {
    program?.kill('SIGKILL');
    await fixture[Symbol.asyncDispose]();
  });

  function start(kind: string, command: string): ChildProcess {
    program = spawn(process.execPath, [programFile, fixture.directory, kind, command], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return program;
  }

  const HELD: [name: string, kind: string, command: (fifo: string) => string][] = [
    ['a command', 'foreground', (fifo) => `exec 9>${fifo}; echo up >&9; sleep 1000`],
    [
      'its children, also those that ignore requests',
      'foreground',
      (fifo) => `trap '' TERM HUP; exec 9>${fifo}; (sleep 1000) & (echo up >&9; sleep 1000)`,
    ],
    [
      'what left the group',
      'foreground',
      (fifo) => `setsid sh -c 'exec 9>${fifo}; echo up >&9; sleep 1000' & sleep 1000`,
    ],
    [
      'what left the group and its environment',
      'foreground',
      (fifo) => `env -i setsid sh -c 'exec 9>${fifo}; echo up >&9; /bin/sleep 1000' & sleep 1000`,
    ],
    [
      'a daemon with nothing in common but its mark',
      'foreground',
      (fifo) =>
        `(setsid sh -c 'cd /; exec 9>${fifo} </dev/null >/dev/null 2>&1; (echo up >&9; sleep 1000) &' &) ; exit 0`,
    ],
    [
      'a daemon that has nothing in common with us at all',
      'foreground',
      (fifo) =>
        `env -i setsid -f /bin/sh -c 'cd /; exec 9>${fifo} </dev/null >/dev/null 2>&1; (echo up >&9; /bin/sleep 1000) &'; /bin/sleep 1000`,
    ],
    [
      'such a daemon whose command is over',
      'terminal',
      (fifo) =>
        `env -i setsid -f /bin/sh -c 'cd /; exec 9>${fifo} </dev/null >/dev/null 2>&1; (echo up >&9; /bin/sleep 1000) &'; exit 0`,
    ],
    ['a job the command left behind', 'foreground', (fifo) => `(exec 9>${fifo}; echo up >&9; sleep 1000) & exit 0`],
    ['a command with a terminal', 'terminal', (fifo) => `trap '' HUP; exec 9>${fifo}; echo up >&9; sleep 1000`],
  ];

  variants.each(HELD)('ends %s when the program is killed', async (_name, kind, command) => {
    const fifo = fixture.makeFifo('alive');
    const reader = fifo.listen();
    const killed = start(kind, command(fifo.path));
    expect(await reader.nextLine()).toBe('up');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await reader.ended;
  });

  it('survives being signalled by name, and still does its work', async () => {
    const fifo = fixture.makeFifo('alive');
    const reader = fifo.listen();
    const killed = start(
      'foreground',
      `exec 9>${fifo.path}; for s in TERM HUP INT; do kill -s $s -- $(ps -eo pid=,ppid=,args= | awk -v p=$PPID '$2 == p && /castor-watchdog/ && !/awk/ {print $1}'); done; echo up >&9; sleep 1000`,
    );
    expect(await reader.nextLine()).toBe('up');
    killed.kill('SIGKILL');
    await reader.ended;
  });

  it('leaves alone what was put in the background on purpose', async () => {
    const fifo = fixture.makeFifo('alive');
    const ping = fixture.makeFifo('ping');
    const watched = fixture.makeFifo('watched');
    const reader = fifo.listen();
    const killed = start(
      'background',
      `exec 9>${fifo.path}; echo up >&9; read -r x <${ping.path}; echo still here >&9`,
    );
    expect(await reader.nextLine()).toBe('up');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    // A second program whose command the watchdog does end: when it is gone, the first had its chance.
    const other = watched.listen();
    const second = start('foreground', `exec 9>${watched.path}; echo up >&9; sleep 1000`);
    await other.nextLine();
    second.kill('SIGKILL');
    await other.ended;
    await writeFile(ping.path, 'ping\n');
    expect(await reader.nextLine()).toBe('still here');
    await reader.ended;
  });
});
