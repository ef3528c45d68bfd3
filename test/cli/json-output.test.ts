import { answer, call, fakeModel, fault, finish, runCli, say, startCli, text, thought } from '@castor/testkit';
import type { Step } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

interface Line {
  type: string;
  timestamp: string;
  [key: string]: unknown;
}

async function ask(steps: Step[], ...args: string[]) {
  await using model = await fakeModel(steps);
  const result = await runCli(['-p', 'hi', '-m', 'gemini-2.5-flash', ...args], { model });
  return result;
}

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** The lines without what differs from run to run. */
const summarise = (stdout: string) =>
  linesOf(stdout).map(({ timestamp: _time, stats: _stats, session_id: _session, ...line }) => line);

/** One of each kind a terminal acts on or hides. */
const TRICKY =
  'a\u001b[2Jb\u009b31mc\u2028d\u0000e\r\nf\u202eg\u2066h\u200bi\u200dj\u2060k\ufeffl\u00adm\u061cn\u{e0041}\u{e0042}o\u034fp\ufff9q\ufe0fr\u{1d173}s\u{1bca0}t\ufff0u';
/** Those of them that stand in the output as they are. */
const dangerousIn = (output: string) =>
  [...TRICKY].filter((character) => !/[ -~\n]/.test(character) && output.includes(character));

describe('castor -o json', () => {
  it('gives one object with the last answer and the stats', async () => {
    const steps = [answer(text('Looking. '), call('list_directory', { dir_path: '.' }, { id: 'c1' })), say('Empty.')];
    const { stdout, code } = await ask(steps, '-o', 'json');
    const result = JSON.parse(stdout) as Record<string, never>;
    expect([Object.keys(result), result['response'], code]).toEqual([['session_id', 'response', 'stats'], 'Empty.', 0]);
    expect(result['stats']).toMatchObject({
      models: { 'gemini-2.5-flash': { api: { totalRequests: 2, totalErrors: 0 }, tokens: { total: 30 } } },
      tools: { totalCalls: 1, totalSuccess: 1, byName: { list_directory: { count: 1 } } },
    });
  });

  it('gives errors as JSON on stdout, and on stderr too', { tags: 'wide' }, async () => {
    const { stdout, stderr, code } = await ask([fault(403)], '-o', 'json');
    const error = { type: 'ApiError', message: 'The caller does not have permission. (HTTP 403)', code: 1 };
    expect([JSON.parse(stdout), code]).toMatchObject([{ error }, 1]);
    expect(JSON.parse(stderr.slice(0, stderr.indexOf('\n}') + 2))).toMatchObject({ error });
  });

  it('gives JSON also when the run could not begin', async () => {
    const { stdout, code } = await runCli(['-p', 'hi', '-o', 'json']);
    expect([JSON.parse(stdout), code]).toMatchObject([{ error: { code: 41 } }, 41]);
  });

  it('keeps every character of the answer and of an error, and lets none of them act', { tags: 'wide' }, async () => {
    const answered = await ask([say(TRICKY)], '-o', 'json');
    expect(JSON.parse(answered.stdout)).toMatchObject({ response: TRICKY });
    const failed = await ask([fault(400, { message: TRICKY })], '-o', 'json');
    expect(JSON.parse(failed.stdout)).toMatchObject({ error: { message: `${TRICKY} (HTTP 400)` } });
    const outputs = [answered, failed].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect(dangerousIn(outputs.join(''))).toEqual([]);
  });

  it('names a cut answer among the warnings', async () => {
    const { stdout, code } = await ask([answer(text('half'), finish('MAX_TOKENS'))], '-o', 'json');
    expect([JSON.parse(stdout), code]).toMatchObject([
      { response: 'half', warnings: ['The model stopped with MAX_TOKENS.'] },
      0,
    ]);
  });
});

describe('castor -o stream-json', () => {
  it('gives init, the prompt, deltas, calls and results in their order, and the result last', async () => {
    const steps = [
      // Text that arrives in one read is one delta; the thought keeps the two apart.
      answer(
        text('Let me '),
        thought('**Plan** look'),
        text('see.'),
        call('list_directory', { dir_path: '.' }, { id: 'c1' }),
      ),
      answer(call('nope', {}, { id: 'c2' })),
      say('Done.'),
    ];
    const { stdout, code } = await ask(steps, '-o', 'stream-json');
    expect(code).toBe(0);
    expect(summarise(stdout)).toEqual([
      { type: 'init', model: 'gemini-2.5-flash' },
      { type: 'message', role: 'user', content: 'hi' },
      { type: 'message', role: 'assistant', content: 'Let me ', delta: true },
      { type: 'message', role: 'assistant', content: 'see.', delta: true },
      { type: 'tool_use', tool_name: 'list_directory', tool_id: 'c1', parameters: { dir_path: '.' } },
      { type: 'tool_result', tool_id: 'c1', status: 'success', output: 'Directory is empty.' },
      { type: 'tool_use', tool_name: 'nope', tool_id: 'c2', parameters: {} },
      {
        type: 'tool_result',
        tool_id: 'c2',
        status: 'error',
        output: expect.stringContaining('Tool "nope" not found.') as string,
        error: { type: 'tool_not_registered', message: expect.stringContaining('not found') as string },
      },
      { type: 'message', role: 'assistant', content: 'Done.', delta: true },
      { type: 'result', status: 'success' },
    ]);
    expect(linesOf(stdout).at(-1)?.['stats']).toMatchObject({ total_tokens: 45, tool_calls: 2, input_tokens: 30 });
  });

  it('voids the deltas of a failed attempt', { tags: 'wide' }, async () => {
    const { stdout } = await ask(
      [fault('reset_mid_stream', { after: [text('void ')] }), say('good')],
      '-o',
      'stream-json',
    );
    expect(summarise(stdout).map(({ type }) => type)).toEqual([
      'init',
      'message',
      'message',
      'retry',
      'message',
      'result',
    ]);
  });

  it('ends with a result of status error when the run failed', async () => {
    const { stdout, code } = await ask([fault('prompt_blocked')], '-o', 'stream-json');
    expect([summarise(stdout).at(-1), code]).toMatchObject([
      { type: 'result', status: 'error', error: { type: 'InvalidStreamError' } },
      1,
    ]);
  });

  it('ends with a result also on a signal', async () => {
    await using model = await fakeModel([fault('stall_mid_stream')]);
    await using cli = await startCli(['-p', 'hi', '-o', 'stream-json'], { model });
    await cli.waitForStdout('assistant');
    cli.kill('SIGINT');
    const { stdout, code } = await cli.done;
    expect([summarise(stdout).at(-1), code]).toMatchObject([
      { type: 'result', status: 'error', error: { type: 'FatalCancellationError' } },
      130,
    ]);
  });

  it('keeps every character of the model, and lets none of them act', async () => {
    const { stdout } = await ask([say(TRICKY)], '-o', 'stream-json');
    expect(linesOf(stdout)[2]?.['content']).toBe(TRICKY);
    expect(dangerousIn(stdout)).toEqual([]);
  });
});
