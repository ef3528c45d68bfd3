/** How the program ends when it does not get to end by itself: signals, crashes, full disks, slow and absent readers. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answer,
  call,
  createWorkspace,
  fakeModel,
  fault,
  gate,
  raw,
  runCli,
  say,
  startCli,
  text,
} from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const lastOf = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;

describe('a signal', () => {
  variants.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s ends every format with a result and %i, and the prompt is kept', async (signal, code) => {
    for (const format of ['json', 'stream-json']) {
      await using workspace = await createWorkspace();
      await using model = await fakeModel([fault('stall_mid_stream')]);
      await using cli = await startCli(['-p', 'the question', '-o', format], { model, workspace });
      await model.waitForRequest(1);
      cli.kill(signal);
      const result = await cli.done;
      const end = format === 'json' ? (JSON.parse(result.stdout) as object) : lastOf(result.stdout);
      expect([result.code, end]).toMatchObject([code, { error: { type: 'FatalCancellationError' } }]);
      expect(await recordedIn(workspace.home)).toContain('the question');
    }
  });

  it('keeps the words and tokens that had arrived, and is one sentence on stderr', { tags: 'wide' }, async () => {
    const usage = (chunk: object) => ({ ...chunk, usageMetadata: { promptTokenCount: 7, totalTokenCount: 9 } });
    const half = usage({ candidates: [{ content: { role: 'model', parts: [{ text: 'The answer is ' }] } }] });
    for (const format of ['text', 'json', 'stream-json']) {
      await using workspace = await createWorkspace();
      await using model = await fakeModel([answer(raw(half), gate())]);
      await using cli = await startCli(['-p', 'the question', '-o', format], { model, workspace });
      // The session's file has the words as soon as the program has read them.
      await untilRecorded(workspace.home, 'The answer is');
      cli.kill('SIGINT');
      const { code, stdout, stderr } = await cli.done;
      expect([code, stderr.match(/The run was cancelled\./g)?.length]).toEqual([130, 1]);
      if (format === 'text') expect([stdout, stderr]).toEqual(['', 'castor: The run was cancelled.\n']);
      if (format === 'json') {
        const { response, stats } = JSON.parse(stdout) as { response: string; stats: { models: object } };
        expect([response, Object.values(stats.models)]).toMatchObject([
          'The answer is ',
          [{ tokens: { prompt: 7, total: 9 }, cost_usd: expect.any(Number) as number }],
        ]);
      }
      if (format === 'stream-json') expect(lastOf(stdout)).toMatchObject({ stats: { total_tokens: 9 } });
    }
  });

  it('is heard while the project still lists its tools', async () => {
    const settings = {
      tools: { discoveryCommand: 'sh list.sh', callCommand: 'sh list.sh' },
      security: { folderTrust: { enabled: false } },
    };
    await using workspace = await createWorkspace({
      files: { 'list.sh': 'echo up >up; exec sleep 1000' },
      homeFiles: { '.gemini/settings.json': JSON.stringify(settings) },
    });
    const up = join(workspace.project, 'up');
    execFileSync('mkfifo', [up]);
    await using model = await fakeModel([]);
    await using cli = await startCli(['-p', 'go', '-o', 'stream-json'], { model, workspace });
    await once(createReadStream(up), 'data');
    cli.kill('SIGINT');
    const { code, stdout } = await cli.done;
    expect([code, lastOf(stdout)]).toMatchObject([
      130,
      { type: 'result', error: { type: 'FatalCancellationError', message: 'The run was cancelled.' } },
    ]);
  });

  it('does not leave a command running that will not listen', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    const file = join(workspace.root, 'pid');
    const command = `echo $$ > ${file}; mkfifo ready; trap '' TERM INT HUP; echo go > ready & sleep 1000`;
    await using model = await fakeModel([answer(call('run_shell_command', { command }, { id: '1' }))]);
    await using cli = await startCli(['-y', '-p', 'go', '-o', 'stream-json'], { model, workspace });
    await cli.waitForStdout('tool_use');
    await waitForFifo(join(workspace.project, 'ready'));
    cli.kill('SIGTERM');
    const { code, stdout } = await cli.done;
    expect([code, lastOf(stdout)]).toMatchObject([143, { type: 'result', status: 'error' }]);
    const pid = Number(await readFile(file, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('a run that was cut off', () => {
  variants.each<NodeJS.Signals>(['SIGTERM', 'SIGKILL'])(
    'by %s goes on with --continue, with nothing said twice',
    async (signal) => {
      await using workspace = await createWorkspace();
      await using model = await fakeModel([
        answer(call('list_directory', { dir_path: '.' }, { id: 'c1' })),
        fault('stall_mid_stream'),
        say('Done.'),
      ]);
      await using cli = await startCli(['-p', 'the question'], { model, workspace });
      await model.waitForRequest(2);
      cli.kill(signal);
      await cli.done;
      const { stdout, code } = await runCli(['--continue'], { model, workspace });
      expect([stdout, code]).toEqual(['Done.\n', 0]);
      const sent = JSON.stringify(model.requests[2]?.body.contents);
      expect([sent.match(/the question/g), sent.match(/"functionResponse"/g)].map((found) => found?.length)).toEqual([
        1, 1,
      ]);
    },
  );
});

describe('a command that was cut off', () => {
  variants.each<[NodeJS.Signals, string]>([
    ['SIGTERM', 'The program stopped while this call was running. Its effect is unknown: check before you repeat it.'],
    ['SIGHUP', 'The program stopped while this call was running. Its effect is unknown: check before you repeat it.'],
    ['SIGKILL', 'The program stopped while this call was running. Its effect is unknown: check before you repeat it.'],
    ['SIGINT', '[Operation Cancelled] User cancelled operation'],
  ])('by %s is told to the model as what it was', async (signal, error) => {
    await using workspace = await createWorkspace();
    const command = 'mkfifo ready; echo go > ready; sleep 1000';
    await using model = await fakeModel([answer(call('run_shell_command', { command }, { id: '1' })), say('Done.')]);
    await using cli = await startCli(['-y', '-p', 'go', '-o', 'stream-json'], { model, workspace });
    await waitForFifo(join(workspace.project, 'ready'));
    cli.kill(signal);
    const { stdout } = await cli.done;
    if (signal === 'SIGTERM') expect(stdout).toContain('"status":"error","output":"Command was stopped');
    const resumed = await runCli(['--continue'], { model, workspace });
    expect([resumed.stdout, resumed.code], resumed.stderr).toEqual(['Done.\n', 0]);
    const sent = JSON.stringify(model.requests[1]?.body.contents);
    expect(sent).toContain(error);
    if (signal !== 'SIGINT') expect(sent).not.toMatch(/by user|User cancelled/);
  });
});

/** Opens it for reading, which waits until the other side has opened it too. */
async function waitForFifo(path: string): Promise<void> {
  const child = spawn('bash', ['-c', `until [ -p '${path}' ]; do :; done; cat '${path}'`], { stdio: 'ignore' });
  await once(child, 'exit');
}

async function untilRecorded(home: string, words: string): Promise<void> {
  for (;;) {
    // The folder is made with the first record.
    const recorded = await recordedIn(home).catch(() => '');
    if (recorded.includes(words)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function recordedIn(home: string): Promise<string> {
  const names = await readdir(join(home, '.gemini', 'tmp'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(files.map((name) => readFile(join(home, '.gemini', 'tmp', name), 'utf8')));
  return texts.join('');
}

describe('a bug of ours', () => {
  /** Runs the program with something broken in it before it starts. */
  async function runBroken(preload: string, script: Script) {
    await using workspace = await createWorkspace();
    const file = join(workspace.root, 'preload.cjs');
    await writeFile(file, preload);
    await using model = await fakeModel(script);
    const env = { NODE_OPTIONS: `--require ${file}` };
    return await runCli(['-p', 'go', '-o', 'stream-json'], { model, workspace, env });
  }

  const rejectAfterText = `
    const { write } = process.stdout;
    process.stdout.write = function (chunk, ...rest) {
      if (String(chunk).includes('"assistant"')) Promise.reject(new Error('nobody caught this'));
      return write.call(this, chunk, ...rest);
    };`;
  const throwInWriter = `
    const { stringify } = JSON;
    JSON.stringify = (value, ...rest) => {
      if (value && value.type === 'tool_use') throw new RangeError('the writer broke');
      return stringify(value, ...rest);
    };`;
  const throwInTimer = `
    const { write } = process.stdout;
    process.stdout.write = function (chunk, ...rest) {
      if (String(chunk).includes('"assistant"')) setImmediate(() => { throw new Error('thrown from a timer'); });
      return write.call(this, chunk, ...rest);
    };`;

  variants.each([
    ['a rejection nobody caught', rejectAfterText, 'nobody caught this'],
    ['an exception outside of everything', throwInTimer, 'thrown from a timer'],
    ['an exception in the writer', throwInWriter, 'the writer broke'],
  ])('still ends with a result and 1: %s', async (_, preload, words) => {
    const script = [
      answer(text('Hello'), call('list_directory', { dir_path: '.' }, { id: '1' })),
      fault('stall_mid_stream'),
    ];
    const { stdout, stderr, code } = await runBroken(preload, script);
    expect([code, lastOf(stdout)]).toMatchObject([
      1,
      { type: 'result', status: 'error', error: { message: `this is a bug in Castor, please report it: ${words}` } },
    ]);
    expect(stdout.match(/"type":"result"/g)).toHaveLength(1);
    expect(stderr).toContain(words);
  });
});

describe('a full disk', () => {
  it('is told to the model, and ends the run with 54 when there is still nowhere to write', async ({ skip }) => {
    await using workspace = await createWorkspace();
    const disk = join(workspace.project, 'disk');
    await mkdir(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'castor-test', disk], { stdio: 'ignore' });
    } catch {
      skip('Mounting needs the administrator.');
    }
    try {
      await writeFile(join(disk, 'old.txt'), 'old');
      const write = (name: string) =>
        answer(call('write_file', { file_path: `disk/${name}`, content: 'x'.repeat(100_000) }, { id: name }));
      await using model = await fakeModel([write('old.txt'), write('new.txt')]);
      const { stdout, stderr, code } = await runCli(['-y', '-p', 'go', '-o', 'stream-json'], { model, workspace });
      expect([code, lastOf(stdout)]).toMatchObject([
        54,
        { type: 'result', status: 'error', error: { type: 'FatalToolExecutionError' } },
      ]);
      expect(stderr).toContain('No space left');
      expect(JSON.stringify(model.requests[1]?.body)).toContain('No space left');
      expect([await readdir(disk), await readFile(join(disk, 'old.txt'), 'utf8')]).toEqual([['old.txt'], 'old']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

describe('a slow reader', () => {
  it('of stream-json that goes away is no failure', { tags: 'wide' }, async () => {
    await using model = await fakeModel([say(Array.from({ length: 500 }, () => 'x'.repeat(10_000)))]);
    await using workspace = await createWorkspace();
    const program = new URL('../../packages/cli/bin/castor.cjs', import.meta.url).pathname;
    const child = spawn(process.execPath, [program, '-p', 'go', '-o', 'stream-json'], {
      cwd: workspace.project,
      env: { HOME: workspace.home, GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: model.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
