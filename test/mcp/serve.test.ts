/** `castor mcp serve` with the protocol's own client as its user: over stdio and over HTTP, with a scripted model. */

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  answer,
  call,
  cleanEnvironment,
  createWorkspace,
  fakeModel,
  gate,
  runCli,
  say,
  startCli,
  text,
} from '@castor/testkit';
import type { CliProcess, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));
const WRITE = (name: string) =>
  answer(text('I write.'), call('write_file', { file_path: name, content: 'x\n' }, { id: name }));

interface Result {
  content: { text: string }[];
  isError?: boolean;
  structuredContent?: { session_id: string; status: string; response: string; error?: { type: string } };
}
type Choice = 'Allow once' | 'No' | 'Allow for the rest of this prompt' | undefined;

/** A client; with `choice` it can ask its user, who then always chooses that. */
function createClient(...[choice]: [Choice?]) {
  const capabilities = choice === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  const questions: string[] = [];
  if (choice !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { decision: choice } };
    });
  const progress: string[] = [];
  const run = async (name: string, args: Record<string, unknown>, signal?: AbortSignal) =>
    (await client.callTool(
      { name, arguments: args },
      { onprogress: ({ message }) => void progress.push(message ?? ''), ...(signal && { signal }) },
    )) as unknown as Result;
  return { client, run, questions, progress };
}

async function openStdio(workspace: Workspace, model: { url: string }, flags: string[] = [], choice?: Choice) {
  const opened = createClient(choice);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', 'serve', ...flags],
    cwd: workspace.project,
    env: cleanEnvironment(workspace.home, { model }) as Record<string, string>,
    stderr: 'pipe',
  });
  await opened.client.connect(transport);
  return { ...opened, transport, [Symbol.asyncDispose]: () => opened.client.close() };
}

const textsIn = ({ body }: { body: unknown }) =>
  (body as { contents: { parts: { text?: string }[] }[] }).contents.flatMap(({ parts }) =>
    parts.flatMap((part) => part.text ?? []),
  );

describe('over stdio', () => {
  it('runs a prompt with progress, and continues its session, which --resume knows', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([WRITE('a.txt'), say('Written.'), say('As I said.'), say('Again.')]);
    await using server = await openStdio(workspace, model, ['--approval-mode', 'auto_edit']);
    expect((await server.client.listTools()).tools.map(({ name }) => name)).toEqual(['run_prompt', 'continue_session']);
    const first = await server.run('run_prompt', { prompt: '!touch b.txt and /help @a.txt' });
    expect(first).toMatchObject({
      content: [{ text: 'Written.' }, { text: expect.stringMatching(/^session_id: [\w-]{36}$/) }],
      isError: false,
      structuredContent: { status: 'success', response: 'Written.', stats: { models: expect.anything() } },
    });
    expect(server.progress).toEqual(['I write.', expect.stringMatching(/^WriteFile .*a\.txt/)]);
    expect(await workspace.read('a.txt')).toBe('x\n');
    // The words of a program are no commands of the user.
    expect(textsIn(model.requests[0]!).at(-1)).toContain('!touch b.txt and /help @a.txt');
    expect(existsSync(join(workspace.project, 'b.txt'))).toBe(false);

    const { session_id } = first.structuredContent!;
    const second = await server.run('continue_session', { session_id, prompt: 'What did you say?' });
    expect(second.structuredContent).toMatchObject({ session_id, response: 'As I said.' });
    expect(textsIn(model.requests[2]!)).toEqual(expect.arrayContaining(['Written.', 'What did you say?']));
    const resumed = await runCli(['--resume', session_id, '-p', 'once more'], { workspace, model });
    expect([resumed.code, resumed.stdout]).toEqual([0, 'Again.\n']);
    expect(textsIn(model.requests[3]!)).toEqual(expect.arrayContaining(['As I said.']));
    model.assertDone();
  });

  variants.each<[string, Choice, boolean, number]>([
    ['asks once and writes', 'Allow once', true, 2],
    ['asks once for the rest of the prompt', 'Allow for the rest of this prompt', true, 1],
    ['writes nothing after a no', 'No', false, 1],
    ['denies without a question where the client cannot ask', undefined, false, 0],
  ])('%s', async (_name, choice, isWritten, count) => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([WRITE('a.txt'), WRITE('b.txt'), say('done')]);
    await using server = await openStdio(workspace, model, [], choice);
    const { isError, structuredContent } = await server.run('run_prompt', { prompt: 'write' });
    expect(server.questions).toHaveLength(count);
    if (count > 0) expect(server.questions[0]).toContain(`change ${join(workspace.project, 'a.txt')}`);
    expect(['a.txt', 'b.txt'].map((name) => existsSync(join(workspace.project, name)))).toEqual([isWritten, isWritten]);
    expect(isError).toBe(choice === 'No');
    if (choice === 'No') expect(structuredContent?.error?.type).toBe('FatalCancellationError');
  });

  it('cancels one prompt of two, and ends with the rest when the client leaves', async () => {
    await using workspace = await createWorkspace();
    const held = gate();
    await using model = await fakeModel([answer(text('a'), held, text('b')), answer(text('c'), gate(), text('d'))]);
    const server = await openStdio(workspace, model);
    const controller = new AbortController();
    const first = server.run('run_prompt', { prompt: 'one' }, controller.signal);
    await held.reached;
    const second = server.run('run_prompt', { prompt: 'two' });
    second.catch(() => undefined);
    controller.abort();
    await expect(first).rejects.toThrow();
    const { pid } = server.transport;
    await server.client.close();
    await expect(second).rejects.toThrow();
    expect(() => process.kill(pid!, 0)).toThrow('ESRCH');
  });

  it('tells a failed prompt, an unknown session and an unknown model as failures', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([WRITE('a.txt')]);
    await using server = await openStdio(workspace, model, ['-y', '--max-turns', '1']);
    const failed = await server.run('run_prompt', { prompt: 'x' });
    expect(failed).toMatchObject({ isError: true, structuredContent: { error: { type: 'BudgetExceededError' } } });
    const unknown = await server.run('continue_session', { session_id: crypto.randomUUID(), prompt: 'x' });
    expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('session') }] });
    const model404 = await server.run('run_prompt', { prompt: 'x', model: 'nowhere/m' });
    expect(model404).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('nowhere') }] });
  });

  it('answers broken lines with errors and goes on; the end of stdin ends it with 0 and stdout holds the protocol only', async () => {
    const { code, stdout } = await runCli(['mcp', 'serve'], {
      env: { CASTOR_OFFLINE: '1' },
      stdin: '{not json\n[]\n\n{"jsonrpc":"2.0","id":"a","method":"ping"}\n',
    });
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_700 }) }),
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) }),
      { jsonrpc: '2.0', id: 'a', result: {} },
    ]);
  });

  it('does not start without a key, or with a flag that has no effect', async () => {
    const [noKey, flag] = await Promise.all([
      runCli(['mcp', 'serve']),
      runCli(['--debug', 'mcp', 'serve', '--resume']),
    ]);
    expect([noKey.code, noKey.stdout, flag.code, flag.stdout]).toEqual([41, '', 1, '']);
    expect(noKey.stderr).toContain('GEMINI_API_KEY');
    expect(flag.stderr).toContain('--resume has no effect on castor mcp serve.');
  });
});

describe('over HTTP', () => {
  async function openHttp(workspace: Workspace, model: { url: string }): Promise<{ cli: CliProcess; url: string }> {
    const cli = await startCli(['mcp', 'serve', '--http', '--port', '0'], { workspace, model, keepStdinOpen: true });
    await cli.waitForStderr(/MCP server at \S+;/);
    return { cli, url: /MCP server at (\S+);/.exec(cli.stderr)![1]! };
  }

  const post = (
    url: string,
    headers: Record<string, string>,
    body: unknown = { jsonrpc: '2.0', id: 1, method: 'ping' },
  ) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('serves a client with the token: progress, questions and the answer', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([WRITE('a.txt'), say('Written.'), answer(text('a'), gate(), text('b'))]);
    const { cli, url } = await openHttp(workspace, model);
    await using _cli = cli;
    const file = join(workspace.home, '.gemini', 'mcp-serve-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const token = (await readFile(file, 'utf8')).trim();
    expect(cli.stderr).not.toContain(token);
    const authorization = `Bearer ${token}`;

    const { client, run, progress, questions } = createClient('Allow once');
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
    );
    const result = await run('run_prompt', { prompt: 'write' });
    expect(result.structuredContent?.response).toBe('Written.');
    expect([progress.length, questions.length, await workspace.read('a.txt')]).toEqual([2, 1, 'x\n']);

    const port = new URL(url).port;
    const refusals = await Promise.all([
      post(url, {}),
      post(url, { authorization: 'Bearer wrong' }),
      post(url, { authorization, origin: 'https://evil.example' }),
      post(url.replace('/mcp', '/other'), { authorization }),
      post(url, { authorization, 'content-type': 'text/plain' }),
      post(url, { authorization }),
      post(url, { authorization, 'mcp-session-id': 'unknown' }),
      post(url, { authorization }, '{'),
      fetch(url, { headers: { authorization } }),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([401, 401, 403, 404, 415, 400, 404, 400, 405]);
    expect(await hostRefused(Number(port), authorization)).toContain('403');

    // A client that hangs up stops its prompt, and the server ends with a signal.
    const controller = new AbortController();
    const third = run('run_prompt', { prompt: 'hold' }, controller.signal);
    await model.waitForRequest(3);
    controller.abort();
    await expect(third).rejects.toThrow();
    await model.waitForDisconnects(1);
    cli.kill('SIGTERM');
    expect((await cli.done).code).toBe(143);
    await client.close();
  });
});

/** fetch does not send a Host of its own choice. */
async function hostRefused(port: number, authorization: string): Promise<string> {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  socket.end(
    `POST /mcp HTTP/1.1\r\nHost: evil.example:${port}\r\nAuthorization: ${authorization}\r\nContent-Length: 0\r\n\r\n`,
  );
  let head = '';
  for await (const chunk of socket) head += String(chunk);
  return head.split('\r\n')[0]!;
}
