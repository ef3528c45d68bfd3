import { readFile } from 'node:fs/promises';
import { computeSources } from '@castor/core';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { failure } from './command.ts';
import type { CommandContext } from './command.ts';
import { BUILTIN_COMMANDS, findCommand, openCommands } from './index.ts';

describe('the commands of a session', () => {
  it('find a command, its sub-command and its arguments', () => {
    const find = (text: string) => {
      const found = findCommand(text, BUILTIN_COMMANDS);
      return found && [found.path, found.args];
    };
    expect(['/stats', '/usage model', '/memory refresh', '/model set  x --persist', ' /compact '].map(find)).toEqual([
      ['stats', ''],
      ['stats model', ''],
      ['memory reload', ''],
      ['model set', 'x --persist'],
      ['compress', ''],
    ]);
    const words = ['/', '/nope', '/Help', '/help me', '/memory of the machine', '/docs/x.md', 'stats'];
    expect(words.map(find)).toEqual(words.map(() => undefined));
  });

  it('report a mistyped sub-command instead of sending it to the model', async () => {
    const read = (text: string) => findCommand(text, BUILTIN_COMMANDS)?.command.run?.({} as CommandContext, '');
    expect(['/extensions instal ./x', '/skills lnk x', '/agents Acknowledg', '/skills nodesc'].map(read)).toEqual([
      failure('/extensions instal is unknown. Did you mean /extensions install?'),
      failure('/skills lnk is unknown. Did you mean /skills link?'),
      failure('/agents Acknowledg is unknown. Did you mean /agents acknowledge?'),
      failure('/skills nodesc is unknown. There are: list, enable, disable, link, reload.'),
    ]);
    const sentences = ['/skills of a good writer', '/agents are nice', '/memory a leak', '/extensions: which?'];
    expect(sentences.map((text) => findCommand(text, BUILTIN_COMMANDS))).toEqual(sentences.map(() => undefined));
  });

  it('have one name each, and a sentence', () => {
    const names = BUILTIN_COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
    for (const command of BUILTIN_COMMANDS.flatMap((each) => [each, ...(each.subCommands ?? [])])) {
      expect(command.description).toMatch(/^[A-Z].*\.$/);
      expect(command.run).toBeDefined();
    }
  });

  it('are all on the page, with where they run', async () => {
    const page = await readFile(new URL('../../../../docs/commands.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| `\/.*\|.*\|.*\|$/.test(line));
    for (const { name, runsHeadless = false, subCommands = [] } of BUILTIN_COMMANDS) {
      const row = rows.find((line) => new RegExp(`\`/${name}[ \`]`).test(line));
      expect([name, row?.includes('| ✓ |')]).toEqual([name, runsHeadless || subCommands[0]?.runsHeadless === true]);
    }
  });

  it('give way to built-in names and keep both of two files', async () => {
    await using workspace = await createWorkspace({
      homeFiles: {
        '.gemini/commands/help.toml': 'prompt = "u"',
        '.gemini/commands/x.toml': 'prompt = "u"',
        '.gemini/commands/user.x.toml': 'prompt = "taken"',
        '.gemini/commands/bad.toml': 'prompt =',
      },
      files: { '.gemini/commands/x.toml': 'prompt = "w"', '.gemini/commands/own.toml': 'prompt = "w"' },
    });
    const { home, project } = workspace;
    const commands = await openCommands(
      computeSources({ home, root: project, trustedFolder: true, platform: 'linux' }),
    );
    const own = commands.all.flatMap(({ name, source }) => (source === 'builtin' ? [] : [[name, source.name]]));
    expect(own).toEqual([
      ['user.help', 'user'],
      ['own', 'workspace'],
      ['user.x', 'user'],
      ['x', 'workspace'],
      ['workspace.x', 'workspace'],
      ['user.x1', 'user'],
    ]);
    expect(commands.notices).toEqual([
      expect.stringMatching(/bad\.toml: line 1: the command was skipped/),
      `${home}/.gemini/commands/help.toml is /user.help, because /help is built in.`,
      `${project}/.gemini/commands/x.toml is /workspace.x, because /x exists twice.`,
      `${home}/.gemini/commands/x.toml is /user.x1, because /x exists twice.`,
    ]);
  });

  it('say why one cannot be used, instead of letting its name be words', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/commands/git/bad.toml': 'prompt = 5' } });
    const { home, project } = workspace;
    const commands = await openCommands(
      computeSources({ home, root: project, trustedFolder: true, platform: 'linux' }),
    );
    const found = commands.find('/git:bad with words');
    expect([found?.path, found?.args, commands.find('/bad'), commands.find('git:bad')]).toEqual([
      'git:bad',
      'with words',
      undefined,
      undefined,
    ]);
    expect(await found?.command.run?.({} as CommandContext, '')).toEqual({
      type: 'message',
      messageType: 'error',
      content: expect.stringMatching(/^\/git:bad is invalid\. .*bad\.toml: the command was skipped: /),
    });
  });

  it('are read again when asked', async () => {
    await using workspace = await createWorkspace({ files: { '.gemini/commands/a.toml': 'prompt = "a"' } });
    const { home, project } = workspace;
    const commands = await openCommands(
      computeSources({ home, root: project, trustedFolder: true, platform: 'linux' }),
    );
    await workspace.write('.gemini/commands/b.toml', 'prompt = "b"');
    expect(commands.find('/b')).toBeUndefined();
    await commands.reload();
    expect(commands.find('/b c')).toMatchObject({ path: 'b', args: 'c' });
  });
});
