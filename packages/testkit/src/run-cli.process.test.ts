import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startCli, TEST_API_KEY } from './run-cli.ts';
import { createWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

/** A stand-in for the built program: does what its first argument says. */
const PROGRAM = `
const [, , what, ...rest] = process.argv;
if (what === 'facts') console.log(JSON.stringify({ args: rest, cwd: process.cwd(), env: process.env }));
if (what === 'echo') process.stdin.pipe(process.stdout);
if (what === 'fail') { process.stderr.write('no é\\n'); process.exitCode = 3; }
if (what === 'wait') { process.stdout.write('ready'); process.stdin.resume(); setInterval(() => {}, 1000); }
if (what === 'graceful') {
  process.on('SIGINT', () => { process.stdout.write('bye'); process.exit(130); });
  process.stdout.write('ready'); process.stderr.write('also ready'); setInterval(() => {}, 1000);
}
if (what === 'much') { process.stderr.write('begins'); process.stdout.write('x'.repeat(1_000_000)); }
`;

let workspace: Workspace;
let program: string;

beforeAll(async () => {
  workspace = await createWorkspace();
  program = await workspace.write('program.cjs', PROGRAM);
});
afterAll(() => workspace.dispose());

interface Facts {
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

const facts = async (options: Parameters<typeof runCli>[1]): Promise<Facts> =>
  JSON.parse((await runCli(['facts', '-p', 'two words'], { program, ...options })).stdout) as Facts;

describe('runCli', () => {
  it('gives all that came out, and how it ended', async () => {
    expect(await runCli(['fail'], { program })).toEqual({ stdout: '', stderr: 'no é\n', code: 3, signal: null });
  });

  it('runs in a home and a project of its own, which are gone afterwards', async () => {
    const { args, cwd, env } = await facts({});
    expect(args).toEqual(['-p', 'two words']);
    expect(env['HOME']).not.toBe(process.env['HOME']);
    expect([cwd.endsWith('/project'), existsSync(cwd), existsSync(env['HOME']!)]).toEqual([true, false, false]);
  });

  it('inherits no key and no setting, and takes what the test gives', async () => {
    const leaks = { GEMINI_API_KEY: 'leak', GOOGLE_GEMINI_BASE_URL: 'leak', CASTOR_OFFLINE: '1', NODE_OPTIONS: '' };
    const before = { ...process.env };
    Object.assign(process.env, leaks);
    try {
      const { env } = await facts({ env: { CASTOR_OFFLINE: '0', LANG: undefined } });
      const names = Object.keys(env).filter((name) => name in leaks || name === 'LANG');
      expect([names, env['CASTOR_OFFLINE']]).toEqual([['CASTOR_OFFLINE'], '0']);
    } finally {
      for (const name of Object.keys(leaks)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  it('points the program at a model', async () => {
    const { env } = await facts({ model: { url: 'http://127.0.0.1:1' } });
    expect([env['GEMINI_API_KEY'], env['GOOGLE_GEMINI_BASE_URL']]).toEqual([TEST_API_KEY, 'http://127.0.0.1:1']);
  });

  it('runs in a given workspace and leaves it', async () => {
    const { cwd, env } = await facts({ workspace });
    expect([cwd, env['HOME'], existsSync(cwd)]).toEqual([workspace.project, workspace.home, true]);
    expect((await facts({ workspace, cwd: workspace.home })).cwd).toBe(workspace.home);
  });

  it.each([
    ['what it is given', 'in é', 'in é'],
    ['nothing', undefined, ''],
  ])('feeds stdin with %s and closes it', async (_title, stdin, stdout) => {
    const result = await runCli(['echo'], { program, ...(stdin !== undefined && { stdin }) });
    expect(result).toEqual({ stdout, stderr: '', code: 0, signal: null });
  });

  it('says when there is no program', async () => {
    await expect(runCli([], { program: '/nowhere/castor.cjs' })).rejects.toThrow(
      'There is no program at /nowhere/castor.cjs; build it first.',
    );
  });
});

describe('startCli', () => {
  it('waits for output and delivers signals', async () => {
    await using cli = await startCli(['graceful'], { program });
    await cli.waitForStdout('ready');
    await cli.waitForStderr(/also/);
    expect([cli.stdout, cli.pid > 0]).toEqual(['ready', true]);
    cli.kill('SIGINT');
    expect(await cli.done).toEqual({ stdout: 'readybye', stderr: 'also ready', code: 130, signal: null });
  });

  it('reports a death by signal', async () => {
    await using cli = await startCli(['wait'], { program });
    await cli.waitForStdout('ready');
    cli.kill('SIGKILL');
    expect(await cli.done).toEqual({ stdout: 'ready', stderr: '', code: null, signal: 'SIGKILL' });
  });

  it('gives up a wait when the program ends', async () => {
    await using cli = await startCli(['fail'], { program });
    await expect(cli.waitForStdout('never')).rejects.toThrow(
      'The program ended before: {"stdout":"","stderr":"no é\\n"',
    );
    await expect(cli.waitForStdout('never')).rejects.toThrow('The program ended before');
  });

  it('keeps stdin open for as long as the test wants', async () => {
    await using cli = await startCli(['echo'], { program, keepStdinOpen: true, stdin: 'one ' });
    await cli.waitForStdout('one ');
    cli.writeStdin('two');
    await cli.waitForStdout('two');
    cli.closeStdin();
    expect(await cli.done).toEqual({ stdout: 'one two', stderr: '', code: 0, signal: null });
  });

  it('reads nothing while paused, and all of it afterwards', async () => {
    await using cli = await startCli(['much'], { program, paused: true });
    await cli.waitForStderr('begins');
    // Another program has its whole life meanwhile; this one cannot end with a full pipe.
    await runCli(['echo'], { program });
    expect(cli.stdout).toBe('');
    cli.resume();
    expect((await cli.done).stdout.length).toBe(1_000_000);
  });

  it('ends a program that is still running at the end of its block', async () => {
    let done;
    {
      await using cli = await startCli(['wait'], { program });
      await cli.waitForStdout('ready');
      done = cli.done;
    }
    expect((await done).signal).toBe('SIGKILL');
  });
});
