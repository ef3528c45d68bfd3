/** apply_patch in a real folder: all files or none, as the user was shown them. */

import { existsSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { FileStore } from '../files/file-store.ts';
import type { PlannedWrite } from '../files/file-store.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { ReadLedger } from '../files/read-ledger.ts';
import { Workspace } from '../files/workspace.ts';
import { createApplyPatchTool } from './apply-patch.ts';

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const context = { callId: 'c', signal: new AbortController().signal, onOutput: () => {}, onPid: () => {} };

async function setUp(files: Record<string, string>) {
  const folder = await createWorkspace({ files });
  const { project: root, home: tempDirectory } = folder;
  const ignore = await IgnoreRules.load(root, {});
  const workspace = new Workspace({ root, includeDirectories: [], files: [], tempDirectory, ignore });
  const journal: PlannedWrite[] = [];
  let beforeWrite: (path: string) => unknown = () => undefined;
  const store = new FileStore(workspace, new ReadLedger(), {
    changing: async (write) => {
      journal.push(write);
      beforeWrite(write.path);
    },
  });
  const tool = createApplyPatchTool({ store });
  return {
    tool,
    journal,
    beforeWrite: (act: (path: string) => unknown) => (beforeWrite = act),
    path: (name: string) => join(root, name),
    read: (name: string) => readFile(join(root, name), 'utf8'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const THREE = patch(
  '*** Update File: a.txt',
  '-one',
  '+ONE',
  '*** Add File: deep/new.txt',
  '+fresh',
  '*** Delete File: old.txt',
);

describe('apply_patch', () => {
  it('changes, adds and deletes files, and records each before it happens', async () => {
    await using env = await setUp({ 'a.txt': 'one\r\ntwo\r\n', 'old.txt': 'x' });
    const invocation = env.tool.build({ patch: THREE });
    expect(invocation.describe()).toBe('Edit a.txt, Add deep/new.txt, Delete old.txt');
    const { llmContent, returnDisplay } = await invocation.execute(context);
    expect(llmContent).toContain('Updated ');
    expect(returnDisplay).toMatchObject({
      summary: 'Updated a.txt, Added deep/new.txt, Deleted old.txt',
      files: ['a.txt', 'deep/new.txt', 'old.txt'].map(env.path),
      diffs: [
        { filePath: env.path('a.txt'), originalContent: 'one\r\ntwo\r\n', newContent: 'ONE\r\ntwo\r\n' },
        { filePath: env.path('deep/new.txt'), originalContent: null, newContent: 'fresh\n', isNewFile: true },
        { filePath: env.path('old.txt'), originalContent: 'x', newContent: '', isDeleted: true },
      ],
    });
    expect([await env.read('a.txt'), await env.read('deep/new.txt')]).toEqual(['ONE\r\ntwo\r\n', 'fresh\n']);
    expect(existsSync(env.path('old.txt'))).toBe(false);
    expect(env.journal.map(({ path, before, after }) => [path, before === undefined, after === null])).toEqual([
      [env.path('a.txt'), false, false],
      [env.path('deep/new.txt'), true, false],
      [env.path('old.txt'), false, true],
    ]);
  });

  it('shows the user one diff of all files, and an editor each by itself', async () => {
    await using env = await setUp({ 'a.txt': 'one\ntwo\n', 'old.txt': 'x\n' });
    const details = await env.tool.build({ patch: THREE }).confirm(context.signal);
    expect(details).toMatchObject({ type: 'edit', title: 'Confirm Edit: a.txt, deep/new.txt, old.txt' });
    expect(details && details.type === 'edit' && details.fileDiff).toMatch(/-one[^]*\+ONE[^]*\+fresh[^]*-x/);
    expect(details).toMatchObject({
      files: ['a.txt', 'deep/new.txt', 'old.txt'].map((name) => ({ filePath: env.path(name) })),
    });
  });

  it.each([
    ['does not fit', ['*** Update File: b.txt', '-no', '+yes'], /does not fit b\.txt/],
    ['adds a file that exists', ['*** Add File: b.txt', '+x'], /exists already/],
    ['deletes a missing file', ['*** Delete File: c.txt'], /File not found/],
    ['leaves the workspace', ['*** Add File: ../../x', '+x'], /workspace/],
    ['leaves code out', ['*** Update File: b.txt', '-two', '+// ... rest of the code ...'], /placeholder/],
  ])('writes no file when one part %s', async (_what, lines, message) => {
    await using env = await setUp({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const text = patch('*** Update File: a.txt', '-one', '+ONE', ...lines);
    await expect(env.tool.build({ patch: text }).execute(context)).rejects.toThrow(message);
    expect([await env.read('a.txt'), await env.read('b.txt'), env.journal]).toEqual(['one\n', 'two\n', []]);
  });

  it('writes nothing when a file changed after the user was asked', async () => {
    await using env = await setUp({ 'a.txt': 'one\n', 'old.txt': 'x' });
    const invocation = env.tool.build({ patch: THREE });
    await invocation.confirm(context.signal);
    await writeFile(env.path('a.txt'), 'one\nother\n');
    await expect(invocation.execute(context)).rejects.toThrow('changed after this patch was approved');
    expect([await env.read('a.txt'), existsSync(env.path('old.txt'))]).toEqual(['one\nother\n', true]);
  });

  it('restores what it wrote when a later file cannot be written', async () => {
    await using env = await setUp({ 'a.txt': 'one\n' });
    // Another program creates the new file after the patch was planned.
    env.beforeWrite((path) => path.endsWith('new.txt') && writeFileSync(path, 'theirs'));
    const text = patch('*** Update File: a.txt', '-one', '+ONE', '*** Add File: new.txt', '+x');
    await expect(env.tool.build({ patch: text }).execute(context)).rejects.toThrow('changed by another program');
    expect([await env.read('a.txt'), await env.read('new.txt')]).toEqual(['one\n', 'theirs']);
    expect(env.journal.map(({ path }) => path)).toEqual([env.path('a.txt'), env.path('new.txt'), env.path('a.txt')]);
  });
});
