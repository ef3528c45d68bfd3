import { createWorkspace } from '@castor/testkit';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../protocol/content.ts';
import type { ToolContext } from '../../protocol/tools.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { ReadLedger } from '../files/read-ledger.ts';
import { Workspace } from '../files/workspace.ts';
import { createReadFileTool } from './read-file.ts';
import { createReadManyFilesTool } from './read-many-files.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const context: ToolContext = {
  callId: '1',
  signal: new AbortController().signal,
  onOutput: () => undefined,
  onPid: () => undefined,
};

async function open(files: Record<string, string | Uint8Array>) {
  const temporary = await createWorkspace({ files });
  const { project: root, home } = temporary;
  const workspace = new Workspace({ root, tempDirectory: join(home, 'tmp'), ignore: await IgnoreRules.load(root) });
  const readFile = createReadFileTool({ workspace, ledger: new ReadLedger() });
  const tool = createReadManyFilesTool({ workspace, readFile });
  const read = (args: Record<string, unknown>) => tool.build(args).execute(context);
  const names = async (args: Record<string, unknown>) => {
    const { returnDisplay } = await read(args);
    return (returnDisplay as { files: string[] }).files;
  };
  return { root, read, names, [Symbol.asyncDispose]: temporary.dispose };
}

describe('read_many_files', () => {
  it('frames each file and says where the content ends', async () => {
    await using project = await open({ 'a.txt': 'A\n', 'sub/b.txt': 'B' });
    expect(await project.read({ include: ['sub/', 'a.txt'] })).toEqual({
      llmContent: [
        { text: `--- ${project.root}/a.txt ---\n\nA\n\n\n` },
        { text: `--- ${project.root}/sub/b.txt ---\n\nB\n\n` },
        { text: '\n--- End of content ---' },
      ],
      returnDisplay: { summary: 'Read 2 file(s)', files: ['a.txt', 'sub/b.txt'] },
    });
  });

  it('leaves out what is ignored, excluded, or media that was not named', async () => {
    await using project = await open({
      '.gitignore': 'gen/\n',
      'src/a.ts': 'a',
      'src/a.test.ts': 't',
      'src/logo.png': PNG,
      'src/lib.so': 'x',
      'gen/g.ts': 'g',
      'dist/o.js': 'o',
      'node_modules/m.js': 'm',
    });
    expect(await project.names({ include: ['**/*'], exclude: ['**/*.test.ts', '.gitignore'] })).toEqual(['src/a.ts']);
    expect(await project.names({ include: ['dist/**'], useDefaultExcludes: false })).toEqual(['dist/o.js']);
    expect(await project.names({ include: ['src/logo.png'] })).toEqual(['src/logo.png']);
    expect(await project.names({ include: ['**/*.png'] })).toEqual(['src/logo.png']);
  });

  it('goes no deeper than the pattern when it is told not to', async () => {
    await using project = await open({ 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/deep/c.txt': 'c' });
    expect(await project.names({ include: ['sub/**'], recursive: false })).toEqual(['sub/b.txt']);
  });

  it('gives a named picture as data', async () => {
    await using project = await open({ 'logo.png': PNG });
    const { llmContent } = await project.read({ include: ['logo.png'] });
    const parts = llmContent as Part[];
    expect(parts.find(({ inlineData }) => inlineData)?.inlineData).toMatchObject({
      mimeType: 'image/png',
      data: PNG.toString('base64'),
    });
  });

  it('says when there is nothing', async () => {
    await using project = await open({ 'a.txt': 'x' });
    expect((await project.read({ include: ['*.rs'] })).llmContent).toEqual([
      { text: 'No files matching the criteria were found or all were skipped.' },
    ]);
  });

  it('never adds more than a request can hold, and says what it left out', async () => {
    const line = `${'x'.repeat(1_000)}\n`;
    await using project = await open({ 'a.txt': line.repeat(500), 'b.txt': line.repeat(500), 'c.txt': 'c' });
    const { llmContent, returnDisplay } = await project.read({ include: ['*.txt'] });
    const text = (llmContent as Part[]).map((part) => part.text ?? '').join('');
    expect(text.length).toBeLessThan(810_000);
    expect(text).toContain(
      `(Not read: 2 more file(s) from ${project.root}/b.txt on (the files together are too large))`,
    );
    expect(returnDisplay).toEqual({ summary: 'Read 1 file(s) (1 skipped)', files: ['a.txt'] });
  });

  it('does not leave the workspace', async () => {
    await using project = await open({ 'a.txt': 'x' });
    expect(await project.names({ include: ['/etc/hostname', '../**', 'a.txt'] })).toEqual(['a.txt']);
  });
});
