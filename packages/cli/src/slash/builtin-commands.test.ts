import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { computeSources } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import type { FixtureOptions } from '../surface/prompt.fixture.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import type { CommandResult, CommandServices } from './command.ts';
import { openCommands } from './index.ts';

/** As a person at a terminal would. */
async function type(text: string, options: FixtureOptions = {}): Promise<CommandResult> {
  await using fixture = await openPromptFixture({
    ...options,
    dependencies: { isAttended: true, hasScreen: true, ...options.dependencies },
  });
  const { home, project, context } = fixture;
  const commands = await openCommands(computeSources({ home, root: project, trustedFolder: true, platform: 'linux' }));
  const found = commands.find(text);
  if (!found?.command.run) throw new Error(`${text} is no command.`);
  return await found.command.run({ ...context, commands }, found.args);
}

async function answer(text: string, options: FixtureOptions = {}) {
  await using fixture = await openPromptFixture(options);
  return await readPrompt(text, fixture.context);
}

describe('commands with an answer', () => {
  it.each<[string, string | RegExp]>([
    ['/help', /^Commands:\n {2}\/about .*\n[^]*\/memory[^]*reload/],
    ['/about', /^Castor {6}1\.2\.3\nModel {7}gemini-2\.5-flash\nSession {5}session-1\nFolder .*\(trusted\)/],
    ['/compress', 'Nothing to compress.'],
    ['/memory show', /^about \d+ tokens in every request\n\n<loaded_context>[^]*Use tabs\./],
    ['/memory', /^1 context file, about \d+ tokens in every request:\n {2}project {8}9 bytes .*GEMINI\.md$/],
    ['/memory reload', /^Reloaded\. 1 context file/],
    ['/stats', /^Session {2}.* · 0 requests · \$0\n {2}calls {2}0\n {2}time {3}model[^]*\n {2}id {5}session-1$/],
    ['/stats model', 'No requests yet.'],
    ['/stats tools', 'No tool calls yet.'],
    ['/tools', /^Tools {2}\d+\n {2}ReadFolder +list_directory\n/],
    ['/tools desc', /ReadFile +read_file\n {4}Reads a file/],
    ['/directory', /^Workspace directories:\n {2}\/.*project$/],
    ['/policies list', /^Approval mode default; active rules:\n {2}1\. /],
    ['/policies list', /allow {5}\* of kind read, search, think +the built-in rules$/m],
    ['/hooks', 'No hooks are configured.'],
    ['/mcp', /^No MCP servers configured\. /],
    ['/mcp desc', /^No MCP servers configured\. /],
    ['/model', 'The model is gemini-2.5-flash.'],
    ['/docs', /docs folder/],
    ['/privacy', /Telemetry is off[^]*Castor stores sessions in \/.*tmp/],
    ['/bug it hangs', /\n {2}it hangs\n {2}Castor 1\.2\.3, Node v.*\n {2}Model gemini-2\.5-flash, session session-1\n/],
    ['/terminal-setup', /^Ctrl\+J/],
    ['/commands', 'No custom commands. Write one to ~/.gemini/commands/<name>.toml.'],
    ['/plan', 'Plan mode is on.'],
  ])('%s answers without a terminal', async (text, expected) => {
    const result = await answer(text, { files: { 'GEMINI.md': 'Use tabs.' } });
    const said = typeof expected === 'string' ? expected : expect.stringMatching(expected);
    expect(result).toEqual({ kind: 'answered', text: said, exitCode: 0 });
  });

  it.each([
    '/clear',
    '/settings',
    '/theme',
    '/vim',
    '/quit',
    '/copy',
    '/permissions trust',
    '/chat save x',
    '/chat debug',
    '/export-session',
    '/footer',
    '/hooks disable x',
    '/mcp disable x',
    '/mcp auth x',
  ])('%s is refused without a terminal, before it does anything', async (text) => {
    const result = await answer(text);
    expect(result).toEqual({ kind: 'error', message: expect.stringMatching(/^\/[a-z -]+ needs a terminal\. /) });
  });
});

describe('commands of Gemini CLI that are not there', () => {
  it.each(['/gemma', '/upgrade', '/voice'])('%s is said to be missing, and costs no request', async (text) => {
    const message = expect.stringMatching(/^Castor .*\. \/help lists the commands\.$/);
    expect(await answer(text)).toEqual({ kind: 'error', message });
  });

  it.each(['/upgrade or not', '/skills of a juggler', '/voices'])('%s is a sentence for the model', async (text) => {
    expect(await answer(text)).toMatchObject({ kind: 'prompt', displayText: text });
  });

  it('give way to a command of the person’s own', async () => {
    const result = await type('/voice', { homeFiles: { '.gemini/commands/voice.toml': 'prompt = "Mine"' } });
    expect(result).toMatchObject({ type: 'submit_prompt' });
  });
});

describe('commands at a terminal', () => {
  it.each<[string, CommandResult]>([
    ['/hooks disable guard', { type: 'message', messageType: 'info', content: 'disable guard' }],
    ['/hooks enable echo "a b"', { type: 'message', messageType: 'info', content: 'enable echo "a b"' }],
    ['/hooks disable-all', { type: 'message', messageType: 'info', content: 'disable all' }],
    ['/hooks panel', { type: 'message', messageType: 'info', content: 'a page' }],
    [
      '/hooks enable',
      { type: 'message', messageType: 'error', content: 'Missing name: /hooks enable <name>. /hooks lists the hooks.' },
    ],
    ['/hooks enable nobody', { type: 'message', messageType: 'error', content: 'There is no such hook.' }],
  ])('%s reaches what the surface offers', async (text, expected) => {
    const services: CommandServices = {
      describeHooks: async () => 'a page',
      async switchHooks(what, name) {
        if (name === 'nobody') throw new Error('There is no such hook.');
        return `${what} ${name ?? 'all'}`;
      },
    };
    expect(await type(text, { dependencies: { services } })).toEqual(expected);
  });

  it.each<[string, CommandResult]>([
    ['/clear', { type: 'new_session' }],
    ['/theme', { type: 'open_dialog', dialog: 'theme' }],
    ['/settings', { type: 'open_dialog', dialog: 'settings' }],
    ['/model', { type: 'open_dialog', dialog: 'model' }],
    ['/resume', { type: 'open_dialog', dialog: 'sessions' }],
    ['/vim', { type: 'toggle_vim' }],
    ['/exit --delete', { type: 'quit', deleteSession: true }],
    ['/quit', { type: 'quit', deleteSession: false }],
    ['/copy', { type: 'message', messageType: 'error', content: 'No answer to copy yet.' }],
    ['/plan copy', { type: 'message', messageType: 'error', content: 'No approved plan to copy yet.' }],
    ['/plan make it', { type: 'submit_prompt', parts: [{ text: 'make it' }] }],
    ['/chat save', { type: 'message', messageType: 'error', content: 'Missing name: /chat save <tag>' }],
    ['/chat list', { type: 'message', messageType: 'error', content: 'Saving conversations is not supported here.' }],
    ['/model set', { type: 'message', messageType: 'error', content: 'Missing name: /model set <name> [--persist]' }],
  ])('%s gives its result', async (text, expected) => {
    expect(await type(text)).toEqual(expected);
  });

  it('/copy gives the words of the last answer', async () => {
    const parts = [{ text: 'hm', thought: true }, { text: 'It is ' }, { text: 'done.' }];
    const history = [
      { role: 'user' as const, parts: [{ text: 'x' }] },
      { role: 'model' as const, parts },
    ];
    expect(await type('/copy', { agent: { history } })).toEqual({ type: 'copy_text', text: 'It is done.' });
  });

  it('/model set changes the model, and saves it when asked', async () => {
    const saved: unknown[] = [];
    const saveSetting = async (key: string, value: unknown) => void saved.push([key, value]);
    await using fixture = await openPromptFixture({ dependencies: { services: { saveSetting } } });
    const { home, project, context } = fixture;
    const commands = await openCommands(
      computeSources({ home, root: project, trustedFolder: true, platform: 'linux' }),
    );
    const found = commands.find('/model set gemini-3-pro-preview --persist')!;
    expect(await found.command.run!(context, found.args)).toEqual({
      type: 'message',
      messageType: 'info',
      content: 'The model is gemini-3-pro-preview, in later sessions too.',
    });
    expect([fixture.agent.requestedModel(), saved]).toEqual([
      'gemini-3-pro-preview',
      [['model.name', 'gemini-3-pro-preview']],
    ]);
  });

  it('/directory add lets the tools into more directories, and tells the model', async () => {
    await using fixture = await openPromptFixture({ homeFiles: { 'other/a.txt': 'A' } });
    const { home, project, context, agent } = fixture;
    const commands = await openCommands(
      computeSources({ home, root: project, trustedFolder: true, platform: 'linux' }),
    );
    const add = async (paths: string) => commands.find(`/directory add ${paths}`)!.command.run!(context, paths);
    expect(await add('~/other, nowhere')).toEqual({
      type: 'message',
      messageType: 'error',
      content: `${join(project, 'nowhere')} is not a directory.`,
    });
    expect(agent.workspace.directories).toEqual([project, join(home, 'other')]);
    expect(agent.chat.getHistory().at(-1)?.parts).toEqual([
      { text: expect.stringMatching(/^<session_context>\nThe user has added .*\n {2}- .*\/other\n/) },
    ]);
    expect(await add('')).toMatchObject({ messageType: 'error', content: expect.stringMatching(/^Missing directory/) });
  });

  it('/permissions trust writes the folder down', async () => {
    await using fixture = await openPromptFixture({ dependencies: { isAttended: true } });
    const { home, project, context } = fixture;
    const commands = await openCommands(
      computeSources({ home, root: project, trustedFolder: true, platform: 'linux' }),
    );
    const found = commands.find('/permissions trust sub')!;
    await found.command.run!(context, found.args);
    expect(JSON.parse(await readFile(context.trustedFoldersFile, 'utf8'))).toEqual({
      [join(project, 'sub')]: 'TRUST_FOLDER',
    });
  });

  it('/init makes an empty file and asks for its content, once', async () => {
    await using fixture = await openPromptFixture({});
    const first = await readPrompt('/init mind the tests', fixture.context);
    const second = await readPrompt('/init', fixture.context);
    expect(first).toMatchObject({
      kind: 'prompt',
      parts: [{ text: expect.stringMatching(/^Write GEMINI.md[^]*The user adds: mind the tests$/) }],
    });
    expect(await fixture.read('GEMINI.md')).toBe('');
    expect(second).toMatchObject({ kind: 'answered', text: expect.stringContaining('Nothing was changed') });
  });

  it('/memory reload shows the model what changed', async () => {
    await using fixture = await openPromptFixture({
      files: { 'GEMINI.md': 'old' },
      homeFiles: { '.gemini/GEMINI.md': 'mine' },
    });
    const { agent, context } = fixture;
    await fixture.write('GEMINI.md', 'new');
    await readPrompt('/memory reload', context);
    const [first, ...rest] = agent.chat.getHistory();
    expect(first?.parts?.[0]?.text).toMatch(/^<session_context>[^]*--- Context from: GEMINI\.md ---\nnew\n/);
    expect(rest).toEqual([]);
  });
});
