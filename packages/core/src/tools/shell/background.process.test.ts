import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackgroundProcesses } from './background.ts';
import { boundLog } from './bound-log.ts';
import { createChildEnvironment } from './child-environment.ts';
import { createShellFixture } from './shell.fixture.ts';
import type { ShellFixture } from './shell.fixture.ts';

describe('BackgroundProcesses', () => {
  let fixture: ShellFixture;
  let background: BackgroundProcesses;
  let logDirectory: string;

  beforeEach(async () => {
    fixture = await createShellFixture();
    logDirectory = join(fixture.directory, 'home', 'background-processes');
    background = new BackgroundProcesses({ logDirectory, environment: createChildEnvironment({ base: process.env }) });
  });
  afterEach(async () => {
    await background.dispose();
    await fixture[Symbol.asyncDispose]();
  });

  it('writes the output to a log only its owner can read', async () => {
    const { pid, finished } = await background.start('echo out; echo err >&2', fixture.directory);
    await finished;
    const path = join(logDirectory, `background-${pid}.log`);
    expect({
      files: await readdir(logDirectory),
      content: await readFile(path, 'utf8'),
      mode: (await stat(path)).mode & 0o777,
      directoryMode: (await stat(logDirectory)).mode & 0o777,
    }).toEqual({ files: [`background-${pid}.log`], content: 'out\nerr\n', mode: 0o600, directoryMode: 0o700 });
  });

  it('cuts a log that has grown too long to its last lines', async () => {
    const path = join(fixture.directory, 'long.log');
    await writeFile(path, Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join(''));
    await boundLog(path, 1000);
    const before = await readFile(path, 'utf8');
    await boundLog(path, 22);
    expect([before.length, await readFile(path, 'utf8')]).toEqual([790, 'line 98\nline 99\n']);
  });

  it('stops a command that prints without end, and says in its log and list how much it printed', async () => {
    const ended: unknown[] = [];
    background = new BackgroundProcesses({
      logDirectory,
      environment: createChildEnvironment({ base: process.env }),
      maxOutputBytes: 1_000_000,
      onEnded: ({ stopped }) => ended.push(stopped),
    });
    // A background command outlives us: without a limit of its own it would fill the disk after a killed test run.
    const { pid, finished } = await background.start('timeout 60 yes', fixture.directory);
    await finished;
    const why = /^it printed [\d.]+ (MB|bytes), more than the limit of 1000000 bytes/;
    await vi.waitUntil(async () => (await background.readLogTail(pid)).text.includes('[Stopped: '), 20_000);
    expect(background.get(pid)).toMatchObject({ status: 'exited', stopped: expect.stringMatching(why) as string });
    expect(ended).toEqual([expect.stringMatching(why)]);
    expect((await stat(background.logPath(pid))).size).toBeLessThan(1_000_000);
    expect((await background.readLogTail(pid)).text).toMatch(/y\ny\n\n\[Stopped: it printed .*\]\n$/);
  });

  it('lets a command print as much as it likes where there is no limit', async () => {
    background = new BackgroundProcesses({
      logDirectory,
      environment: createChildEnvironment({ base: process.env }),
      maxOutputBytes: 0,
    });
    const { pid, finished } = await background.start('yes | head -c 100000000; exit 7', fixture.directory);
    expect(await finished).toEqual({ code: 7, signal: null });
    expect(background.get(pid)).not.toHaveProperty('stopped');
  });

  it('knows what runs and how the others ended', async () => {
    const failed = await background.start('exit 3', fixture.directory);
    await failed.finished;
    const running = await background.start('sleep 1000', fixture.directory);
    expect(background.list()).toEqual([
      { pid: failed.pid, command: 'exit 3', status: 'exited', exitCode: 3, signal: null },
      { pid: running.pid, command: 'sleep 1000', status: 'running' },
    ]);
  });

  it('tells of one that a person ended, and of none that we ended', async () => {
    const ended: number[] = [];
    background = new BackgroundProcesses({
      logDirectory,
      environment: createChildEnvironment({ base: process.env }),
      onEnded: ({ pid }) => ended.push(pid),
    });
    const killed = await background.start('sleep 1000', fixture.directory);
    const dropped = await background.start('sleep 1000', fixture.directory);
    await background.kill(killed.pid);
    await background.end(dropped.pid);
    await Promise.all([killed.finished, dropped.finished]);
    expect(ended).toEqual([killed.pid]);
  });

  it('ends the whole group of each when disposed', async () => {
    const fifo = fixture.makeFifo('alive');
    const reader = fifo.listen();
    await background.start(
      `exec 9>${fifo.path}; (trap '' TERM; echo up >&9; while :; do sleep 1000; done) & wait`,
      fixture.directory,
    );
    await reader.nextLine();
    await background.dispose();
    await reader.ended;
  });

  it('does not write through a link planted where the log will be', async () => {
    await mkdir(logDirectory, { recursive: true });
    const victim = join(fixture.directory, 'victim');
    await writeFile(victim, 'untouched');
    const gate = fixture.makeFifo('gate');
    const { pid, finished } = await background.start(`read -r x <${gate.path}; echo secret`, fixture.directory);
    await rm(background.logPath(pid));
    await symlink(victim, background.logPath(pid));
    await writeFile(gate.path, 'go\n');
    await finished;
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    await expect(background.readLogTail(pid)).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('reads the end of a long log, from a whole line on, as clean text', async () => {
    const { pid, finished } = await background.start(
      String.raw`seq 1 100000; printf '\033[31mred\033[0m\n'`,
      fixture.directory,
    );
    await finished;
    const { text, isWhole } = await background.readLogTail(pid);
    const lines = text.split('\n');
    expect({ isWhole, first: /^\d{5}$/.test(lines[0]!), last: lines.slice(-3) }).toEqual({
      isWhole: false,
      first: true,
      last: ['100000', 'red', ''],
    });
    expect(text.length).toBeLessThanOrEqual(64 * 1024);
  });

  it('leaves nothing behind when a command cannot be started', async () => {
    await expect(background.start('true', join(fixture.directory, 'missing'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect({ listed: background.list(), files: await readdir(logDirectory) }).toEqual({ listed: [], files: [] });
  });

  it('takes over a command from the foreground with what it wrote and writes', async () => {
    const finished = Promise.withResolvers<{ code: number; signal: null }>();
    let sink = (_text: string) => {};
    await background.adopt(123_456, 'npm run dev', 'before\n', {
      finished: finished.promise,
      onText: (to) => (sink = to),
      onTooMuchOutput: () => {},
      end: () => Promise.resolve(),
    });
    sink('after\n');
    expect(background.get(123_456)).toEqual({ pid: 123_456, command: 'npm run dev', status: 'running' });
    finished.resolve({ code: 0, signal: null });
    await background.logWritten(123_456);
    expect(await readFile(background.logPath(123_456), 'utf8')).toBe('before\nafter\n');
  });
});
