import { createFakeClock, createWorkspace } from '@castor/testkit';
import { symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../protocol/tools.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { Workspace } from '../files/workspace.ts';
import { createGlobTool } from './glob.ts';

const NOW = Date.UTC(2026, 0, 2);
const context: ToolContext = {
  callId: '1',
  signal: new AbortController().signal,
  onOutput: () => undefined,
  onPid: () => undefined,
};

async function open(names: string[], options: { includeDirectories?: string[]; gitignore?: string } = {}) {
  const contents = Object.fromEntries(names.map((name) => [name, '']));
  if (options.gitignore) contents['.gitignore'] = options.gitignore;
  const workspace = await createWorkspace({ files: contents });
  const { project: root, home } = workspace;
  const includeDirectories = options.includeDirectories?.map((each) => join(workspace.root, each)) ?? [];
  const tool = createGlobTool({
    workspace: new Workspace({
      root,
      includeDirectories,
      tempDirectory: join(home, 'tmp'),
      ignore: await IgnoreRules.load(root, { includeDirectories }),
    }),
    clock: createFakeClock({ start: NOW }),
  });
  for (const name of names) await utimes(join(root, name), NOW / 1000 - 1e6, NOW / 1000 - 1e6);
  const run = async (args: Record<string, unknown>) => (await tool.build(args).execute(context)).llmContent as string;
  const find = async (args: Record<string, unknown>) => {
    const [, ...lines] = (await run(args)).split('\n');
    return lines.map((line) => line.replace(`${root}/`, ''));
  };
  return { root, home, run, find, [Symbol.asyncDispose]: workspace.dispose };
}

describe('glob', () => {
  it('lists what changed in the last day newest first, then the rest by name', async () => {
    await using project = await open(['c.ts', 'b.ts', 'a.ts', 'd.ts']);
    await utimes(join(project.root, 'd.ts'), NOW / 1000 - 60, NOW / 1000 - 60);
    await utimes(join(project.root, 'c.ts'), NOW / 1000 - 3600, NOW / 1000 - 3600);
    const paths = ['d.ts', 'c.ts', 'a.ts', 'b.ts'].map((name) => join(project.root, name));
    expect(await project.run({ pattern: '*.ts' })).toBe(
      `Found 4 file(s) matching "*.ts" within ${project.root}, sorted by modification time (newest first):\n${paths.join('\n')}`,
    );
  });

  it('says when there is nothing', async () => {
    await using project = await open(['a.ts']);
    expect(await project.run({ pattern: '*.rs' })).toBe(
      `No files found matching pattern "*.rs" within ${project.root}`,
    );
  });

  const NAMES = [
    'src/a.ts',
    'src/deep/b.TS',
    'src/.hidden.ts',
    'app/[id]/page.ts',
    'lib/x.js',
    'node_modules/m/i.ts',
    'gen/g.ts',
  ];
  it.each([
    ['**/*.ts', {}, ['app/[id]/page.ts', 'src/.hidden.ts', 'src/a.ts', 'src/deep/b.TS']],
    ['**/*.ts', { case_sensitive: true }, ['app/[id]/page.ts', 'src/.hidden.ts', 'src/a.ts']],
    ['SRC/*.ts', {}, ['src/.hidden.ts', 'src/a.ts']],
    ['src/**/b.*', {}, ['src/deep/b.TS']],
    ['src/deep/*', {}, ['src/deep/b.TS']],
    ['./src/a.ts', {}, ['src/a.ts']],
    ['app/[id]/page.ts', {}, ['app/[id]/page.ts']],
    ['{src,lib}/*.{ts,js}', {}, ['lib/x.js', 'src/.hidden.ts', 'src/a.ts']],
    ['*.ts', { dir_path: 'src' }, ['src/.hidden.ts', 'src/a.ts']],
    ['gen/*', { respect_git_ignore: false }, ['gen/g.ts']],
    ['!**/*.ts', {}, ['.gitignore', 'lib/x.js']],
    ['../**/*', {}, []],
    ['/etc/*', {}, []],
  ])('finds %s with %j', async (pattern, options, expected) => {
    await using project = await open(NAMES, { gitignore: 'gen/\n' });
    const found = await project.find({ pattern, ...options });
    expect(found.sort()).toEqual(expected);
  });

  it('takes an absolute pattern inside the workspace', async () => {
    await using project = await open(['src/a.ts']);
    expect(await project.find({ pattern: `${project.root}/src/*.ts` })).toEqual(['src/a.ts']);
  });

  it('searches all workspace directories and says how many', async () => {
    await using project = await open(['a.ts'], { includeDirectories: ['home'] });
    expect(await project.run({ pattern: '*.ts' })).toBe(
      `Found 1 file(s) matching "*.ts" across 2 workspace directories, sorted by modification time (newest first):\n${project.root}/a.ts`,
    );
  });

  it('does not walk through a link', async () => {
    await using project = await open(['src/a.ts']);
    await symlink('/etc', join(project.root, 'outside'));
    await symlink(join(project.root, 'src/a.ts'), join(project.root, 'link.ts'));
    expect(await project.find({ pattern: '**/*' })).toEqual(['link.ts', 'src/a.ts'].sort());
  });

  it('names a directory that is none', async () => {
    await using project = await open(['a.ts']);
    await expect(project.run({ pattern: '*', dir_path: 'nowhere' })).rejects.toMatchObject({
      type: 'search_path_not_found',
    });
    await expect(project.run({ pattern: '*', dir_path: 'a.ts' })).rejects.toMatchObject({
      type: 'search_path_not_a_directory',
    });
    await expect(project.run({ pattern: '*', dir_path: '/etc' })).rejects.toMatchObject({
      type: 'path_not_in_workspace',
    });
  });

  it('ends a pattern that would take for ever', { tags: 'wide' }, async () => {
    await using project = await open(['a'.repeat(250)]);
    const outcome = project.run({ pattern: `${'*a'.repeat(20)}b` });
    await expect(outcome).rejects.toMatchObject({ type: 'glob_execution_error' });
  });
});
