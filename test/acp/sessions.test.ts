/** Sessions of an editor: new, listed, loaded, resumed, closed, deleted; several at once; and those of other surfaces. */

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, gate, runCli, say, startTerminal, text } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { Editor } from './editor.fixture.ts';
import { lastParts, openScene, sharePrograms } from './scene.fixture.ts';
import { variants } from '../house/variants.ts';

const openShared = sharePrograms();

const TRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };

describe('a new session', () => {
  it('tells the modes, the models and the options', async () => {
    await using scene = await openShared([], { args: ['--model', 'flash', '--approval-mode', 'auto_edit'] });
    const { editor, workspace } = scene;
    const { modes, configOptions, ...rest } = await editor.request('session/new', {
      cwd: workspace.project,
      mcpServers: [],
    });
    expect(modes).toMatchObject({ currentModeId: 'autoEdit' });
    expect(modes!.availableModes.map(({ id }) => id)).toEqual(['default', 'autoEdit', 'yolo', 'plan']);
    expect(rest).toMatchObject({
      models: {
        currentModelId: 'flash',
        availableModels: expect.arrayContaining([{ modelId: 'auto', name: 'auto', description: expect.any(String) }]),
      },
    });
    expect(configOptions).toMatchObject([
      { id: 'mode', category: 'mode', type: 'select', currentValue: 'autoEdit' },
      { id: 'model', category: 'model', type: 'select', currentValue: 'flash' },
    ]);
  });

  variants.each([
    ['a relative folder', 'project'],
    ['a folder that is missing', '/missing/folder'],
  ])('needs a folder: %s', async (_name, cwd) => {
    await using scene = await openShared([]);
    await expect(scene.editor.newSession({ cwd })).rejects.toMatchObject({ code: -32_602 });
  });

  it('is known to the editor before anything is told about it', { tags: 'wide' }, async () => {
    const settings = { unknownByCastor: true, mcpServers: { gone: { command: '/no/such/program' } } };
    await using scene = await openScene([say('ok')], { settings });
    const { editor, session } = scene;
    await editor.prompt(session, 'go');
    expect(editor.text('agent_thought_chunk')).toContain('The MCP server gone is not available');
    const lines = editor.stdout.split('\n');
    const answered = lines.findIndex((line) => line.includes('"result":{"sessionId"'));
    const told = lines.findIndex((line) => line.includes('"session/update"'));
    expect(answered).toBeGreaterThanOrEqual(0);
    expect(told).toBeGreaterThan(answered);
  });

  it('has the settings of its own folder', { tags: 'wide' }, async () => {
    await using scene = await openShared([say('x')], {
      files: {
        '.gemini/settings.json': '{}',
        'other/.gemini/settings.json': JSON.stringify({ model: { name: 'flash-lite' } }),
      },
    });
    const { editor, workspace } = scene;
    const made = await editor.request('session/new', { cwd: join(workspace.project, 'other'), mcpServers: [] });
    expect(made).toMatchObject({ models: { currentModelId: 'flash-lite' } });
  });

  it('may have further folders', { tags: 'wide' }, async () => {
    await using scene = await openShared([call('read_file', { file_path: '../more/x.txt' }), say('ok')]);
    const { editor, workspace, model } = scene;
    const more = join(workspace.root, 'more');
    await mkdir(more);
    await workspace.write('../more/x.txt', 'MORE');
    const session = await editor.newSession({ additionalDirectories: [more] });
    await editor.prompt(session, 'read');
    expect(JSON.stringify(lastParts(model))).toContain('MORE');
  });

  variants.each([
    ['without trust', true],
    ['without a decision', false],
  ])('in a folder %s offers no mode that acts by itself, and ignores its settings', async (_name, isDenied) => {
    const denied = (project: string) => JSON.stringify({ [project]: 'DO_NOT_TRUST' });
    await using workspace = await createWorkspace({ files: { '.gemini/settings.json': '{"model":{"name":"flash"}}' } });
    if (isDenied) await workspace.write('../home/.gemini/trustedFolders.json', denied(workspace.project));
    await using model = await fakeModel([]);
    // A flag in the configuration of the editor holds for every folder it opens, also for a hostile one.
    await using editor = await Editor.open({ workspace, model, args: ['--approval-mode', 'yolo'] });
    const made = await editor.request('session/new', { cwd: workspace.project, mcpServers: [] });
    expect(made.modes!.availableModes.map(({ id }) => id)).toEqual(['default', 'plan']);
    expect(made).toMatchObject({ models: { currentModelId: 'auto' }, modes: { currentModeId: 'default' } });
    await editor.until(() => editor.text('agent_thought_chunk').includes('the approval mode is default, not yolo'));
    await expect(editor.request('session/set_mode', { sessionId: made.sessionId, modeId: 'yolo' })).rejects.toThrow(
      'Invalid or unavailable mode: yolo: the folder is not trusted.',
    );
  });
});

describe('modes and models', () => {
  it('of other providers are offered where the user has a key', { tags: 'wide' }, async () => {
    await using scene = await openShared([], { env: { ANTHROPIC_API_KEY: 'key' } });
    const { editor, workspace } = scene;
    const { configOptions } = await editor.request('session/new', { cwd: workspace.project, mcpServers: [] });
    const text = JSON.stringify(configOptions);
    expect(text).toContain('"anthropic/claude-');
    expect(text).not.toContain('"openai/');
  });

  it('change by every method, and the editor is told', async () => {
    await using scene = await openShared([say('a'), say('b'), say('c')]);
    const { editor, session, model } = scene;
    await editor.request('session/set_mode', { sessionId: session, modeId: 'plan' });
    await editor.until(() => editor.of('current_mode_update').length === 1);
    expect(editor.of('current_mode_update')).toMatchObject([{ currentModeId: 'plan' }]);
    const set = { sessionId: session, configId: 'mode', type: 'select', value: 'default' } as const;
    expect(await editor.request('session/set_config_option', set)).toMatchObject({
      configOptions: [{ currentValue: 'default' }, {}],
    });
    await editor.request('session/set_model', { sessionId: session, modelId: 'gemini-2.5-flash' });
    const isTold = () =>
      editor.of('config_option_update').at(-1)?.configOptions[1]?.currentValue === 'gemini-2.5-flash';
    await editor.until(isTold);
    await editor.prompt(session, 'hi');
    expect(model.requests[0]!.path).toContain('gemini-2.5-flash:');
    await editor.request('session/set_config_option', { ...set, configId: 'model', value: 'gemini-2.5-pro' });
    await editor.prompt(session, 'hi');
    expect(model.requests[1]!.path).toContain('gemini-2.5-pro:');
    await editor.prompt(session, '/model gemini-2.5-flash-lite');
    expect(editor.of('config_option_update').at(-1)).toMatchObject({
      configOptions: [{}, { currentValue: 'gemini-2.5-flash-lite' }],
    });
  });

  variants.each([
    ['an unknown mode', 'session/set_mode', { modeId: 'nope' }, 'Invalid or unavailable mode: nope'],
    ['an unknown option', 'session/set_config_option', { configId: 'nope', value: 'x' }, 'Unknown option'],
    ['an unknown model', 'session/set_config_option', { configId: 'model', value: 'nope' }, 'Unknown model: nope. The'],
    ['no model', 'session/set_model', {}, 'needs sessionId and modelId'],
  ])('are refused with a sentence: %s', async (_name, method, params, message) => {
    await using scene = await openShared([]);
    const { editor, session } = scene;
    await expect(editor.request(method, { sessionId: session, ...params })).rejects.toThrow(message);
  });
});

describe('several sessions in one process', () => {
  it('answer side by side, each with its own words', { tags: 'wide' }, async () => {
    const held = gate();
    await using scene = await openShared([answer(text('slow '), held, text('end')), say('quick')]);
    const { editor, session } = scene;
    const other = await editor.newSession();
    const slow = editor.prompt(session, 'one');
    await held.reached;
    expect(await editor.prompt(other, 'two')).toMatchObject({ stopReason: 'end_turn' });
    held.release();
    await slow;
    expect(editor.text('agent_message_chunk', session)).toBe('slow end');
    expect(editor.text('agent_message_chunk', other)).toBe('quick');
  });
});

describe('sessions on disk', () => {
  it('are listed with folder, title and time, newest first', async () => {
    await using scene = await openShared([say('1'), say('2')], { files: { 'other/x': '' } });
    const { editor, session, workspace } = scene;
    await editor.prompt(session, 'first words');
    const there = join(workspace.project, 'other');
    const other = await editor.newSession({ cwd: there });
    await editor.prompt(other, 'second words');
    const { sessions } = await editor.request('session/list', {});
    expect(sessions.slice(0, 2)).toMatchObject([
      { sessionId: other, cwd: there, title: 'second words', updatedAt: expect.stringMatching(/^\d{4}-/) },
      { sessionId: session, cwd: workspace.project, title: 'first words' },
    ]);
    const own = await editor.request('session/list', { cwd: there });
    expect(own.sessions.map(({ sessionId }) => sessionId)).toEqual([other]);
  });

  it('are loaded with everything that was shown, each call once, before the answer', async () => {
    const script = [
      answer(text('I read.'), call('read_file', { file_path: 'a.txt' }, { id: 'c1' })),
      say('done'),
      say('more'),
    ];
    await using scene = await openShared(script, { files: { 'a.txt': 'AAA' } });
    const { editor, session, workspace, model } = scene;
    await editor.prompt(session, 'read it');
    await using second = await Editor.open({ workspace, model, env: TRUSTED });
    const refused = await second
      .request('session/load', { sessionId: session, cwd: workspace.project, mcpServers: [] })
      .then(String, String);
    expect(refused).toContain('in use');
    expect(refused).toContain('Or close it where it is open, then load it again');
    expect(refused).not.toMatch(/ --?\w/);
    await editor.request('session/close', { sessionId: session });
    const loaded = await second.request('session/load', { sessionId: session, cwd: workspace.project, mcpServers: [] });
    expect(loaded).toMatchObject({ modes: { currentModeId: 'default' } });
    expect(second.text('user_message_chunk')).toBe('read it');
    expect(second.text()).toBe('I read.done');
    expect(second.calls()).toMatchObject([
      { toolCallId: 'c1', statuses: ['completed'], kind: 'read', title: 'Read a.txt' },
    ]);
    await second.prompt(session, 'go on');
    expect(second.text()).toBe('I read.donemore');
    expect(JSON.stringify(model.requests.at(-1)!.body.contents)).toContain('read it');
  });

  it('are resumed without showing them again', { tags: 'wide' }, async () => {
    await using scene = await openShared([say('one'), say('two')]);
    const { editor, session, workspace, model } = scene;
    await editor.prompt(session, 'first');
    await editor.request('session/resume', { sessionId: session, cwd: workspace.project });
    expect(editor.text('user_message_chunk')).toBe('');
    await editor.prompt(session, 'second');
    expect(JSON.stringify(model.requests[1]!.body.contents)).toContain('first');
  });

  it('are loaded from another folder too, with the mode and the model they had', { tags: 'wide' }, async () => {
    await using scene = await openShared([say('one')], { files: { 'other/x': '' } });
    const { editor, session, workspace } = scene;
    await editor.prompt(session, 'first');
    await editor.request('session/set_mode', { sessionId: session, modeId: 'autoEdit' });
    await editor.request('session/set_model', { sessionId: session, modelId: 'flash' });
    await editor.request('session/close', { sessionId: session });
    const load = { sessionId: session, cwd: join(workspace.project, 'other'), mcpServers: [] };
    const loaded = await editor.request('session/load', load);
    expect(editor.text('user_message_chunk')).toBe('first');
    expect(loaded).toMatchObject({ configOptions: [{ currentValue: 'autoEdit' }, { currentValue: 'flash' }] });
  });

  it('are not made by loading an unknown one', { tags: 'wide' }, async () => {
    await using scene = await openShared([]);
    const params = { sessionId: 'a0b1c2d3-0000-4000-8000-000000000000', cwd: scene.workspace.project, mcpServers: [] };
    await expect(scene.editor.request('session/load', params)).rejects.toMatchObject({ code: -32_002 });
    const { sessions } = await scene.editor.request('session/list', { cwd: scene.workspace.project });
    expect(sessions).toEqual([]);
  });

  it('are not named by a flag of the terminal when an unknown one is loaded', async () => {
    await using scene = await openShared([say('ok')]);
    const { editor, session, workspace } = scene;
    await editor.prompt(session, 'go');
    const sessionId = 'a0b1c2d3-0000-4000-8000-000000000000';
    const loading = editor.request('session/load', { sessionId, cwd: workspace.project, mcpServers: [] });
    await expect(loading).rejects.toMatchObject({
      code: -32_002,
      data: {
        details: `Invalid session identifier "${sessionId}". The list of sessions of your editor has those that can be loaded.`,
      },
    });
  });

  it('are loaded one request after the other, however often an editor asks', { tags: 'wide' }, async () => {
    await using scene = await openShared([say('one'), say('two')]);
    const { editor, session, workspace } = scene;
    await editor.prompt(session, 'first');
    const params = { sessionId: session, cwd: workspace.project, mcpServers: [] };
    const loads = [1, 2, 3].map(() => editor.request('session/load', params));
    expect((await Promise.allSettled(loads)).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
    await editor.prompt(session, 'second');
    expect(editor.text()).toBe(`${'one'.repeat(4)}two`);
  });

  variants.each(['session/close', 'session/delete'] as const)('%s ends what runs in them', async (method) => {
    const withdrawn = Promise.withResolvers<undefined>();
    const onPermission = (_request: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', () => withdrawn.resolve(undefined));
      return withdrawn.promise;
    };
    // A question is withdrawn with the session.
    const mode = method === 'session/close' ? { args: ['--yolo'] } : { onPermission };
    await using scene = await openShared([call('run_shell_command', { command: 'touch x; sleep 1000' })], mode);
    const { editor, session, workspace } = scene;
    const prompt = editor.prompt(session, 'go');
    const isRunning = () => editor.calls().some(({ statuses }) => statuses.includes('in_progress'));
    await editor.until(() => isRunning() || editor.permissions.length > 0);
    await editor.request(method, { sessionId: session });
    if (method === 'session/delete') await withdrawn.promise;
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    await expect(editor.prompt(session, 'x')).rejects.toThrow('Session not found');
    const { sessions } = await editor.request('session/list', { cwd: workspace.project });
    expect(sessions.length).toBe(method === 'session/close' ? 1 : 0);
  });

  it('are deleted', async () => {
    await using scene = await openShared([say('one')]);
    const { editor, session, workspace } = scene;
    await editor.prompt(session, 'first');
    const list = async () => (await editor.request('session/list', { cwd: workspace.project })).sessions;
    expect(await list()).toHaveLength(1);
    await editor.request('session/delete', { sessionId: session });
    expect(await list()).toEqual([]);
    await expect(editor.prompt(session, 'x')).rejects.toThrow('Session not found');
  });

  it('survive a killed process, and go on in the terminal and back', { tags: 'wide' }, async () => {
    const held = gate();
    await using scene = await openScene([
      say('one'),
      answer(text('half'), held),
      say('from the terminal'),
      say('from the editor'),
    ]);
    const { editor, session, workspace, model } = scene;
    await editor.prompt(session, 'first');
    const cut = editor.prompt(session, 'second').catch(() => 'gone');
    await editor.until(() => editor.text() === 'onehalf');
    editor.child.kill('SIGKILL');
    expect(await cut).toBe('gone');
    await using terminal = await startTerminal(['--resume', session], { workspace, model, env: TRUSTED });
    await terminal.waitForText('half');
    terminal.type('third\r');
    await terminal.waitForText('from the terminal');
    await terminal.waitUntil((seen) => seen.title().includes('Ready'));
    terminal.type('/quit\r');
    await terminal.done;
    await using back = await Editor.open({ workspace, model, env: TRUSTED });
    await back.request('session/load', { sessionId: session, cwd: workspace.project, mcpServers: [] });
    expect(back.text('user_message_chunk')).toBe('firstsecondthird');
    expect(back.updates[0]?.update).toMatchObject({ sessionUpdate: 'user_message_chunk' });
    expect(back.text()).toContain('from the terminal');
    await back.prompt(session, 'fourth');
    expect(back.text()).toContain('from the editor');
  });

  it('of `castor -p` are loaded', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('headless')]);
    const { stdout } = await runCli(['-p', 'hello', '-o', 'json'], { workspace, model, env: TRUSTED });
    const { session_id: sessionId } = JSON.parse(stdout) as { session_id: string };
    await using editor = await Editor.open({ workspace, model, env: TRUSTED });
    await editor.request('session/load', { sessionId, cwd: workspace.project, mcpServers: [] });
    expect([editor.text('user_message_chunk'), editor.text()]).toEqual(['hello', 'headless']);
  });
});

it('a session runs the hooks of its start, its calls and its end', { tags: 'wide' }, async () => {
  const hook = (name: string) => [
    { hooks: [{ type: 'command', command: `echo ${name} >> "$GEMINI_PROJECT_DIR/log"` }] },
  ];
  const names = ['SessionStart', 'BeforeTool', 'AfterTool', 'SessionEnd'];
  const hooks = Object.fromEntries(names.map((name) => [name, hook(name)]));
  await using scene = await openScene([call('list_directory', { dir_path: '.' }), say('ok')], { settings: { hooks } });
  await scene.editor.prompt(scene.session, 'go');
  scene.editor.closeStdin();
  await scene.editor.done;
  const log = await readFile(join(scene.workspace.project, 'log'), 'utf8');
  expect(log.trim().split('\n')).toEqual(names);
});
