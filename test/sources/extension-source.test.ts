import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { computeSources, createGeminiGenerator, createWorkspaceAgent } from '@castor/core';
import type { Source } from '@castor/core';
import { answer, call, createWorkspace, fakeModel, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openCommands } from '../../packages/cli/src/slash/index.ts';
import { loadCustomThemes } from '../../packages/cli/src/tui/theme/source-themes.ts';
import { chooseTheme } from '../../packages/cli/src/tui/theme/theme.ts';

const HOOK = { type: 'command', command: 'touch "$GEMINI_PROJECT_DIR/hooked"' };
const RULE =
  '[[rule]]\ntoolName = "read_file"\nargsPattern = "a.txt"\ndecision = "deny"\npriority = 1\ndenyMessage = "the cloud forbids it"\n';
const THEME = { name: 'Sky', type: 'custom', text: { primary: '#0000ff' } };

/** Everything an extension can bring, in the folder `cloud`. */
const EXTENSION = {
  'cloud/commands/deploy.toml': 'prompt = "Deploy it."',
  'cloud/GEMINI.md': 'Deploy on Mondays.',
  'cloud/AGENTS.md': 'Not asked for.',
  'cloud/hooks/hooks.json': JSON.stringify({ hooks: { BeforeAgent: [{ hooks: [HOOK] }] } }),
  'cloud/policies/guard.toml': RULE,
  'cloud/gemini-extension.json': JSON.stringify({ name: 'cloud', version: '1.0.0', themes: [THEME] }),
};

/** What reaches the model, the disk and the user of a session whose list of sources has one more element. */
async function openWith(trusted: boolean, files: Record<string, string> = EXTENSION) {
  await using workspace = await createWorkspace({ files: { 'a.txt': 'text of a' }, homeFiles: files });
  await using model = await fakeModel([answer(call('read_file', { file_path: 'a.txt' }, { id: '1' })), say('done')]);
  const { home, project: root } = workspace;
  const added: Source = {
    kind: 'extension',
    name: 'cloud',
    directory: join(home, 'cloud'),
    trusted,
    contextFileNames: ['GEMINI.md'],
  };
  const warnings: string[] = [];
  const agent = await createWorkspaceAgent({
    generator: createGeminiGenerator({ baseUrl: model.url, apiKey: 'key' }),
    model: 'gemini-2.5-flash',
    sessionId: 'session',
    root,
    home,
    environment: { PATH: process.env['PATH'], HOME: home },
    approvalMode: 'yolo',
    sources: [...computeSources({ home, root, trustedFolder: true, platform: 'linux' }), added],
  });
  try {
    for await (const event of agent.session.prompt([{ text: 'hello' }], new AbortController().signal)) {
      if (event.type === 'notice') warnings.push(event.message.replaceAll(home, '~'));
    }
    const [first, second] = model.requests.map(({ body }) => JSON.stringify(body));
    const { customThemes, problems } = loadCustomThemes({}, agent.sources);
    const commands = await openCommands(agent.sources);
    return {
      command: commands.find('/deploy')?.path,
      context: /<extension_context>.*<\/extension_context>/.exec(first ?? '')?.[0],
      hook: existsSync(join(root, 'hooked')),
      policy: second?.includes('the cloud forbids it'),
      theme: chooseTheme({ name: 'sky (cloud)', customThemes }).theme.text.primary,
      messages: [...warnings, ...commands.notices, ...problems.map((problem) => problem.replaceAll(home, '~'))],
    };
  } finally {
    await agent.dispose();
  }
}

describe('an extension that is one more source', () => {
  it('brings its command, context file, hook, policy and theme', async () => {
    const name = '~/cloud/GEMINI.md';
    const text = `--- Context from: ${name} ---\\nDeploy on Mondays.\\n--- End of Context from: ${name} ---`;
    expect(await openWith(true)).toEqual({
      command: 'deploy',
      context: `<extension_context>\\n${text}\\n</extension_context>`,
      hook: true,
      policy: true,
      theme: '#0000ff',
      messages: [],
    });
  });

  it('brings nothing when it is not trusted', async () => {
    expect(await openWith(false)).toMatchObject({
      command: undefined,
      context: undefined,
      hook: false,
      policy: false,
      theme: '',
      messages: [],
    });
  });

  it('is named, file and all, for what is invalid, and the session goes on', async () => {
    const opened = await openWith(true, {
      'cloud/commands/deploy.toml': 'prompt = 5',
      'cloud/hooks/hooks.json': '{"hooks": {\n  "BeforeAgent" [',
      'cloud/gemini-extension.json': '{"themes": [{"type": "custom"}]}',
    });
    expect(opened.messages).toEqual([
      expect.stringMatching(/^~\/cloud\/hooks\/hooks\.json:2:.*Castor runs none of its hooks\.$/s),
      expect.stringMatching(/cloud\/commands\/deploy\.toml: the command was skipped: /),
      '~/cloud/gemini-extension.json: a theme was skipped: it needs a "name".',
    ]);
  });
});

describe('commands of one name', () => {
  const own = (name: string) => ({ [`.gemini/commands/${name}.toml`]: 'prompt = "u"' });
  const of = (extension: string, name: string) => ({ [`${extension}/commands/${name}.toml`]: 'prompt = "e"' });

  it.each<[string, Record<string, string>, string[], string[]]>([
    [
      'of the user and an extension: the user keeps the name',
      { ...own('x'), ...of('a', 'x') },
      ['x', 'user.x', 'a:x'],
      [
        '~/.gemini/commands/x.toml is /user.x, because /x exists twice.',
        '~/a/commands/x.toml is /a:x, because /x exists twice.',
      ],
    ],
    [
      'of two extensions: neither has the name',
      { ...of('a', 'x'), ...of('b', 'x') },
      ['a:x', 'b:x'],
      [
        '~/a/commands/x.toml is /a:x, because /x exists twice.',
        '~/b/commands/x.toml is /b:x, because /x exists twice.',
      ],
    ],
    [
      'of all three',
      { ...own('x'), ...of('a', 'x'), ...of('b', 'x') },
      ['x', 'user.x', 'a:x', 'b:x'],
      [
        '~/.gemini/commands/x.toml is /user.x, because /x exists 3 times.',
        '~/a/commands/x.toml is /a:x, because /x exists 3 times.',
        '~/b/commands/x.toml is /b:x, because /x exists 3 times.',
      ],
    ],
    [
      'of an extension and Castor',
      of('a', 'help'),
      ['a:help'],
      ['~/a/commands/help.toml is /a:help, because /help is built in.'],
    ],
  ])('%s', async (_, homeFiles, names, notices) => {
    await using workspace = await createWorkspace({ homeFiles });
    const { home, project: root } = workspace;
    const extensions = ['a', 'b'].map((name): Source => ({
      kind: 'extension',
      name,
      directory: join(home, name),
      trusted: true,
    }));
    const sources = [...computeSources({ home, root, trustedFolder: true, platform: 'linux' }), ...extensions];
    const commands = await openCommands(sources);
    expect(commands.all.filter(({ source }) => source !== 'builtin').map(({ name }) => name)).toEqual(names);
    expect(commands.notices.map((notice) => notice.replaceAll(home, '~'))).toEqual(notices);
  });
});
