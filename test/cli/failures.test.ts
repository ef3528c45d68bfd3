import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { answer, call, fakeModel, fault, finish, runCli, say, startCli, text } from '@castor/testkit';
import type { CliResult, Step } from '@castor/testkit';
import { variants } from '../house/variants.ts';

async function ask(steps: Step[], env: Record<string, string> = {}): Promise<CliResult & { requests: number }> {
  await using model = await fakeModel(steps);
  const result = await runCli(['-p', 'hi'], { model, env });
  model.assertDone();
  // Where the report went differs from run to run; that there is one is tested elsewhere.
  const stderr = result.stderr.replace(/castor: details of the error: \S+\n/, '');
  return { ...result, stderr, requests: model.requests.length };
}

describe('castor when the model fails', () => {
  // Which answers refuse the key: packages/core/src/provider/gemini/errors.test.ts.
  variants.each<[string, Step, Partial<CliResult>]>([
    ['a 400', fault(400), { code: 1, stderr: 'castor: Request contains an invalid argument. (HTTP 400)\n' }],
    [
      'a 404',
      fault(404),
      {
        code: 1,
        stderr: expect.stringMatching(
          /^castor: The model is not found for this API version\. \(The request went to http:[^ ]+\.\) \(HTTP 404\)\n$/,
        ),
      },
    ],
    [
      'a 401',
      fault(401),
      {
        code: 41,
        stderr:
          'castor: the service rejected the credentials: Request had invalid authentication credentials. (HTTP 401)\n',
      },
    ],
    [
      'a 403 for the key',
      fault(403, { message: 'Your key was reported as leaked.' }),
      {
        code: 41,
        stderr: 'castor: the service rejected the credentials: Your key was reported as leaked. (HTTP 403)\n',
      },
    ],
  ])('gives the words of the server for %s, after one request', async (_, step, expected) => {
    expect(await ask([step])).toMatchObject({ ...expected, stdout: '', requests: 1 });
  });

  it('names why a prompt was blocked and exits 1', async () => {
    const { stdout, stderr, code } = await ask([fault('prompt_blocked')]);
    expect([stdout, code]).toEqual(['', 1]);
    expect(stderr).toContain('the model returned an invalid answer (SAFETY_BLOCKED)');
  });

  it('keeps what was said before a limit, warns, and exits 0', async () => {
    expect(await ask([fault('bad_finish', { reason: 'MAX_TOKENS', after: [text('half')] })])).toMatchObject({
      stdout: 'half\n',
      stderr: 'castor: warning: the answer is incomplete; the model stopped with MAX_TOKENS.\n',
      code: 0,
    });
  });

  const look = answer(call('list_directory', { dir_path: '.' }, { id: '1' }));

  it('asks a model that ends without a word after its calls to go on', async () => {
    expect(await ask([look, fault('empty_answer'), say('Empty.')])).toMatchObject({
      stdout: 'Empty.\n',
      stderr: '',
      code: 0,
      requests: 3,
    });
  });

  it('says so, and exits 1, when it ends without a word again', { tags: 'wide' }, async () => {
    const steps = [look, fault('empty_answer'), fault('empty_answer')];
    const { stdout, stderr, code } = await ask(steps);
    expect([stdout, code]).toEqual(['', 1]);
    expect(stderr).toContain('The model ended after its tool calls without an answer');
    await using model = await fakeModel(steps);
    const json = await runCli(['-p', 'hi', '-o', 'stream-json'], { model });
    expect(JSON.parse(json.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'result',
      status: 'error',
      error: { type: 'InvalidStreamError', message: expect.stringContaining('without an answer') as string },
    });
  });

  it('prints the answer once when an attempt broke in the middle', async () => {
    const result = await ask([fault('reset_mid_stream', { after: [text('void ')] }), say('good')]);
    expect(result).toMatchObject({ stdout: 'good\n', code: 0, requests: 2 });
    expect(result.stderr).toMatch(/^castor: attempt 1 of \d+ failed \(.+\); trying again in \d\.\d s\.\n$/);
  });

  it('comes back when the server asked it to wait a moment', async () => {
    const result = await ask([fault(429, { retryDelay: '0.01s' }), say('good')]);
    expect(result).toMatchObject({ stdout: 'good\n', code: 0, requests: 2 });
  });

  it('gives up on a stream that falls silent, and tries again', async () => {
    const env = { CASTOR_STREAM_IDLE_TIMEOUT_MS: '200' };
    const result = await ask([fault('stall_mid_stream'), say('good')], env);
    expect(result).toMatchObject({ stdout: 'good\n', code: 0, requests: 2 });
  });

  it('tells the model that a tool is not allowed, and goes on', async () => {
    const result = await ask([answer(call('run_shell_command', { command: 'true' }, { id: '1' })), say('I may not.')]);
    expect(result).toMatchObject({ stdout: 'I may not.\n', code: 0, requests: 2 });
    expect(result.stderr).toContain('Error executing tool run_shell_command: Tool "run_shell_command" is not allowed');
  });
});

describe('castor without what it needs', () => {
  it('names the ways to go on when there is no key', async () => {
    const result = await runCli(['-p', 'hi']);
    expect(result).toMatchObject({ stdout: '', code: 41 });
    for (const way of [
      'GEMINI_API_KEY',
      'https://aistudio.google.com/apikey',
      'castor login',
      'castor --model ollama/',
      '--model offline',
    ]) {
      expect(result.stderr).toContain(way);
    }
  });

  variants.each<[string, string[], Record<string, string>, number, string]>([
    ['a prompt', [], {}, 42, 'No input provided via stdin.'],
    ['a known flag', ['--modle', 'x'], {}, 1, 'Did you mean --model?'],
    ['one prompt only', ['-p', 'a', 'b'], {}, 1, 'not both'],
    [
      'a base URL that is one',
      ['-p', 'x'],
      { GOOGLE_GEMINI_BASE_URL: 'ftp://x' },
      52,
      'GOOGLE_GEMINI_BASE_URL is invalid',
    ],
    ['a key that fits a header', ['-p', 'x'], { GEMINI_API_KEY: 'schlüssel' }, 52, 'GEMINI_API_KEY is invalid'],
    [
      'a timeout that is a number',
      ['-p', 'x'],
      { CASTOR_STREAM_IDLE_TIMEOUT_MS: 'soon' },
      52,
      'CASTOR_STREAM_IDLE_TIMEOUT_MS must be',
    ],
  ])('asks for %s', async (_, args, env, code, words) => {
    await using model = await fakeModel([]);
    const result = await runCli(args, { model, env });
    expect(result).toMatchObject({ stdout: '', code });
    expect(result.stderr).toContain(words);
    expect(model.requests).toEqual([]);
  });
});

describe('castor with an unwritable home', () => {
  variants.each(['/proc', '/proc/nobody', '/dev/null'])(
    'answers, and says once that the session is not recorded: %s',
    async (home) => {
      await using model = await fakeModel([
        answer(call('run_shell_command', { command: 'echo hi' }, { id: '1' })),
        say('done'),
      ]);
      const { stdout, stderr, code } = await runCli(['-y', '-p', 'hi'], { model, env: { HOME: home } });
      expect([stdout, code]).toEqual(['done\n', 0]);
      expect(stderr.match(/does not record/g)).toHaveLength(1);
    },
  );
});

describe('castor when it is told to end', () => {
  variants.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('closes the connection on %s and exits %i', async (signal, code) => {
    await using model = await fakeModel([fault('stall_mid_stream')]);
    await using cli = await startCli(['-p', 'hi'], { model });
    await model.waitForRequest(1);
    cli.kill(signal);
    // npm and terminals may well send it again.
    cli.kill(signal);
    expect(await cli.done).toMatchObject({ stdout: '', code, signal: null });
    await model.waitForDisconnects(1);
  });

  it('does not wait for the next attempt when it is interrupted between two', async () => {
    await using model = await fakeModel([fault(503, { retryDelay: '60s' })]);
    await using cli = await startCli(['-p', 'hi'], { model });
    await cli.waitForStderr('trying again');
    cli.kill('SIGINT');
    expect((await cli.done).code).toBe(130);
  });
});

describe('stdout that cannot take the answer', () => {
  const program = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));

  it('does not keep it from ending within seconds after a signal', { tags: 'wide' }, async () => {
    await using model = await fakeModel([answer(text('x'.repeat(4_000_000)), finish())]);
    // Nobody ever reads the pipe: only the deadline can end the program.
    const child = spawn(process.execPath, [program, '-p', 'hi'], {
      env: { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: model.url },
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await model.waitForRequest(1);
    await model.waitForIdle();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([143, null]);
    child.stdout.destroy();
  });

  async function run(stdout: 'pipe' | number, onStart: (child: ReturnType<typeof spawn>) => void = () => {}) {
    await using model = await fakeModel([say(Array.from({ length: 200 }, () => 'x'.repeat(10_000)))]);
    const child = spawn(process.execPath, [program, '-p', 'hi'], {
      env: { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: model.url },
      cwd: tmpdir(),
      stdio: ['ignore', stdout, 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk) => (stderr += chunk));
    onStart(child);
    const [code] = (await once(child, 'close')) as [number];
    return { code, stderr };
  }

  it('is no failure when the reader has gone away', { tags: 'wide' }, async () => {
    const result = await run('pipe', (child) => child.stdout?.destroy());
    expect(result).toEqual({ code: 0, stderr: '' });
  });

  it('is a failure when the disk is full', { tags: 'wide' }, async () => {
    const result = await run(openSync('/dev/full', 'w'));
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('castor: the answer could not be written: ENOSPC');
  });
});
