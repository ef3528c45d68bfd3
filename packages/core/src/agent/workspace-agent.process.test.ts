import { execFileSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../tools/define-tool.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { createWorkspaceAgent } from './workspace-agent.ts';
import type { WorkspaceAgentOptions } from './workspace-options.ts';

type Files = Awaited<ReturnType<typeof createWorkspace>>;

const open = ({ project, home }: Files, options: Partial<WorkspaceAgentOptions> = {}) =>
  createWorkspaceAgent({
    // No model is asked anything here.
    generator: {} as ContentGenerator,
    model: 'gemini-2.5-flash',
    sessionId: 's',
    root: project,
    home,
    environment: { PATH: process.env['PATH'] },
    interactive: true,
    ...options,
  });

describe('createWorkspaceAgent', () => {
  it('of a folder, a generator and a model keeps the caller’s variables from commands, and runs nothing of the folder', async () => {
    await using files = await createWorkspace();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: files.project });
    await files.write('a.txt', 'a');
    git('init', '-q');
    git('add', 'a.txt');
    git('config', 'diff.external', `touch ${join(files.root, 'ran')} #`);
    await files.write('a.txt', 'b');
    await using model = await fakeModel([
      answer(call('run_shell_command', { command: 'env; git diff' }, { id: 'c' })),
      say('Done.'),
    ]);
    const kept = { HOME: process.env['HOME'], DEPLOY_TOKEN: process.env['DEPLOY_TOKEN'] };
    Object.assign(process.env, { HOME: files.home, DEPLOY_TOKEN: 'not for commands' });
    try {
      const agent = await createWorkspaceAgent({
        root: files.project,
        generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
        model: 'gemini-2.5-flash',
        approvalMode: 'yolo',
      });
      for await (const event of agent.session.prompt('Go', new AbortController().signal)) {
        if (event.type !== 'tool_call_response') continue;
        const output = JSON.stringify(event.value.responseParts);
        expect(output).toContain(`HOME=${files.home}`);
        expect(output).not.toContain('DEPLOY_TOKEN');
        expect(output).toContain('a.txt');
      }
      await agent.dispose();
      model.assertDone();
      expect(agent.session.sessionId).toMatch(/^[\da-f]{8}-/);
      await expect(readFile(join(files.root, 'ran'))).rejects.toThrow('ENOENT');
    } finally {
      for (const [name, value] of Object.entries(kept)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it.each([
    ['write_file', { file_path: 'a.txt', content: 'a' }],
    ['run_shell_command', { command: 'touch a.txt' }],
  ])('refuses %s where no user answers and no mode allows it', async (name, args) => {
    await using files = await createWorkspace();
    await using model = await fakeModel([answer(call(name, args, { id: 'c' })), say('I may not.')]);
    const generator = createGeminiGenerator({ apiKey: 'k', baseUrl: model.url });
    const agent = await createWorkspaceAgent({
      root: files.project,
      home: files.home,
      generator,
      model: 'gemini-2.5-flash',
    });
    for await (const _event of agent.session.prompt('Go', new AbortController().signal));
    await agent.dispose();
    await expect(readFile(join(files.project, 'a.txt'))).rejects.toThrow('ENOENT');
  });

  it.each([
    [true, ['discovered_tool_greet']],
    [undefined, []],
    [false, []],
  ])('with trust %j offers of the project’s own tools %j', async (trustedFolder, expected) => {
    await using files = await createWorkspace();
    const script = join(files.root, 'list.sh');
    await writeFile(script, `#!/bin/sh\necho '[{"name": "greet", "description": "Says hello."}]'\n`);
    await chmod(script, 0o755);
    const agent = await open(files, { trustedFolder, toolCommands: { discovery: script, call: script } });
    const names = agent.tools.declarations().map(({ name }) => name);
    await agent.dispose();
    expect(names.filter((name) => name?.startsWith('discovered_tool_'))).toEqual(expected);
  });

  it('goes on without the project’s own tools when they cannot be listed, and says so', async () => {
    await using files = await createWorkspace();
    const agent = await open(files, {
      trustedFolder: true,
      toolCommands: { discovery: '/nowhere/list', call: '/nowhere/call' },
    });
    await agent.dispose();
    const events: unknown[] = [];
    for await (const event of agent.session.events()) events.push(event);
    expect(events).toEqual([
      {
        type: 'notice',
        level: 'warning',
        message: expect.stringContaining("The project's tools are not available:"),
      },
    ]);
  });

  it.each([
    ['gemini-2.5-flash', true],
    ['gemini-3-pro-preview', false],
    ['auto', false],
  ])('offers %s a list of its own: %j', async (model, expected) => {
    await using files = await createWorkspace();
    const agent = await open(files, { model });
    await agent.dispose();
    expect(agent.tools.getTool('write_todos') !== undefined).toBe(expected);
  });

  it('tells of a changed mode and of tools that came, each once', async () => {
    await using files = await createWorkspace();
    const agent = await open(files);
    agent.policy.mode = 'plan';
    agent.policy.mode = 'plan';
    agent.tools.register(
      defineTool({
        name: 'deploy',
        displayName: 'Deploy',
        kind: 'other',
        description: 'Deploys.',
        schema: { type: 'object' },
        describe: () => '',
        execute: async () => ({ llmContent: '', returnDisplay: '' }),
      }),
    );
    await agent.dispose();
    const events: unknown[] = [];
    for await (const event of agent.session.events()) events.push(event);
    expect(events).toEqual([
      { type: 'mode_changed', mode: 'plan' },
      { type: 'tools_changed', added: ['deploy'], removed: [] },
    ]);
  });

  it('counts what tools ask of a model', async () => {
    await using files = await createWorkspace();
    await using model = await fakeModel([
      answer(call('google_web_search', { query: 'x' }, { id: '1' })),
      say('found'),
      say('done'),
    ]);
    const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
    const agent = await open(files, { generator, approvalMode: 'yolo' });
    for await (const _event of agent.session.prompt('go', new AbortController().signal));
    await agent.dispose();
    const roles = Object.values(agent.ledger.metrics().models).flatMap((metrics) => Object.keys(metrics.roles));
    expect(new Set(roles)).toEqual(new Set(['main', 'utility_tool']));
  });

  it('asks about every change in a folder that is not trusted', async () => {
    await using files = await createWorkspace();
    const agent = await open(files, { trustedFolder: false, approvalMode: 'yolo' });
    await agent.dispose();
    expect(agent.policy.mode).toBe('default');
  });

  it.each([
    [true, ['ask_user', 'allow']],
    [false, ['ask_user', 'ask_user']],
  ])('lets an approval hold for more than one call: %j', async (allowsAlways, expected) => {
    await using files = await createWorkspace();
    const agent = await open(files, { allowsAlways });
    const command = 'touch a';
    const question = { toolName: 'run_shell_command', args: { command }, kind: 'execute' } as const;
    const before = await agent.policy.check(question);
    const details = { type: 'exec' as const, title: 'T', command, rootCommand: 'touch', rootCommands: ['touch'] };
    await agent.policy.remember({ ...question, details, outcome: 'proceed_always' });
    const after = await agent.policy.check(question);
    await agent.dispose();
    expect([before.decision, after.decision]).toEqual(expected);
  });

  it.each([
    [true, 'gemini-3-flash-preview'],
    [false, 'gemini-3-pro-preview'],
  ])('carries an approved plan out with the faster model: %j', async (planRouting, expected) => {
    await using files = await createWorkspace({ files: { 'plans/a.md': '# Plan' } });
    await using model = await fakeModel([
      answer(call('exit_plan_mode', { plan_filename: 'a.md' }, { id: '1' })),
      say('planned'),
      say('done'),
    ]);
    const agent = await open(files, {
      generator: createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' }),
      model: 'auto',
      approvalMode: 'plan',
      planSettings: { directory: 'plans' },
      features: { planRouting },
    });
    const { signal } = new AbortController();
    for await (const event of agent.session.prompt('plan', signal)) {
      if (event.type !== GeminiEventType.ToolCallConfirmation) continue;
      agent.session.respond('1', 'proceed_once', { approved: true, approvalMode: 'default' });
    }
    for await (const _event of agent.session.prompt('go', signal));
    await agent.dispose();
    expect(model.requests.map((request) => request.model)).toEqual([
      'gemini-3-pro-preview',
      'gemini-3-pro-preview',
      expected,
    ]);
  });

  it('lets the file tools at the memory of the person, asked before a change, and at nothing beside it', async () => {
    const homeFiles = {
      '.gemini/GEMINI.md': 'Be brief.\n',
      '.gemini/secrets.json': '{}',
      '.gemini/oauth.md.json': '{}',
    };
    await using files = await createWorkspace({ homeFiles });
    const inHome = (name: string) => join(files.home, '.gemini', name);
    const ids = ['1', '2', '3', '4'];
    await using model = await fakeModel([
      answer(call('read_file', { file_path: inHome('GEMINI.md') }, { id: '1' })),
      answer(call('write_file', { file_path: inHome('GEMINI.md'), content: 'Be kind.\n' }, { id: '2' })),
      answer(call('read_file', { file_path: inHome('secrets.json') }, { id: '3' })),
      answer(call('read_file', { file_path: inHome('oauth.md.json') }, { id: '4' })),
      say('done'),
    ]);
    const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
    const agent = await open(files, { generator, interactive: true, approvalMode: 'yolo' });
    const asked: string[] = [];
    const failed = new Map<string, unknown>();
    for await (const event of agent.session.prompt('go', new AbortController().signal)) {
      if (event.type === GeminiEventType.ToolCallResponse) failed.set(event.value.callId, event.value.errorType);
      if (event.type !== GeminiEventType.ToolCallConfirmation) continue;
      asked.push(event.value.request.callId);
      agent.session.respond(event.value.request.callId, 'proceed_once');
    }
    await agent.dispose();
    expect({
      asked,
      failed: ids.map((id) => failed.get(id)),
      text: await readFile(inHome('GEMINI.md'), 'utf8'),
    }).toEqual({
      asked: ['2'],
      failed: [undefined, undefined, 'path_not_in_workspace', 'path_not_in_workspace'],
      text: 'Be kind.\n',
    });
  });

  it('says in plan mode that files can be written for the plan only, and takes it back', async () => {
    await using files = await createWorkspace();
    const agent = await open(files, { approvalMode: 'plan', planSettings: { directory: 'plans' } });
    const saidOf = (name: string) => agent.tools.declarations().find((tool) => tool.name === name)?.description;
    const note = `Plan mode is on: this tool writes only plans, .md files in ${join(files.project, 'plans')}. `;
    const planned = ['write_file', 'replace', 'read_file'].map((name) => saidOf(name)?.startsWith(note));
    agent.policy.mode = 'default';
    const afterwards = saidOf('write_file')?.startsWith(note);
    await agent.dispose();
    expect({ planned, afterwards }).toEqual({ planned: [true, true, false], afterwards: false });
  });

  it('rejects a prompt after dispose, and sends nothing', async () => {
    await using files = await createWorkspace();
    await using model = await fakeModel([]);
    const agent = await open(files, { generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }) });
    await agent.dispose();
    const events: unknown[] = [];
    const run = async () => {
      for await (const event of agent.session.prompt('Hi', new AbortController().signal)) events.push(event);
    };
    await expect(run()).rejects.toThrow('This session is closed. Create another agent to send a prompt.');
    await expect(run()).rejects.toThrow('This session is closed.');
    expect([events, model.requests]).toEqual([[], []]);
  });

  it('does not start when a rule would not be in force', async () => {
    const homeFiles = { '.gemini/policies/mine.toml': '[[rule]]\ntoolName = 5\n' };
    await using files = await createWorkspace({ homeFiles });
    await expect(open(files)).rejects.toMatchObject({ name: 'PolicyFileError' });
  });
});
