/** A prompt of an editor: its content, what is shown of the answer, how it ends, and cancelling it at any moment. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { answer, call, fault, finish, gate, say, text, thought } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { lastParts, sharePrograms } from './scene.fixture.ts';
import type { SceneOptions } from './scene.fixture.ts';
import { variants } from '../house/variants.ts';

const openScene = sharePrograms();

const words = (value: string): ContentBlock => ({ type: 'text', text: value });

/** Sends the blocks and returns the parts the model received, without the context of the session. */
async function sent(blocks: (folder: string) => ContentBlock[], options: SceneOptions = {}) {
  await using scene = await openScene([say('ok')], options);
  const { editor, session, model, workspace } = scene;
  const result = await editor.prompt(session, blocks(workspace.project));
  expect(result.stopReason).toBe('end_turn');
  const text = JSON.stringify(
    lastParts(model).filter(({ text: said }) => !String(said).startsWith('<session_context>')),
  );
  const parts = JSON.parse(
    text.replaceAll(workspace.project, '<project>').replaceAll(workspace.root, '<root>'),
  ) as unknown[];
  return { parts, editor, permissions: editor.permissions, thoughts: editor.text('agent_thought_chunk') };
}

const FILES = { 'a b.txt': 'AAA', 'src/x.ts': 'let x;' };
const attached = (name: string, content: string) => [
  { text: '\n--- Content from referenced files ---' },
  { text: `\nContent from @${name}:\n` },
  { text: content },
  { text: '\n--- End of content ---' },
];

describe('the content of a prompt', () => {
  it('may be words in several blocks', { tags: 'wide' }, async () => {
    expect((await sent(() => [words('one '), words('two')])).parts).toEqual([{ text: 'one two' }]);
  });

  variants.each([
    ['image', { type: 'image', data: 'aGk=', mimeType: 'image/png' }],
    ['audio', { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }],
  ] as const)('may hold %s, beside a link too', async (_name, block) => {
    const { parts } = await sent(
      (folder) => [words('see '), { type: 'resource_link', name: 'x', uri: `file://${folder}/src/x.ts` }, block],
      { files: FILES },
    );
    const inlineData = { data: block.data, mimeType: block.mimeType };
    expect(parts).toEqual([{ text: 'see @src/x.ts' }, ...attached('src/x.ts', 'let x;'), { inlineData }]);
  });

  it('must be something a model can read', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('ok')]);
    const { editor, session, model } = scene;
    const invalid: [ContentBlock[], string][] = [
      [[], 'The prompt is empty.'],
      [[words(' ')], 'The prompt is empty.'],
      [[words('see'), { type: 'image', data: '<svg>', mimeType: 'image/png' }], 'Block 2 of the prompt (image)'],
      [[{ type: 'audio', data: '', mimeType: 'audio/wav' }], 'Block 1 of the prompt (audio)'],
      [[{ type: 'resource', resource: { uri: 'x:y', blob: '-' } }], 'Block 1 of the prompt (resource)'],
    ];
    for (const [blocks, sentence] of invalid) {
      const refused = expect.objectContaining({ code: -32_602, message: expect.stringContaining(sentence) });
      await expect(editor.prompt(session, blocks)).rejects.toEqual(refused);
    }
    expect(model.requests).toEqual([]);
    expect(await editor.prompt(session, 'go')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('may link a file with a space in its name', { tags: 'wide' }, async () => {
    const link = (folder: string): ContentBlock => ({
      type: 'resource_link',
      name: 'a b',
      uri: `file://${folder}/a%20b.txt#L1`,
    });
    const { parts } = await sent((folder) => [words('read'), link(folder), words('now')], { files: FILES });
    expect(parts).toEqual([{ text: 'read @a b.txt now' }, ...attached('a b.txt', 'AAA')]);
  });

  it('may link what is not a file, which stays a word', { tags: 'wide' }, async () => {
    const { parts } = await sent(() => [
      words('see '),
      { type: 'resource_link', name: 'w', uri: 'https://a.example/x' },
    ]);
    expect(parts).toEqual([{ text: 'see @https://a.example/x' }]);
  });

  it('may embed text and bytes', { tags: 'wide' }, async () => {
    const { parts, thoughts } = await sent(() => [
      words('see'),
      { type: 'resource', resource: { uri: 'file:///elsewhere/x.md', text: '# X', mimeType: 'text/markdown' } },
      { type: 'resource', resource: { uri: 'blob://1', blob: 'aGk=', mimeType: 'image/png' } },
    ]);
    expect(parts).toEqual([
      { text: 'see @/elsewhere/x.md @blob://1' },
      { text: '\n--- Content from referenced context ---' },
      { text: '\nContent from @/elsewhere/x.md:\n' },
      { text: '# X' },
      { text: '\nContent from @blob://1:\n' },
      { inlineData: { data: 'aGk=', mimeType: 'image/png' } },
      { text: '\n--- End of content ---' },
    ]);
    expect(thoughts).toBe('');
  });

  it('may name files as a user types them', { tags: 'wide' }, async () => {
    const { parts } = await sent(() => [words('look at @src/x.ts')], { files: FILES });
    expect(parts).toEqual([{ text: 'look at @src/x.ts' }, ...attached('src/x.ts', 'let x;')]);
  });

  variants.each([
    ['allowed', 'proceed_once', true],
    ['denied', 'cancel', false],
  ] as const)('may link a file outside the workspace, which is asked about: %s', async (_name, optionId, isRead) => {
    const { parts, permissions } = await sent(
      (folder) => [words('see '), { type: 'resource_link', name: 's', uri: `file://${join(folder, '..', 's.txt')}` }],
      { files: { '../s.txt': 'SECRET' }, onPermission: () => optionId },
    );
    expect(permissions[0]).toMatchObject({ options: [{ name: 'Allow once' }, { name: 'Deny' }] });
    expect(JSON.stringify(parts).includes('SECRET')).toBe(isRead);
  });

  it('may be a command that needs a terminal, which is said', { tags: 'wide' }, async () => {
    await using scene = await openScene([]);
    await scene.editor.prompt(scene.session, '/clear');
    await scene.editor.prompt(scene.session, '/theme');
    expect(scene.editor.text()).toContain('/clear needs a terminal. Open a new session in your editor instead.');
    expect(scene.editor.text()).toContain('/theme needs a terminal. Start castor in a terminal to use it.');
  });

  it('may be a command of ours, answered without a model', async () => {
    await using scene = await openScene([]);
    const result = await scene.editor.prompt(scene.session, '/about');
    expect(result).toMatchObject({ stopReason: 'end_turn', _meta: { quota: { token_count: { input_tokens: 0 } } } });
    expect(scene.editor.text()).toContain('Castor');
  });

  it('may be a command of the user’s own', { tags: 'wide' }, async () => {
    const homeFiles = { '.gemini/commands/greet.toml': 'prompt = "Greet {{args}}."' };
    expect((await sent(() => [words('/greet Ada')], { homeFiles })).parts).toEqual([{ text: 'Greet Ada.' }]);
  });

  it('may be a command that runs a shell command, which is asked about', async () => {
    const homeFiles = { '.gemini/commands/now.toml': 'prompt = "It is !{touch made && echo late}."' };
    const { parts, permissions } = await sent(() => [words('/now')], { homeFiles });
    expect(permissions[0]!.toolCall.content).toMatchObject([
      { content: { text: expect.stringContaining('touch made') } },
    ]);
    expect(parts).toEqual([{ text: 'It is late.' }]);
  });

  it('may begin like a command that does not exist, which is for the model', { tags: 'wide' }, async () => {
    expect((await sent(() => [words('/nonsense')])).parts).toEqual([{ text: '/nonsense' }]);
  });
});

describe('commands', () => {
  it('are announced with their arguments, the user’s own too', async () => {
    const homeFiles = { '.gemini/commands/greet.toml': 'description = "Greets"\nprompt = "Greet {{args}}."' };
    await using scene = await openScene([], { homeFiles });
    await scene.editor.until(() => scene.editor.of('available_commands_update').length > 0);
    const { availableCommands } = scene.editor.of('available_commands_update')[0]!;
    const names = availableCommands.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['about', 'help', 'init', 'memory', 'greet']));
    expect(names).not.toContain('quit');
    expect(availableCommands.find(({ name }) => name === 'memory')).toMatchObject({
      input: { hint: 'show | list | reload' },
    });
  });
});

describe('the answer', () => {
  it('is shown as it arrives, with its thoughts, its tokens and its cost', async () => {
    await using scene = await openScene([answer(thought('**Plan** think first'), text('Hel'), text('lo'))]);
    const { editor, session } = scene;
    const result = await editor.prompt(session, 'hi');
    expect(editor.text()).toBe('Hello');
    expect(editor.text('agent_thought_chunk')).toBe('**Plan**\nthink first');
    expect(new Set(editor.of('agent_message_chunk').map(({ messageId }) => messageId)).size).toBe(1);
    expect(editor.of('usage_update')).toMatchObject([{ used: 15, size: 1_048_576, cost: { currency: 'USD' } }]);
    const count = { input_tokens: 10, output_tokens: 5 };
    expect(result).toEqual({
      stopReason: 'end_turn',
      _meta: { quota: { token_count: count, model_usage: [{ model: expect.any(String), token_count: count }] } },
    });
  });

  it('counts the tokens of each prompt by itself', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('one'), say('two')]);
    await scene.editor.prompt(scene.session, 'a');
    const { _meta } = await scene.editor.prompt(scene.session, 'b');
    expect(_meta).toMatchObject({ quota: { token_count: { input_tokens: 10, output_tokens: 5 } } });
  });

  it('tells of a retry, as a thought or as a notice where the editor shows those', { tags: 'wide' }, async () => {
    const script = () => [fault(503, { retryAfter: 0.01 }), say('late')];
    await using scene = await openScene(script());
    await scene.editor.prompt(scene.session, 'hi');
    expect(scene.editor.text()).toBe('late');
    expect(scene.editor.text('agent_thought_chunk')).toMatch(/attempt 1 of \d+ failed/);
    await using other = await openScene(script(), { capabilities: { session: { notices: {} } } });
    await other.editor.prompt(other.session, 'hi');
    expect(other.editor.of('notice')).toMatchObject([
      { severity: 'warning', title: expect.stringContaining('attempt 1') },
    ]);
    expect(other.editor.text('agent_thought_chunk')).toBe('');
  });

  it('shows todos as a plan', { tags: 'wide' }, async () => {
    const todos = [
      { description: 'one', status: 'completed' },
      { description: 'two', status: 'in_progress' },
      { description: 'three', status: 'pending' },
    ];
    await using scene = await openScene([call('write_todos', { todos }), say('ok')], {
      args: ['--model', 'gemini-3-pro-preview'],
    });
    await scene.editor.prompt(scene.session, 'plan');
    expect(scene.editor.of('plan')).toEqual([
      {
        sessionUpdate: 'plan',
        entries: todos.map(({ description, status }) => ({ content: description, status, priority: 'medium' })),
      },
    ]);
  });
});

describe('the end of a prompt', () => {
  variants.each([
    ['the limit of turns', { args: ['--max-turns', '1'] }, 'max_turn_requests'],
    ['the limit of tokens', { args: ['--max-tokens', '12'] }, 'max_tokens'],
  ] as const)('names %s', async (_name, options, stopReason) => {
    await using scene = await openScene([call('list_directory', { dir_path: '.' }), say('x')], options);
    expect(await scene.editor.prompt(scene.session, 'go')).toMatchObject({ stopReason });
  });

  it('says why the model stopped early, and warns', { tags: 'wide' }, async () => {
    const cut = ['MAX_TOKENS', 'SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'OTHER'];
    const script = [
      ...cut.map((reason) => answer(text('half'), finish(reason))),
      fault('prompt_blocked'),
      say('whole'),
    ];
    await using scene = await openScene(script);
    const reasons: string[] = [];
    for (let index = 0; index < script.length; index += 1)
      reasons.push((await scene.editor.prompt(scene.session, 'go')).stopReason);
    expect(reasons).toEqual(['max_tokens', 'refusal', 'refusal', 'refusal', 'end_turn', 'refusal', 'end_turn']);
    for (const reason of cut) expect(scene.editor.text('agent_thought_chunk')).toContain(reason);
  });

  it('is an error with the status of the service', async () => {
    await using scene = await openScene([fault(400, { message: 'no good' })]);
    await expect(scene.editor.prompt(scene.session, 'go')).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('no good'),
    });
  });

  it('asks for a login where the service rejects the key, not for another refusal, and the session lives on', async () => {
    const regional = fault(403, { message: 'This region is not served.' });
    await using scene = await openScene([fault(401), regional, say('better')]);
    await expect(scene.editor.prompt(scene.session, 'go')).rejects.toMatchObject({ code: -32_000 });
    await expect(scene.editor.prompt(scene.session, 'go')).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('This region is not served.'),
    });
    expect(await scene.editor.prompt(scene.session, 'again')).toMatchObject({ stopReason: 'end_turn' });
    expect(scene.editor.text()).toBe('better');
  });

  it('is that of a hook', { tags: 'wide' }, async () => {
    const command = `echo '{"decision":"deny","reason":"not today"}'`;
    const settings = { hooks: { BeforeAgent: [{ hooks: [{ type: 'command', command }] }] } };
    await using scene = await openScene([], { settings });
    expect(await scene.editor.prompt(scene.session, 'go')).toMatchObject({ stopReason: 'end_turn' });
    expect(scene.editor.text('agent_thought_chunk')).toContain('not today');
  });
});

describe('cancelling', () => {
  it('ends an answer that is under way, and the next prompt works', async () => {
    const held = gate();
    await using scene = await openScene([answer(text('half'), held), say('whole')]);
    const { editor, session } = scene;
    const prompt = editor.prompt(session, 'go');
    await editor.until(() => editor.text() === 'half');
    await editor.notify('session/cancel', { sessionId: session });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(await editor.prompt(session, 'again')).toMatchObject({ stopReason: 'end_turn' });
    expect(editor.text()).toBe('halfwhole');
  });

  it('ends a running command', async () => {
    await using scene = await openScene([call('run_shell_command', { command: 'sleep 1000' })], { args: ['--yolo'] });
    const { editor, session } = scene;
    const prompt = editor.prompt(session, 'go');
    await editor.until(() => editor.calls().some(({ statuses }) => statuses.includes('in_progress')));
    await editor.notify('session/cancel', { sessionId: session });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(editor.calls()).toMatchObject([{ statuses: ['pending', 'in_progress', 'failed'] }]);
    // A command of the user's own.
    const typed = editor.prompt(session, '!touch begun; sleep 1000');
    while (!existsSync(join(scene.workspace.project, 'begun'))) await new Promise((resolve) => setImmediate(resolve));
    await editor.notify('session/cancel', { sessionId: session });
    expect(await typed).toEqual({ stopReason: 'cancelled' });
  });

  it('ends a question that is never answered', { tags: 'wide' }, async () => {
    const onPermission = (_request: unknown, signal: AbortSignal) =>
      new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    await using scene = await openScene([call('run_shell_command', { command: 'touch x' })], { onPermission });
    const { editor, session } = scene;
    const prompt = editor.prompt(session, 'go');
    await editor.until(() => editor.permissions.length === 1);
    await editor.notify('session/cancel', { sessionId: session });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(editor.calls()).toMatchObject([{ statuses: ['pending', 'failed'] }]);
  });

  it('right after the prompt keeps it from the model', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('x')]);
    const { editor, session } = scene;
    const prompt = editor.prompt(session, 'go');
    await editor.notify('session/cancel', { sessionId: session });
    expect(['cancelled', 'end_turn']).toContain((await prompt).stopReason);
    await editor.notify('session/cancel', { sessionId: session });
    await editor.notify('session/cancel', { sessionId: 'unknown' });
    expect(await editor.request('session/list', {})).toBeDefined();
  });

  it('works as a request, too, which the protocol does not ask for', { tags: 'wide' }, async () => {
    const held = gate();
    await using scene = await openScene([answer(text('half'), held)]);
    const { editor, session } = scene;
    const prompt = editor.prompt(session, 'go');
    await held.reached;
    expect(await editor.request('session/cancel', { sessionId: session })).toEqual({});
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    await expect(editor.request('session/cancel', { sessionId: 'x' })).rejects.toMatchObject({ code: -32_602 });
    await expect(editor.request('session/cancel', {})).rejects.toMatchObject({ code: -32_602 });
  });

  it('by a request to cancel the request', { tags: 'wide' }, async () => {
    const held = gate();
    await using scene = await openScene([answer(text('half'), held)]);
    const { editor, session } = scene;
    const controller = new AbortController();
    const prompt = editor.request(
      'session/prompt',
      { sessionId: session, prompt: [words('go')] },
      { cancellationSignal: controller.signal },
    );
    await held.reached;
    controller.abort();
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
  });

  it('by a second prompt, which then runs', { tags: 'wide' }, async () => {
    const held = gate();
    await using scene = await openScene([answer(text('one'), held), say('two')]);
    const { editor, session, model } = scene;
    const first = editor.prompt(session, 'first');
    await held.reached;
    const second = editor.prompt(session, 'second');
    expect(await first).toEqual({ stopReason: 'cancelled' });
    expect(await second).toMatchObject({ stopReason: 'end_turn' });
    expect(lastParts(model)).toContainEqual({ text: 'second' });
  });
});
