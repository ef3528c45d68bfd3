/** Signing in through an editor, and the MCP servers it gives: none starts before the user is signed in. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { call, createWorkspace, fakeModel, mcp, mcpServer, mcpStdioCommand, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { Editor } from './editor.fixture.ts';
import { lastParts, openScene, sharePrograms } from './scene.fixture.ts';
import { variants } from '../house/variants.ts';

const openShared = sharePrograms();

const PICTURE = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;
const SERVER = { tools: [{ name: 'echo', result: mcp.result(mcp.text('echoed'), PICTURE) }] };
const GIVEN_ENV = [{ name: 'GIVEN', value: 'yes' }];

describe('without credentials', () => {
  it('a session asks for a login and starts nothing', async () => {
    await using workspace = await createWorkspace();
    const marker = join(workspace.root, 'started');
    const mcpServers = [{ name: 'one', command: 'touch', args: [marker], env: [] }];
    await using editor = await Editor.open({ workspace });
    const request = { cwd: workspace.project, mcpServers };
    await expect(editor.request('session/new', request)).rejects.toMatchObject({
      code: -32_000,
      message: expect.stringContaining('GEMINI_API_KEY'),
    });
    const load = { ...request, sessionId: 'a0b1c2d3-0000-4000-8000-000000000000' };
    await expect(editor.request('session/load', load)).rejects.toMatchObject({ code: -32_000 });
    expect(existsSync(marker)).toBe(false);
  });

  it('a login is refused at once, with what it lacks', async () => {
    await using workspace = await createWorkspace();
    await using editor = await Editor.open({ workspace });
    const refused: [string, number, string][] = [
      ['gemini-api-key', -32_000, 'The login needs a key, and GEMINI_API_KEY is not set.'],
      ['oauth-personal', -32_000, 'The login asks for "oauth-personal", which Castor does not support.'],
      ['vertex-ai', -32_000, 'The login asks for "vertex-ai", which needs a Google Cloud project'],
      ['gateway', -32_000, 'The login asks for "gateway", which needs the address of the gateway'],
      ['nonsense', -32_602, 'Unknown authentication method: nonsense'],
    ];
    for (const [methodId, code, message] of refused) {
      const said = { code, message: expect.stringContaining(message) };
      await expect(editor.request('authenticate', { methodId })).rejects.toMatchObject(said);
    }
    const _meta = { gateway: { baseUrl: 'nonsense' } };
    await expect(editor.request('authenticate', { methodId: 'gateway', _meta })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('_meta.gateway.baseUrl must be an address'),
    });
  });
});

describe('credentials of the editor', () => {
  variants.each<[string, Record<string, unknown>]>([
    ['as a text', { 'api-key': 'key-of-the-editor' }],
    ['as an object', { 'api-key': { apiKey: 'key-of-the-editor' } }],
  ])('are used for this process, %s, and stored nowhere', async (_name, _meta) => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('hello')]);
    await using editor = await Editor.open({ workspace, env: { GOOGLE_GEMINI_BASE_URL: undefined } });
    const gateway = { gateway: { baseUrl: model.url, headers: { 'X-Team': 'blue' } } };
    await editor.request('authenticate', { methodId: 'gateway', _meta: { ..._meta, ...gateway } });
    const session = await editor.newSession();
    await editor.prompt(session, 'hi');
    const { headers } = model.requests[0]!;
    expect(headers).toMatchObject({ 'x-goog-api-key': 'key-of-the-editor', 'x-team': 'blue' });
    expect(existsSync(join(workspace.home, '.gemini/settings.json'))).toBe(false);
    await editor.request('logout', {});
    await expect(editor.newSession()).rejects.toMatchObject({ code: -32_000 });
  });

  it('of an unsupported login are replaced by a key that is set', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('hello')]);
    await scene.editor.request('authenticate', { methodId: 'oauth-personal' });
    expect(await scene.editor.newSession()).toBeTypeOf('string');
  });
});

describe('MCP servers of the editor', () => {
  const script = () => [call('mcp_one_echo', {}), say('ok')];

  it('run as processes, in the folder of the session', async () => {
    await using server = await mcpStdioCommand(SERVER);
    await using scene = await openShared(script(), { args: ['--yolo'] });
    const { editor, workspace, model } = scene;
    const { command, args, env } = server.entry;
    const given = Object.entries(env).map(([name, value]) => ({ name, value }));
    const session = await editor.newSession({
      mcpServers: [{ name: 'one', command, args: [...args], env: [...given, ...GIVEN_ENV] }],
    });
    await editor.prompt(session, 'go');
    expect(JSON.stringify(lastParts(model))).toContain('echoed');
    expect(server.readRecord().of('started')[0]).toMatchObject({ cwd: workspace.project, env: { GIVEN: 'yes' } });
    // A picture is a picture in the editor too.
    expect(editor.calls()[0]?.content).toContainEqual({ type: 'content', content: PICTURE });
  });

  variants.each(['http', 'sse'] as const)('are reached over %s, with their headers', async (type) => {
    await using server = await mcpServer(SERVER);
    await using scene = await openShared(script(), { args: ['--yolo'] });
    const { editor, model } = scene;
    const url = type === 'http' ? server.url : server.sseUrl;
    const session = await editor.newSession({
      mcpServers: [{ type, name: 'one', url, headers: [{ name: 'X-Given', value: 'yes' }] }],
    });
    await editor.prompt(session, 'go');
    expect(JSON.stringify(lastParts(model))).toContain('echoed');
    const path = type === 'http' ? 'POST /mcp' : 'GET /sse';
    expect(server.record.requests(path)[0]!.headers['x-given']).toBe('yes');
  });

  it('precede those of the settings, and the lists of allowed servers apply', { tags: 'wide' }, async () => {
    await using server = await mcpStdioCommand(SERVER);
    const settings = { mcpServers: { one: { command: 'false' } }, mcp: { excluded: ['two'] } };
    await using scene = await openScene(script(), { args: ['--yolo'], settings });
    const { editor, model, workspace } = scene;
    const { command, args, env } = server.entry;
    const given = { command, args: [...args], env: Object.entries(env).map(([name, value]) => ({ name, value })) };
    const marker = join(workspace.root, 'started');
    const two = { name: 'two', command: 'touch', args: [marker], env: [] };
    const session = await editor.newSession({ mcpServers: [{ name: 'one', ...given }, two] });
    await editor.prompt(session, 'go');
    expect(JSON.stringify(lastParts(model))).toContain('echoed');
    expect(existsSync(marker)).toBe(false);
  });

  it('do not run in a folder without trust, and the user is told', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('ok')], { isTrusted: false });
    const { editor, workspace, model } = scene;
    await workspace.write(
      '../home/.gemini/trustedFolders.json',
      JSON.stringify({ [workspace.project]: 'DO_NOT_TRUST' }),
    );
    const marker = join(workspace.root, 'started');
    const given = { name: 'one', command: 'touch', args: [marker], env: [] };
    const session = await editor.newSession({ mcpServers: [given] });
    await editor.prompt(session, 'go');
    expect(existsSync(marker)).toBe(false);
    expect(editor.text('agent_thought_chunk', session)).toMatch(/not trusted/);
    expect(JSON.stringify(model.requests[0]!.body)).not.toContain('mcp_one');
  });

  it('ask the user through a form of the editor', { tags: 'wide' }, async () => {
    const asks = {
      tools: [
        {
          name: 'echo',
          run: [
            mcp.request('elicitation/create', {
              message: 'Who?',
              requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
            }),
          ],
          result: mcp.result(mcp.text('echoed')),
        },
      ],
    };
    await using server = await mcpServer(asks);
    await using scene = await openScene(script(), {
      args: ['--yolo'],
      capabilities: { elicitation: { form: {} } },
      onElicitation: () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    const { editor } = scene;
    const session = await editor.newSession({
      mcpServers: [{ type: 'http', name: 'one', url: server.url, headers: [] }],
    });
    await editor.prompt(session, 'go');
    expect(editor.elicitations).toMatchObject([
      { message: expect.stringContaining('The MCP server one asks for data: Who?') },
    ]);
  });
});
