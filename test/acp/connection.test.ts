/** `castor --acp` as a process: the handshake, malformed input, stdout, and the end. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  answer,
  call,
  cleanEnvironment,
  createWorkspace,
  gate,
  say,
  startCli,
  startTerminal,
  text,
} from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Editor, PROGRAM } from './editor.fixture.ts';
import { openScene } from './scene.fixture.ts';
import { variants } from '../house/variants.ts';

const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } };

describe('initialize', () => {
  variants.each(['--acp', '--experimental-acp'])('is answered with %s', async (flag) => {
    await using workspace = await createWorkspace();
    await using editor = await Editor.open({ workspace, args: [flag] });
    expect(editor.initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'castor', title: 'Castor', version: expect.any(String) },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
    });
    const methods = editor.initialized.authMethods?.map(({ id }) => id);
    expect(methods).toEqual(['gemini-api-key', 'vertex-ai', 'gateway']);
  });

  it('is answered whatever is configured: before any setting, server or extension is read', async () => {
    const settings = { mcpServers: { slow: { command: 'sleep', args: ['1000'] } }, theme: 7 };
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': `${JSON.stringify(settings)} broken`, '.gemini/trustedFolders.json': '{' },
    });
    await using editor = await Editor.open({ workspace });
    expect(editor.initialized.protocolVersion).toBe(1);
    await expect(editor.newSession()).rejects.toMatchObject({ message: expect.stringContaining('settings.json') });
  });

  it('offers a login in a terminal to editors that have one', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using editor = await Editor.open({ workspace, capabilities: { auth: { terminal: true } } });
    expect(editor.initialized.authMethods?.at(-1)).toMatchObject({ type: 'terminal', args: ['login'] });
  });

  it('answers version 1 whatever version is asked for', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using editor = new Editor({ workspace });
    const { protocolVersion } = await editor.request('initialize', { protocolVersion: 99 });
    expect(protocolVersion).toBe(1);
  });
});

describe('input that is not the protocol', () => {
  const PROMPT = '{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":';
  const INVALID = { id: null, error: { code: -32_600 } };
  const LINES: readonly [string, string | Buffer, object | undefined][] = [
    ['no JSON', '{not json', { id: null, error: { code: -32_700 } }],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]), { id: null, error: { code: -32_700 } }],
    ['a header of another protocol', 'Content-Length: 7', { id: null, error: { code: -32_700 } }],
    ['half a message', '{"jsonrpc":"2.0","id":7', { id: null, error: { code: -32_700 } }],
    ['lists in lists in lists', '['.repeat(100_000), { id: null, error: { code: -32_700 } }],
    ['a batch', '[]', INVALID],
    ['a text', '"hi"', INVALID],
    ['a number', '7', INVALID],
    ['nothing', 'null', INVALID],
    ['no method', '{"jsonrpc":"2.0"}', { error: { code: -32_600 } }],
    ['no version', '{"id":6,"method":"session/list","params":{}}', { id: 6, error: { code: -32_600 } }],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":4711,"result":{}}', undefined],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"nope","params":{}}', undefined],
    ['an unknown method', '{"jsonrpc":"2.0","id":7,"method":"nope"}', { id: 7, error: { code: -32_601 } }],
    [
      'wrong parameters',
      '{"jsonrpc":"2.0","id":8,"method":"session/new","params":{}}',
      { id: 8, error: { code: -32_602 } },
    ],
    [
      'a list of parameters',
      '{"jsonrpc":"2.0","id":8,"method":"session/new","params":[1]}',
      { id: 8, error: { code: -32_602 } },
    ],
    ['an unknown session', `${PROMPT}{"sessionId":"x","prompt":[]}}`, { id: 9, error: { code: -32_602 } }],
    ['an unknown block', `${PROMPT}{"sessionId":"x","prompt":[{"type":"x"}]}}`, { id: 9, error: { code: -32_602 } }],
  ];
  let stack: AsyncDisposableStack;
  let cli: Awaited<ReturnType<typeof startCli>>;

  // One process for all: none of them may end it, nor disturb the next.
  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const workspace = stack.use(await createWorkspace());
    cli = stack.use(await startCli(['--acp'], { workspace, keepStdinOpen: true }));
    cli.writeStdin(`${JSON.stringify(INITIALIZE)}\n`);
    await cli.waitForStdout('"id":0');
  });
  afterAll(() => stack.disposeAsync());

  variants.each(LINES)('gets an error, and the connection lives on: %s', async (name, line, expected) => {
    const from = cli.stdout.length;
    cli.writeStdin(line);
    cli.writeStdin(`\n\n${JSON.stringify({ jsonrpc: '2.0', id: name, method: 'session/list', params: {} })}\n`);
    await cli.waitForStdout(`"id":${JSON.stringify(name)}`);
    const messages = cli.stdout
      .slice(from)
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as object);
    expect(messages.length).toBe(expected ? 2 : 1);
    if (expected) expect(messages[0]).toMatchObject(expected);
    expect(messages.at(-1)).toMatchObject({ id: name, result: { sessions: [] } });
  });

  it('gets an error before initialize, which still works', async () => {
    await using workspace = await createWorkspace();
    await using cli = await startCli(['--acp'], { workspace, keepStdinOpen: true });
    // Some programs begin a stream of text with a byte order mark.
    cli.writeStdin('\uFEFF{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}\n');
    cli.writeStdin('{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}\n');
    cli.writeStdin(`${JSON.stringify(INITIALIZE)}\n`);
    await cli.waitForStdout('"id":0');
    const [early, wrong, right] = cli.stdout
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as object);
    expect(early).toMatchObject({ id: 1, error: { code: -32_600 } });
    expect(wrong).toMatchObject({ id: 2, error: { code: -32_602 } });
    expect(right).toMatchObject({ id: 0, result: { protocolVersion: 1 } });
  });
});

describe('stdout', () => {
  it('carries the protocol alone, whatever is said beside it', async () => {
    const noisy = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'echo noise; echo more >&2' }] }] } };
    const script = [answer(text('hi \u001b[31mred'), call('run_shell_command', { command: 'echo out' })), say('done')];
    await using scene = await openScene(script, { settings: { ...noisy, unknown: 1 }, args: ['--debug', '--yolo'] });
    await scene.editor.prompt(scene.session, 'go');
    const lines = scene.editor.stdout.trim().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(scene.editor.stderr).not.toBe('');
    expect(scene.editor.text()).toBe('hi \u001b[31mreddone');
  });
});

describe('the end', () => {
  it('comes when stdin is closed', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('hello')]);
    await scene.editor.prompt(scene.session, 'hi');
    scene.editor.closeStdin();
    expect(await scene.editor.done).toBe(0);
  });

  it('comes without a word of the editor', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using cli = await startCli(['--acp'], { workspace });
    expect(await cli.done).toMatchObject({ code: 0, stdout: '' });
  });

  it('takes a running command with it, and the session is on disk', async () => {
    const command = 'echo $$ > pid; exec sleep 1000';
    await using scene = await openScene([call('run_shell_command', { command })], { args: ['--yolo'] });
    const { editor, session, workspace } = scene;
    const prompt = editor.prompt(session, 'go').catch(() => 'gone');
    const file = join(workspace.project, 'pid');
    await editor.until(() => editor.calls().some(({ statuses }) => statuses.includes('in_progress')));
    while (!existsSync(file) || readFileSync(file, 'utf8') === '')
      await new Promise((resolve) => setImmediate(resolve));
    editor.closeStdin();
    expect(await editor.done).toBe(0);
    await prompt;
    const pid = Number(readFileSync(file, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('comes while a model does not answer', { tags: 'wide' }, async () => {
    const held = gate();
    await using scene = await openScene([answer(text('half'), held)]);
    const prompt = scene.editor.prompt(scene.session, 'go').catch(() => 'gone');
    await held.reached;
    scene.editor.closeStdin();
    expect(await scene.editor.done).toBe(0);
    expect(await prompt).toBe('gone');
  });

  it('comes although the editor reads no answer any more', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    const env = cleanEnvironment(workspace.home, {});
    const child = spawn(process.execPath, [PROGRAM, '--acp'], { cwd: workspace.project, env });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const requests = Array.from({ length: 4000 }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'nope' }));
    child.stdin.on('error', () => undefined).end([JSON.stringify(INITIALIZE), ...requests, ''].join('\n'));
    expect(await ended).toBe(0);
    child.stdout.destroy();
  });

  it('comes with a signal', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('hello')]);
    scene.editor.child.kill('SIGTERM');
    expect(await scene.editor.done).toBe(143);
  });
});

it('a terminal is told that an editor is expected', async () => {
  await using workspace = await createWorkspace();
  await using terminal = await startTerminal(['--acp'], { workspace });
  await terminal.waitForText('Agent Client Protocol');
  terminal.type('\x04');
  expect((await terminal.done).code).toBe(0);
});
