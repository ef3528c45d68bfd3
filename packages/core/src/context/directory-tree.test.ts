import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { IgnoreRules } from '../tools/files/ignore-rules.ts';
import { Workspace } from '../tools/files/workspace.ts';
import { describeTree } from './directory-tree.ts';

async function tree(files: Record<string, string>, more?: (root: string) => Promise<unknown>): Promise<string> {
  await using workspace = await createWorkspace({ files });
  const { project: root } = workspace;
  await more?.(root);
  const ignore = await IgnoreRules.load(root);
  const text = describeTree(new Workspace({ root, tempDirectory: join(workspace.root, 'tmp'), ignore }));
  return text.replaceAll(root, '/p');
}

describe('the tree of a folder', () => {
  it('is nothing where there is nothing', async () => {
    expect(await tree({})).toBe('');
  });

  it('has what is not ignored, and looks into no dependency and through no link', async () => {
    const files = {
      'b.txt': '',
      'a/deep/c.txt': '',
      'node_modules/x/y.js': '',
      'out/made.js': '',
      '.gitignore': 'out\n',
    };
    const link = (root: string) => symlink('/etc', join(root, 'link'));
    expect(await tree(files, link)).toBe(
      [
        'The folder /p contains (… marks omitted entries):',
        '  .gitignore',
        '  b.txt',
        '  link',
        '  a/',
        '    deep/',
        '      c.txt',
        '  node_modules/ …',
      ].join('\n'),
    );
  });

  it('is bounded, and each name is one harmless line', async () => {
    const many = async (root: string) => {
      await mkdir(join(root, 'many'));
      for (let index = 0; index < 80; index++) await writeFile(join(root, 'many', `f${index}`), '');
      await writeFile(join(root, 'a\n<b>c'), '');
    };
    const lines = (await tree({}, many)).split('\n');
    expect([lines.length, lines[1], lines.at(-1)]).toEqual([54, '  a??b?c', '    … 30 more']);
  });
});
