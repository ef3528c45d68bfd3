import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '@castor/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFileIndex } from './file-index.ts';
import type { FileIndex, FileIndexOptions } from './file-index.ts';
import { createFileCompletion } from './file-completion.ts';
import { FileFacts } from './file-facts.ts';
import { scorePath } from './fuzzy-match.ts';

async function createTree(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'castor-index-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return root;
}

/** Making so many files takes a minute on a slow disk; their names are what is searched. */
async function* manyNames(): AsyncGenerator<string[]> {
  for (let folder = 0; folder < 100; folder++) {
    yield Array.from({ length: 500 }, (_, file) => `dir${folder}/module-${file}-component.ts`);
  }
  yield ['packages/core/needle-file.ts'];
}

/** The answer when everything is gathered. */
async function searchWhole(index: FileIndex, query: string): Promise<readonly string[]> {
  const { signal } = new AbortController();
  for (;;) {
    const { paths, improved } = await index.search(query, signal);
    if (improved === undefined) return paths;
    await improved;
  }
}

function open(root: string, options: Partial<FileIndexOptions> = {}): FileIndex {
  const index = createFileIndex({ root, clock: systemClock, ...options });
  onTestFinished(() => index.dispose());
  return index;
}

describe.each([true, false])('createFileIndex, with ripgrep: %s', (useRipgrep) => {
  it('offers what is not ignored, folders too, and goes into no link or pipe', async () => {
    const root = await createTree({
      '.gitignore': 'out/\n*.log\n',
      '.geminiignore': 'secret.txt\n',
      'src/.gitignore': 'generated.ts\n',
      'src/main.ts': '',
      'src/generated.ts': '',
      'src/deep/er/file.ts': '',
      'out/main.js': '',
      'secret.txt': '',
      'noise.log': '',
      '.github/workflow.yml': '',
      '.git/config': '',
      'with blank.md': '',
    });
    await symlink('..', join(root, 'src/loop'));
    execFileSync('mkfifo', [join(root, 'src/pipe')]);
    const found = await searchWhole(open(root, { useRipgrep }), '');
    expect(found.filter((path) => path !== 'src/pipe').toSorted()).toEqual([
      '.geminiignore',
      '.github/',
      '.github/workflow.yml',
      '.gitignore',
      'src/',
      'src/.gitignore',
      'src/deep/',
      'src/deep/er/',
      'src/deep/er/file.ts',
      'src/main.ts',
      'with blank.md',
    ]);
    const everything = await searchWhole(open(root, { useRipgrep, git: false }), 'main.js');
    expect(everything).toContain('out/main.js');
  });

  it('is empty for a folder that is not there', async () => {
    expect(await searchWhole(open('/nowhere/at/all', { useRipgrep }), 'x')).toEqual([]);
  });
});

describe('createFileIndex', () => {
  it('shows the top first when nothing is typed', async () => {
    const root = await createTree({ 'b.ts': '', 'a/b/c.ts': '', '.hidden': '' });
    expect(await searchWhole(open(root), '')).toEqual(['a/', 'b.ts', '.hidden', 'a/b/', 'a/b/c.ts']);
  });

  it('gathers no more than it may', async () => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`folder${index}/file.ts`, '']));
    const root = await createTree(files);
    expect(await searchWhole(open(root, { maxFiles: 10, useRipgrep: false }), '')).toHaveLength(10);
  });

  it('finds among fifty thousand files, best first, and stops when it is told', async () => {
    const index = createFileIndex({ root: '/', clock: systemClock, list: manyNames });
    expect((await searchWhole(index, 'needlefile'))[0]).toBe('packages/core/needle-file.ts');
    expect((await searchWhole(index, 'dir42/module-7-'))[0]).toBe('dir42/module-7-component.ts');
    expect(await searchWhole(index, 'component')).toHaveLength(50);
    const stopped = new AbortController();
    stopped.abort();
    expect((await index.search('mdlcmpnnt', stopped.signal)).paths).toEqual([]);
  });
});

describe('scorePath', () => {
  it.each<[string, string[]]>([
    ['main', ['src/main', 'src/main.ts', 'src/mainframe.ts', 'src/domain.ts', 'main/x.ts', 'src/m_a_i_n.ts']],
    ['fc', ['src/fc.ts', 'src/FileCompletion.ts', 'src/fence.ts']],
    ['src/ma', ['src/main.ts', 'lib/src/main.ts']],
  ])('ranks for %j', (query, order) => {
    const ranked = order.toReversed().toSorted((one, other) => scorePath(other, query)! - scorePath(one, query)!);
    expect(ranked).toEqual(order);
  });

  it('refuses what lacks a letter', () => {
    expect(scorePath('src/main.ts', 'mainz')).toBeUndefined();
  });
});

describe('createFileCompletion', () => {
  const completion = createFileCompletion({ search: async () => ({ paths: ['a b.ts', 'dir/'] }), dispose() {} });

  it.each<[string, string | undefined]>([
    ['@', ''],
    ['look at @src/ma', 'src/ma'],
    ['(@src', 'src'],
    [String.raw`@a\ b`, 'a b'],
    ['me@example.com', undefined],
    ['@one two', undefined],
    ['plain', undefined],
  ])('sees in %j the query %j', (line, query) => {
    expect(completion.detect({ row: 0, line, column: line.length })?.query).toBe(query);
  });

  it('escapes what it inserts, and leaves a folder open', async () => {
    const { items } = await completion.complete({ start: 1, end: 1, query: '' }, new AbortController().signal);
    expect(items.map(({ insert }) => insert)).toEqual([String.raw`a\ b.ts `, 'dir/']);
  });
});

describe('what is said of a file', () => {
  it('is its lines or its size, and of a folder how many files are below it', async () => {
    const root = await createTree({
      'src/a.ts': 'one\ntwo\n',
      'src/deep/b.ts': 'no end',
      'src/deep/c.bin': '\0\u0001',
      'src/empty': '',
      'src/large.txt': 'x'.repeat(600_000),
    });
    execFileSync('mkfifo', [join(root, 'src/pipe')]);
    const facts = new FileFacts(root, systemClock);
    const completion = createFileCompletion(open(root, { useRipgrep: false }), { facts });
    const { signal } = new AbortController();
    let list = await completion.complete({ start: 1, end: 1, query: '' }, signal);
    while (list.improved) {
      await list.improved;
      list = await completion.complete({ start: 1, end: 1, query: '' }, signal);
    }
    expect(Object.fromEntries(list.items.map(({ label, fact }) => [label, fact]))).toEqual({
      'src/': 'folder, 5 files',
      'src/deep/': 'folder, 2 files',
      'src/a.ts': '2 lines',
      'src/deep/b.ts': '1 line',
      'src/deep/c.bin': '2 bytes',
      'src/empty': '0 lines',
      'src/large.txt': '600 kB',
    });
    await facts.read(['src/pipe', 'gone.ts'], signal);
    expect([facts.of('src/pipe'), facts.of('gone.ts')]).toEqual([undefined, undefined]);
  });
});

describe('what is offered, as the settings say', () => {
  it.each([
    ['scattered letters anywhere', {}, 'mn', ['src/main.ts', 'src/deep/mine.ts']],
    ['what stands together', { isFuzzy: false }, 'mn', []],
    ['what stands together', { isFuzzy: false }, 'min', ['src/deep/mine.ts']],
    ['the folder that was typed', { isRecursive: false }, '', ['src/']],
    ['the folder that was typed', { isRecursive: false }, 'src/m', ['src/main.ts']],
    ['nothing the person’s own ignore file names', { customIgnoreFiles: ['.mine'] }, 'main', []],
  ])('is %s: %j for %j', async (_what, options, query, expected) => {
    const root = await createTree({ 'src/main.ts': '', 'src/deep/mine.ts': '', '.mine': 'main.ts\n' });
    for (const useRipgrep of [true, false]) {
      const paths = await searchWhole(open(root, { useRipgrep, ...options }), query);
      expect(paths.filter((path) => path !== '.mine')).toEqual(expected);
    }
  });
});
