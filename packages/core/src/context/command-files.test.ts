import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { computeSources } from '../config/sources.ts';
import { loadCommandFiles as loadFromSources } from './command-files.ts';

const loadCommandFiles = (options: { home: string; root: string; trustedFolder: boolean | undefined }) =>
  loadFromSources(computeSources({ ...options, platform: process.platform }));

describe('command files', () => {
  it('are named after their path and described in one line', async () => {
    await using workspace = await createWorkspace({
      homeFiles: {
        '.gemini/commands/git/commit msg.toml': 'prompt = "Write it."\n',
        [`.gemini/commands/${'x'.repeat(60)}.toml`]: `prompt = "p"\ndescription = """${'word\n'.repeat(40)}"""\n`,
        '.gemini/commands/notes.md': 'no command',
      },
    });
    const { home, project } = workspace;
    const { commands, problems } = await loadCommandFiles({ home, root: project, trustedFolder: undefined });
    expect(commands).toEqual([
      {
        name: 'git:commit_msg',
        syntax: 'toml',
        source: expect.objectContaining({ kind: 'user', name: 'user' }),
        file: join(home, '.gemini/commands/git/commit msg.toml'),
        description: 'Custom command from commit msg.toml',
        prompt: 'Write it.',
      },
      {
        name: `${'x'.repeat(47)}...`,
        syntax: 'toml',
        source: expect.objectContaining({ kind: 'user', name: 'user' }),
        file: join(home, `.gemini/commands/${'x'.repeat(60)}.toml`),
        description: `${'word '.repeat(40).slice(0, 97)}...`,
        prompt: 'p',
      },
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    [true, ['mine', 'theirs']],
    [undefined, ['mine']],
    [false, ['mine']],
  ])('of a project count with trust %j: %j', async (trustedFolder, expected) => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/commands/mine.toml': 'prompt = "m"' },
      files: { '.gemini/commands/theirs.toml': 'prompt = "t"' },
    });
    const { home, project } = workspace;
    const { commands } = await loadCommandFiles({ home, root: project, trustedFolder });
    expect(commands.map(({ name }) => name)).toEqual(expected);
  });

  it.each([
    ['is broken', 'prompt = "a"\nx = [1,\n', /line [23]: the command was skipped: Invalid TOML/],
    ['has no prompt', 'description = "d"', /prompt must be a string such as prompt = "…"/],
    ['has a prompt that is no text', 'prompt = 7', /, not 7\./],
    [
      'has a description that is no text',
      'prompt = "a"\ndescription = ["x"]',
      /description must be a string, not \["x"\]/,
    ],
  ])('that %s are skipped with a sentence', async (_, text, sentence) => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/commands/bad.toml': text, '.gemini/commands/good.toml': 'prompt = "g"' },
    });
    const { home, project } = workspace;
    const { commands, problems } = await loadCommandFiles({ home, root: project, trustedFolder: true });
    expect(commands.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toEqual([expect.stringMatching(sentence)]);
    expect(problems[0]).toContain(join(home, '.gemini/commands/bad.toml'));
  });

  it('of a project that lead out of it are refused', async () => {
    await using workspace = await createWorkspace({ files: { '.gemini/commands/x/y': '' } });
    const { home, project, root } = workspace;
    await symlink(join(root, 'home'), join(project, '.gemini/commands/folder.toml'));
    await symlink('/etc/hosts', join(project, '.gemini/commands/link.toml'));
    const { commands, problems } = await loadCommandFiles({ home, root: project, trustedFolder: true });
    expect(commands).toEqual([]);
    expect(problems).toEqual([
      expect.stringContaining('folder.toml: the command was skipped: it is outside'),
      expect.stringContaining('link.toml: the command was skipped: it is outside'),
    ]);
  });
});
