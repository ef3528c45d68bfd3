import { createWorkspace } from '@castor/testkit';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../protocol/tools.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { matchesWildcard } from '../wildcard.ts';
import { Workspace } from '../files/workspace.ts';
import { createListDirectoryTool } from './list-directory.ts';

const context: ToolContext = {
  callId: '1',
  signal: new AbortController().signal,
  onOutput: () => undefined,
  onPid: () => undefined,
};

async function open(files: Record<string, string>) {
  const workspace = await createWorkspace({ files });
  const { project: root, home } = workspace;
  const tool = createListDirectoryTool({
    workspace: new Workspace({ root, tempDirectory: join(home, 'tmp'), ignore: await IgnoreRules.load(root) }),
  });
  const list = (args: Record<string, unknown>) => tool.build(args).execute(context);
  return { root, list, [Symbol.asyncDispose]: workspace.dispose };
}

describe('list_directory', () => {
  it('lists directories first, then files with their sizes, without what is ignored', async () => {
    await using project = await open({
      '.gitignore': 'secret.txt\nout/\n',
      '.geminiignore': '*.bak\n',
      'b.txt': '12345',
      'a.txt': '',
      'secret.txt': 'x',
      'old.bak': 'x',
      'out/x': 'x',
      'src/x': 'x',
      'Älg.txt': 'å',
    });
    expect(await project.list({ dir_path: '.' })).toEqual({
      llmContent: `Directory listing for ${project.root}:\n[DIR] src\n.geminiignore (6 bytes)\n.gitignore (16 bytes)\na.txt (0 bytes)\nÄlg.txt (2 bytes)\nb.txt (5 bytes)\n\n(3 ignored)`,
      returnDisplay: {
        summary: 'Found 6 item(s). (3 ignored)',
        files: [
          '[DIR] src',
          '.geminiignore (6 bytes)',
          '.gitignore (16 bytes)',
          'a.txt (0 bytes)',
          'Älg.txt (2 bytes)',
          'b.txt (5 bytes)',
        ],
      },
    });
  });

  it('leaves out names by wildcard and shows ignored ones on request', async () => {
    await using project = await open({ '.gitignore': 'c.ts\n', 'a.ts': '', 'b.js': '', 'c.ts': '' });
    const { llmContent } = await project.list({
      dir_path: project.root,
      ignore: ['*.js', '.git*'],
      file_filtering_options: { respect_git_ignore: false },
    });
    expect(llmContent).toBe(`Directory listing for ${project.root}:\na.ts (0 bytes)\nc.ts (0 bytes)`);
  });

  it('heeds an ignore file that was changed behind its back', async () => {
    await using project = await open({ '.gitignore': 'a.txt\n', 'a.txt': '', 'b.txt': '' });
    await project.list({ dir_path: '.' });
    await writeFile(join(project.root, '.gitignore'), 'b.txt\n');
    const { llmContent } = await project.list({ dir_path: '.' });
    expect(llmContent).toContain('a.txt (0 bytes)');
    expect(llmContent).not.toContain('b.txt (');
  });

  it('says that a directory is empty', async () => {
    await using project = await open({});
    await mkdir(join(project.root, 'empty'));
    expect(await project.list({ dir_path: 'empty' })).toEqual({
      llmContent: `Directory ${join(project.root, 'empty')} is empty.`,
      returnDisplay: 'Directory is empty.',
    });
  });

  it('names what is not there and what is no directory', async () => {
    await using project = await open({ 'a.txt': 'x' });
    await expect(project.list({ dir_path: 'nowhere' })).rejects.toMatchObject({ type: 'file_not_found' });
    await expect(project.list({ dir_path: 'a.txt' })).rejects.toMatchObject({ type: 'path_is_not_a_directory' });
  });

  it('lists a link that leads nowhere and follows none out of the workspace', async () => {
    await using project = await open({});
    await symlink('/nowhere/at/all', join(project.root, 'dangling'));
    await symlink('/etc', join(project.root, 'etc'));
    const { llmContent } = await project.list({ dir_path: '.' });
    expect(llmContent).toBe(`Directory listing for ${project.root}:\n[DIR] etc\ndangling (15 bytes)`);
    await expect(project.list({ dir_path: 'etc' })).rejects.toMatchObject({ type: 'path_not_in_workspace' });
  });
});

describe('matchesWildcard', () => {
  it.each([
    ['a.ts', '*.ts', true],
    ['a.tsx', '*.ts', false],
    ['abc', 'a?c', true],
    ['ac', 'a?c', false],
    ['', '*', true],
    ['aXbXc', 'a*b*c', true],
    ['[x]', '[x]', true],
    ['x', '[x]', false],
    ['a'.repeat(255), `${'*a'.repeat(60)}b`, false],
  ])('%s against %s is %s', (name, pattern, expected) => {
    expect(matchesWildcard(name, pattern)).toBe(expected);
  });
});
