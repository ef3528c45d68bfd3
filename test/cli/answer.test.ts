import { describe, expect, it } from 'vitest';
import {
  answer,
  createWorkspace,
  fakeModel,
  fault,
  finish,
  gate,
  runCli,
  say,
  startCli,
  text,
  thought,
} from '@castor/testkit';

describe('castor -p', () => {
  it('prints the answer of the model and exits 0', async () => {
    await using model = await fakeModel([answer(thought('**Plan** first'), text('Hello '), text('world'), finish())]);
    const result = await runCli(['-p', 'hi', '-m', 'gemini-2.5-flash'], { model });
    expect(result).toEqual({ stdout: 'Hello world\n', stderr: '', code: 0, signal: null });
    expect(model.requests.map(({ path, body, headers }) => [path, body.contents, headers['x-goog-api-key']])).toEqual([
      [
        '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        [{ role: 'user', parts: [{ text: expect.stringMatching(/^<session_context>/) }, { text: 'hi' }] }],
        'test-key',
      ],
    ]);
    expect(model.requests[0]?.headers['user-agent']).toMatch(
      /^Castor-cli-command\/\d+\.\d+\.\d+\/gemini-2\.5-flash \(/,
    );
    model.assertDone();
  });

  it('adds no newline to an answer that ends with one', async () => {
    await using model = await fakeModel([say('done\n')]);
    expect((await runCli(['a', 'question'], { model })).stdout).toBe('done\n');
  });

  it('puts piped input before the prompt', async () => {
    await using model = await fakeModel([say('ok')]);
    await runCli(['-p', 'What is this?'], { model, stdin: 'line\n' });
    expect(model.requests[0]?.body.contents[0].parts.at(-1)).toEqual({ text: 'line\n\n\nWhat is this?' });
  });

  it('takes the prompt from stdin alone', async () => {
    await using model = await fakeModel([say('ok')]);
    await runCli([], { model, stdin: 'the whole prompt' });
    expect(model.requests[0]?.body.contents[0].parts.at(-1)).toEqual({ text: 'the whole prompt' });
  });

  it('does not wait long for a stdin that stays open and silent', { tags: 'wide' }, async () => {
    await using model = await fakeModel([say('ok')]);
    expect((await runCli(['-p', 'hi'], { model, keepStdinOpen: true })).stdout).toBe('ok\n');
  });

  it('cuts piped input at 8 MiB and says so', async () => {
    await using model = await fakeModel([]);
    const result = await runCli(['-p', 'end'], { model, stdin: 'ü'.repeat(5 * 1024 * 1024) });
    // What is left is still more than any model holds, and that is said instead of sent.
    expect(result).toMatchObject({ stdout: '', code: 58 });
    expect(result.stderr).toMatch(
      /^castor: warning: the piped input is longer than 8 MiB; Castor ignored the rest\.\ncastor: The request \(about \d+ tokens\) exceeds/,
    );
    expect(model.requests.length).toBe(0);
  });

  it('sends the key as a bearer token and adds custom headers when told to', async () => {
    await using model = await fakeModel([say('ok')]);
    const env = { GEMINI_API_KEY_AUTH_MECHANISM: 'bearer', GEMINI_CLI_CUSTOM_HEADERS: 'X-A: b, c, X-D: e' };
    await runCli(['-p', 'hi'], { model, env });
    expect(model.requests[0]?.headers).toMatchObject({ authorization: 'Bearer test-key', 'x-a': 'b, c', 'x-d': 'e' });
    expect(model.requests[0]?.headers['x-goog-api-key']).toBeUndefined();
  });

  it('takes the model from GEMINI_MODEL unless a flag names one', { tags: 'wide' }, async () => {
    await using model = await fakeModel([say('ok'), say('ok')]);
    await runCli(['-p', 'hi'], { model, env: { GEMINI_MODEL: 'from-variable' } });
    await runCli(['-p', 'hi', '-m', 'from-flag'], { model, env: { GEMINI_MODEL: 'from-variable' } });
    expect(model.requests.map((request) => request.model)).toEqual(['from-variable', 'from-flag']);
  });

  it('records answers and plays them again', async () => {
    await using model = await fakeModel([say(['one ', 'two'])]);
    await using workspace = await createWorkspace();
    await runCli(['-p', 'hi', '--record-responses', 'tape.jsonl'], { model, workspace });
    const played = await runCli(['-p', 'hi', '--fake-responses', 'tape.jsonl'], { workspace });
    expect(played).toEqual({ stdout: 'one two\n', stderr: '', code: 0, signal: null });
    expect(model.requests.length).toBe(1);
  });

  it('names the line of a recording it cannot use', async () => {
    await using workspace = await createWorkspace({ files: { 'tape.jsonl': '{"method":"dance"}\n' } });
    const result = await runCli(['-p', 'hi', '--fake-responses', 'tape.jsonl'], { workspace });
    expect(result).toMatchObject({ stdout: '', code: 42 });
    expect(result.stderr).toContain('tape.jsonl:1: "method" must be one of');
  });
});

describe('stdout of castor', () => {
  it('gets no control sequence of the model, also when it is cut over frames', async () => {
    const pieces = ['a\u001b', ']52;c;', 'aGk=\u0007b\u001b[3', '1mc\u009b2Jd\r\ud83d', '\udc4d'];
    await using model = await fakeModel([say(pieces), say(pieces)]);
    expect((await runCli(['-p', 'hi'], { model })).stdout).toBe('abcd👍\n');
    const raw = await runCli(['-p', 'hi', '--raw-output'], { model });
    expect(raw).toMatchObject({
      stdout: `${pieces.join('')}\n`,
      stderr: 'castor: warning: --raw-output lets the model send control sequences to your terminal.\n',
    });
  });

  it('gets nothing of the words of a server that would move the cursor', { tags: 'wide' }, async () => {
    await using model = await fakeModel([fault(400, { message: 'no \u001b[2Jway' })]);
    expect((await runCli(['-p', 'hi'], { model })).stderr).toMatch(
      /^castor: no way \(HTTP 400\)\ncastor: details of the error: \S+\n$/,
    );
  });

  it('holds text back until the turn is accepted', async () => {
    const hold = gate();
    await using model = await fakeModel([answer(text('first '), hold, text('second'), finish())]);
    await using cli = await startCli(['-p', 'hi'], { model });
    await hold.reached;
    expect(cli.stdout).toBe('');
    hold.release();
    expect((await cli.done).stdout).toBe('first second\n');
  });
});
