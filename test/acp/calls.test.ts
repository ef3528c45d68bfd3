/** Calls in an editor: every call from pending to its end, and the questions before it with all their answers. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answer, call, mcp, mcpStdioCommand, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { lastParts, sharePrograms } from './scene.fixture.ts';
import type { SceneOptions } from './scene.fixture.ts';
import { variants } from '../house/variants.ts';

const openScene = sharePrograms();

const WRITE = () => [call('write_file', { file_path: 'a.txt', content: 'new\n' }, { id: 'c1' }), say('ok')];
const RUN = (command = 'touch made') => [call('run_shell_command', { command }, { id: 'c1' }), say('ok')];
const ids = (options: readonly { optionId: string }[]) => options.map(({ optionId }) => optionId);

describe('a call', () => {
  variants.each<[string, string, Record<string, unknown>, string, string]>([
    ['reads', 'read_file', { file_path: 'a.txt' }, 'read', 'Read a.txt'],
    ['lists', 'list_directory', { dir_path: '.' }, 'search', 'List .'],
    ['searches', 'grep_search', { pattern: 'old' }, 'search', 'Search "old"'],
    ['runs', 'run_shell_command', { command: 'echo hi' }, 'execute', 'echo hi'],
  ])('that %s goes from pending to completed, with title, kind and input', async (_name, tool, args, kind, title) => {
    await using scene = await openScene([call(tool, args, { id: 'c1' }), say('ok')], {
      files: { 'a.txt': 'old\n' },
      args: ['--yolo'],
    });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.calls()).toMatchObject([
      {
        toolCallId: 'c1',
        statuses: ['pending', 'in_progress', 'completed'],
        kind,
        title,
        rawInput: args,
      },
    ]);
  });

  it('that edits shows where and what', async () => {
    const args = { file_path: 'a.txt', old_string: 'old', new_string: 'new', instruction: 'x' };
    await using scene = await openScene([call('replace', args), say('ok')], { files: { 'a.txt': 'old\r\n' } });
    const { editor, session, workspace } = scene;
    await editor.prompt(session, 'go');
    const path = join(workspace.project, 'a.txt');
    const diff = { type: 'diff', path, oldText: 'old\r\n', newText: 'new\r\n', _meta: { kind: 'modify' } };
    // Some editors show no more of a question than it holds itself.
    expect(editor.permissions).toMatchObject([
      { toolCall: { content: [diff], title: 'Edit a.txt', kind: 'edit', rawInput: args } },
    ]);
    expect(editor.calls()).toMatchObject([
      { kind: 'edit', locations: [{ path }], content: [diff], statuses: ['pending', 'in_progress', 'completed'] },
    ]);
  });

  it('that creates a file shows it as added', { tags: 'wide' }, async () => {
    await using scene = await openScene(WRITE(), { args: ['--yolo'] });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.calls()).toMatchObject([
      { title: 'Write a.txt', content: [{ type: 'diff', oldText: null, newText: 'new\n', _meta: { kind: 'add' } }] },
    ]);
  });

  it('that runs shows its output while it runs', async () => {
    await using scene = await openScene(RUN('echo begun; read x < wait; echo over'), { args: ['--yolo'] });
    const { editor, session, workspace } = scene;
    execFileSync('mkfifo', [join(workspace.project, 'wait')]);
    const prompt = editor.prompt(session, 'go');
    await editor.until(() => JSON.stringify(editor.calls()[0]?.content ?? '').includes('begun'));
    expect(editor.calls()[0]!.statuses).toEqual(['pending', 'in_progress']);
    await workspace.write('wait', 'x\n');
    await prompt;
    expect(JSON.stringify(editor.calls()[0]!.content)).toContain('over');
  });

  variants.each<[string, string, Record<string, unknown>, SceneOptions, string]>([
    ['of an unknown tool', 'nope', {}, {}, 'not found'],
    ['with wrong arguments', 'read_file', {}, {}, 'file_path'],
    ['of a missing file', 'read_file', { file_path: 'missing' }, {}, 'not found'],
    [
      'that a policy denies',
      'run_shell_command',
      { command: 'touch x' },
      {
        homeFiles: {
          '.gemini/policies/no.toml': '[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\npriority = 100\n',
        },
      },
      'run_shell_command',
    ],
    [
      'that a hook denies',
      'list_directory',
      { dir_path: '.' },
      {
        settings: {
          hooks: {
            BeforeTool: [
              { hooks: [{ type: 'command', command: `echo '{"decision":"deny","reason":"hook said no"}'` }] },
            ],
          },
        },
      },
      'hook said no',
    ],
  ])('%s fails with the reason', async (_name, tool, args, options, reason) => {
    await using scene = await openScene([call(tool, args), say('ok')], options);
    await scene.editor.prompt(scene.session, 'go');
    const [shown] = scene.editor.calls();
    expect(shown!.statuses.at(0)).toBe('pending');
    expect(shown!.statuses.at(-1)).toBe('failed');
    expect(JSON.stringify(shown!.content)).toContain(reason);
  });

  it('beside another is told apart', { tags: 'wide' }, async () => {
    const two = answer(call('read_file', { file_path: 'a.txt' }), call('read_file', { file_path: 'b.txt' }));
    await using scene = await openScene([two, say('ok')], { files: { 'a.txt': 'A', 'b.txt': 'B' } });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.calls().map(({ title }) => title)).toEqual(['Read a.txt', 'Read b.txt']);
  });
});

describe('the question before a call', () => {
  const MCP_SERVER = { tools: [{ name: 'echo', result: mcp.result(mcp.text('echoed')) }] };
  const always = { security: { enablePermanentToolApproval: true } };

  variants.each<[string, () => ReturnType<typeof WRITE>, string[]]>([
    ['an edit', WRITE, ['proceed_always', 'proceed_always_and_save', 'proceed_once', 'cancel']],
    ['a command', RUN, ['proceed_always', 'proceed_always_and_save', 'proceed_once', 'cancel']],
    [
      'a page',
      () => [call('web_fetch', { prompt: 'see https://a.example/' }), say('ok')],
      ['proceed_always', 'proceed_always_and_save', 'proceed_once', 'cancel'],
    ],
  ])('offers all answers to %s, and comes after its tool_call', async (_name, script, expected) => {
    await using scene = await openScene(script(), { settings: always, onPermission: () => 'cancel' });
    const { editor, session } = scene;
    await editor.prompt(session, 'go');
    const [question] = editor.permissions;
    expect(ids(question!.options)).toEqual(expected);
    expect(question!.options.map(({ kind }) => kind).slice(-2)).toEqual(['allow_once', 'reject_once']);
    expect(editor.calls()).toMatchObject([
      { toolCallId: question!.toolCall.toolCallId, statuses: ['pending', 'failed'] },
    ]);
  });

  it(
    'offers no lasting answer where the settings forbid it, and none that is saved by default',
    { tags: 'wide' },
    async () => {
      await using strict = await openScene(RUN(), { settings: { security: { disableAlwaysAllow: true } } });
      await strict.editor.prompt(strict.session, 'go');
      expect(ids(strict.editor.permissions[0]!.options)).toEqual(['proceed_once', 'cancel']);
      await using plain = await openScene(RUN());
      await plain.editor.prompt(plain.session, 'go');
      expect(ids(plain.editor.permissions[0]!.options)).toEqual(['proceed_always', 'proceed_once', 'cancel']);
    },
  );

  it('is not repeated after a lasting answer', { tags: 'wide' }, async () => {
    const script = [
      call('run_shell_command', { command: 'touch a' }),
      call('run_shell_command', { command: 'touch b' }),
      say('ok'),
    ];
    await using scene = await openScene(script, { onPermission: () => 'proceed_always' });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.permissions).toHaveLength(1);
    expect(existsSync(join(scene.workspace.project, 'b'))).toBe(true);
  });

  variants.each([
    ['rejected', 'cancel'],
    ['dismissed', undefined],
    ['answered with an unknown option', 'nonsense'],
  ])('that is %s keeps the call from running, and the editor is told', async (_name, optionId) => {
    await using scene = await openScene(RUN(), { onPermission: () => optionId });
    const { editor, session, workspace } = scene;
    await editor.prompt(session, 'go');
    expect(existsSync(join(workspace.project, 'made'))).toBe(false);
    expect(editor.calls()).toMatchObject([{ statuses: ['pending', 'failed'] }]);
    // The model learns of it and goes on.
    expect(editor.text()).toBe('ok');
  });

  it('spells out what is hidden in a command', { tags: 'wide' }, async () => {
    await using scene = await openScene(RUN('echo a\u200bb'), { onPermission: () => 'cancel' });
    await scene.editor.prompt(scene.session, 'go');
    expect(JSON.stringify(scene.editor.permissions[0]!.toolCall.content)).toContain(String.raw`a\\u{200b}b`);
  });

  it('about a tool of an MCP server names both, and lasts for either', { tags: 'wide' }, async () => {
    await using server = await mcpStdioCommand(MCP_SERVER);
    const script = [call('mcp_one_echo', {}), call('mcp_one_echo', {}), say('ok')];
    await using scene = await openScene(script, {
      settings: { mcpServers: { one: server.entry } },
      onPermission: () => 'proceed_always_server',
    });
    await scene.editor.prompt(scene.session, 'go');
    expect(ids(scene.editor.permissions[0]!.options)).toEqual([
      'proceed_always_server',
      'proceed_always_tool',
      'proceed_once',
      'cancel',
    ]);
    expect(JSON.stringify(scene.editor.permissions[0]!.toolCall.content)).toContain('Server one, tool echo');
    expect(scene.editor.permissions).toHaveLength(1);
    expect(scene.editor.calls()).toMatchObject([
      { statuses: ['pending', 'in_progress', 'completed'] },
      { statuses: ['pending', 'in_progress', 'completed'] },
    ]);
  });

  it('of a sub-agent reaches the user, and its calls are shown', { tags: 'wide' }, async () => {
    const files = { '.gemini/agents/helper.md': '---\nname: helper\ndescription: Helps.\n---\nYou help.\n' };
    const script = [
      call('invoke_agent', { agent_name: 'helper', prompt: 'make it' }, { id: 'p1' }),
      call('run_shell_command', { command: 'touch made' }, { id: 'c1' }),
      call('complete_task', { result: 'made it' }),
      say('all done'),
    ];
    await using scene = await openScene(script, { files, args: ['--acknowledge-agents'] });
    const { editor, session, workspace } = scene;
    expect(await editor.prompt(session, 'go')).toMatchObject({ stopReason: 'end_turn' });
    expect(existsSync(join(workspace.project, 'made'))).toBe(true);
    const question = editor.permissions.find(({ toolCall }) => toolCall.toolCallId === 'p1/c1');
    expect(JSON.stringify(question!.toolCall.content)).toContain('The sub-agent helper asks.');
    expect(editor.calls().find(({ toolCallId }) => toolCallId === 'p1/c1')).toMatchObject({
      statuses: ['pending', 'in_progress', 'completed'],
      title: 'touch made',
    });
    expect(editor.calls().find(({ toolCallId }) => toolCallId === 'p1')).toMatchObject({ kind: 'think' });
  });

  variants.each([
    ['proceed_once', 'default'],
    ['proceed_always', 'autoEdit'],
    ['cancel', 'plan'],
  ])('about a plan decides the mode: %s', async (optionId, mode) => {
    const script = [
      call('write_file', { file_path: 'plans/p.md', content: '# Plan\n' }),
      call('exit_plan_mode', { plan_filename: 'p.md' }),
      say('ok'),
    ];
    await using scene = await openScene(script, {
      settings: { general: { plan: { directory: 'plans' } } },
      args: ['--approval-mode', 'plan'],
      onPermission: ({ options }) => (options.some(({ optionId: id }) => id === optionId) ? optionId : 'proceed_once'),
    });
    const { editor, session } = scene;
    await editor.prompt(session, 'plan');
    const asked = editor.permissions.at(-1)!;
    expect(ids(asked.options)).toEqual(['proceed_once', 'proceed_always', 'cancel']);
    expect(JSON.stringify(asked.toolCall.content)).toContain('# Plan');
    expect(editor.of('current_mode_update').at(-1)?.currentModeId ?? 'plan').toBe(mode);
  });
});

it(
  'a question that the editor answers with anything else is dismissed: nothing hangs, nothing is allowed',
  { tags: 'wide' },
  async () => {
    const odd: (object | string)[] = [
      { foo: 1 },
      { outcome: null },
      { outcome: { outcome: 'selected' } },
      { outcome: { outcome: 'selected', optionId: 7 } },
      { outcome: { outcome: 'granted', optionId: 'proceed_once' } },
      { outcome: 'proceed_once' },
      'proceed_always_and_save',
      'error',
    ];
    let at = 0;
    const script = odd.flatMap(() => [call('run_shell_command', { command: 'touch made' }), say('ok')]);
    await using scene = await openScene(script, {
      files: { '../secret.txt': 'SECRET' },
      onPermission: () => {
        if (odd[at] === 'error') throw new Error('The editor broke.');
        return odd[at];
      },
    });
    const { editor, session, workspace, model } = scene;
    for (; at < odd.length; at += 1) {
      const uri = pathToFileURL(join(workspace.root, 'secret.txt')).href;
      const link = { type: 'resource_link', uri, name: 'secret' } as const;
      expect(await editor.prompt(session, [{ type: 'text', text: 'see ' }, link])).toMatchObject({
        stopReason: 'end_turn',
      });
    }
    // One about the access to the file, one about the command.
    expect(editor.permissions).toHaveLength(2 * odd.length);
    expect(existsSync(join(workspace.project, 'made'))).toBe(false);
    expect(JSON.stringify(model.requests)).not.toContain('SECRET');
    expect(editor.calls().map(({ statuses }) => statuses.at(-1))).toEqual(odd.flatMap(() => ['failed', 'failed']));
    // The model is not told that the user said so.
    const told = JSON.stringify(model.requests.at(-1)!.body.contents);
    expect(told).toContain('The call was not allowed. The editor could not ask the user: The editor broke.');
    expect(told).toContain('The call was not allowed. The editor answered the question with an unknown option');
    expect(told).not.toContain('The user said');
  },
);

describe('a question of the model', () => {
  const question = (more: object) => [
    call('ask_user', {
      questions: [
        {
          question: 'Which?',
          header: 'Pick',
          type: 'choice',
          options: [
            { label: 'Red', description: 'r' },
            { label: 'Blue', description: 'b' },
          ],
          ...more,
        },
      ],
    }),
    say('ok'),
  ];

  it('is a choice in every editor', async () => {
    await using scene = await openScene(question({}), { onPermission: ({ options }) => options[1]!.optionId });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.permissions[0]!.options.map(({ name }) => name)).toEqual(['Red', 'Blue', 'Reject']);
    expect(JSON.stringify(lastParts(scene.model))).toContain('Blue');
  });

  it('is one of several choices, asked one after the other', { tags: 'wide' }, async () => {
    const options = ['Red', 'Blue', 'Green'].map((label) => ({ label, description: `${label}ish` }));
    const questions = [
      { question: 'Which?', header: 'Pick', type: 'choice', options },
      { question: 'Sure?', header: 'Sure', type: 'yesno' },
      { question: 'Which others?', header: 'More', type: 'choice', multiSelect: true, options },
      { question: 'Why?', header: 'Why', type: 'text' },
    ];
    const answers = ['Blue', 'No', 'Red', 'Green', 'No more'];
    await using scene = await openScene([call('ask_user', { questions }), say('ok')], {
      onPermission: ({ options: offered }) => {
        const next = answers.shift();
        return offered.find(({ name }) => name === next)?.optionId;
      },
    });
    const { editor, session, model } = scene;
    await editor.prompt(session, 'go');
    expect(editor.permissions.map(({ toolCall }) => toolCall.title)).toEqual([
      'Which?',
      'Sure?',
      ...Array.from({ length: 3 }, () => 'Which others?'),
    ]);
    const told = JSON.stringify(lastParts(model)).replaceAll('\\', '');
    expect(told).toContain('"0":"Blue","1":"No","2":"Red, Green","3":"The user cannot be asked for text here.');
  });

  it('is dismissed as a whole when one choice is', { tags: 'wide' }, async () => {
    const questions = ['One?', 'Two?'].map((question) => ({ question, header: 'H', type: 'yesno' }));
    await using scene = await openScene([call('ask_user', { questions }), say('ok')], { onPermission: () => 'cancel' });
    expect(await scene.editor.prompt(scene.session, 'go')).toMatchObject({ stopReason: 'end_turn' });
    expect(scene.editor.permissions).toHaveLength(1);
    expect(JSON.stringify(lastParts(scene.model))).not.toContain('"answers"');
  });

  it('is a form where the editor has forms', async () => {
    const answers: object[] = [{ content: { answer_1: ['Red', 'Blue'] } }, { content: {} }, {}];
    const script = answers.flatMap(() => question({ multiSelect: true }));
    await using scene = await openScene(script, {
      capabilities: { elicitation: { form: {} } },
      onElicitation: () => ({ action: 'accept', ...answers.shift() }),
    });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.elicitations).toMatchObject([
      { mode: 'form', sessionId: scene.session, requestedSchema: { required: ['answer_1'] } },
    ]);
    expect(JSON.stringify(lastParts(scene.model))).toContain('Red, Blue');
    for (const _unfilled of [1, 2]) {
      await scene.editor.prompt(scene.session, 'go');
      expect(JSON.stringify(lastParts(scene.model))).toContain('left this question unanswered');
    }
  });

  it('ends, and the turn goes on, where the editor answers with an error', { tags: 'wide' }, async () => {
    const fail = (): never => {
      throw new Error('The editor broke.');
    };
    await using scene = await openScene(question({}), { onPermission: fail });
    expect(await scene.editor.prompt(scene.session, 'go')).toMatchObject({ stopReason: 'end_turn' });
    expect(scene.editor.calls()).toMatchObject([{ statuses: expect.arrayContaining(['failed']) }]);
  });

  it('for text is answered with a sentence where the editor has no forms', { tags: 'wide' }, async () => {
    await using scene = await openScene(question({ type: 'text' }));
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.permissions).toEqual([]);
    expect(JSON.stringify(lastParts(scene.model))).toContain('cannot be asked for text');
  });
});
