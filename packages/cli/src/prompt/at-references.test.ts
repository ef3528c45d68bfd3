import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findReferences } from './at-references.ts';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import type { FixtureOptions } from '../surface/prompt.fixture.ts';
import { readPrompt } from '../surface/read-prompt.ts';

describe('findReferences', () => {
  it.each<[string, string[]]>([
    ['read @a.txt now', ['a.txt']],
    ['@a.txt', ['a.txt']],
    ['(see @src/a.ts, @b.ts; @c.ts!)', ['src/a.ts', 'b.ts', 'c.ts']],
    ['look at @a.txt. Then @./b/', ['a.txt', './b/']],
    [String.raw`@my\ file.txt and @"other file.txt"`, ['my file.txt', 'other file.txt']],
    ['@日本語/ファイル.md', ['日本語/ファイル.md']],
    ['@.env', ['.env']],
    ['@~/x @/etc/passwd', ['~/x', '/etc/passwd']],
    ['mail me@example.org', []],
    [String.raw`not \@a.txt`, []],
    ['@@ -1,3 +1,4 @@', []],
    ['alone @ and @, and @"" and @!', []],
    ['@"never closed', ['"never']],
    ['@a\n@b', ['a', 'b']],
    ['explain @. to me', ['.']],
  ])('finds in %j: %j', (text, names) => {
    expect(findReferences(text).map(({ name }) => name)).toEqual(names);
  });
});

async function prepared(text: string, options: FixtureOptions = {}, prepare?: (project: string) => Promise<unknown>) {
  await using fixture = await openPromptFixture(options);
  await prepare?.(fixture.project);
  return await readPrompt(text, fixture.context);
}

const frame = (...files: [string, string][]) => [
  { text: '\n--- Content from referenced files ---' },
  ...files.flatMap(([name, text]) => [{ text: `\nContent from @${name}:\n` }, { text }]),
  { text: '\n--- End of content ---' },
];

describe('@path in a prompt', () => {
  it('adds the file in its envelope', async () => {
    expect(await prepared('explain @./src/a.ts, please', { files: { 'src/a.ts': 'let a;\n' } })).toEqual({
      kind: 'prompt',
      parts: [{ text: 'explain @src/a.ts, please' }, ...frame(['src/a.ts', 'let a;\n'])],
      displayText: 'explain @./src/a.ts, please',
      notes: [],
      brought: ['src/a.ts 1 line'],
    });
  });

  it.each<[string, string, Record<string, string>, string, [string, string][], string[]]>([
    [
      'what a pattern matches',
      'in @src/*.ts',
      { 'src/a.ts': '1', 'src/b.ts': '2', 'src/c.js': '3', 'src/deep/d.ts': '4', '.gitignore': 'b.ts' },
      'in @src/*.ts',
      [['src/a.ts', '1']],
      [],
    ],
    [
      'a file whose name looks like a pattern',
      'in @*.ts',
      { '*.ts': '1', 'a.ts': '2' },
      'in @*.ts',
      [['*.ts', '1']],
      [],
    ],
    [
      'a directory',
      'in @d',
      { 'd/a': '1', 'd/e/b': '2' },
      'in @d/**',
      [
        ['d/a', '1'],
        ['d/e/b', '2'],
      ],
      [],
    ],
    ['the folder itself', 'in @./', { a: '1' }, 'in @**', [['a', '1']], []],
    ['a name with spaces', String.raw`@my\ a.txt`, { 'my a.txt': '1' }, '@my a.txt', [['my a.txt', '1']], []],
    ['a quoted name', '@"my a.txt" !', { 'my a.txt': '1' }, '@my a.txt !', [['my a.txt', '1']], []],
    [
      'a route with brackets',
      'see @app/(x)/[id]/p.ts.',
      { 'app/(x)/[id]/p.ts': '1' },
      'see @app/(x)/[id]/p.ts.',
      [['app/(x)/[id]/p.ts', '1']],
      [],
    ],
    [
      'a directory with brackets',
      '@"app/[id]"',
      { 'app/[id]/p.ts': '1', 'app/i/p.ts': '2' },
      '@app/[id]/**',
      [['app/[id]/p.ts', '1']],
      [],
    ],
    ['the folder one is in', '@. what is it?', { a: '1' }, '@** what is it?', [['a', '1']], []],
    ['a file before a colon', 'in @a.ts: fix', { 'a.ts': '1' }, 'in @a.ts: fix', [['a.ts', '1']], []],
    ['a line of a file', 'see @a.ts:12-14', { 'a.ts': '1' }, 'see @a.ts:12-14', [['a.ts', '1']], []],
    ['a file in quotes', '"@a.ts" and `@a.ts`', { 'a.ts': '1' }, '"@a.ts" and `@a.ts`', [['a.ts', '1']], []],
    ['a file whose name ends so', '@a:12', { 'a:12': '1', a: '2' }, '@a:12', [['a:12', '1']], []],
    ['a person, a package and a decorator', '@me @scope/pkg @Injectable()', {}, '@me @scope/pkg @Injectable()', [], []],
    [
      'a file that is not there',
      'fix @src/none.ts',
      {},
      'fix @src/none.ts',
      [],
      ['@src/none.ts stays text: no file matches src/none.ts.'],
    ],
    ['the same file twice', '@a @a', { a: '1' }, '@a @a', [['a', '1']], []],
    [
      'a name to be searched for',
      'fix @Button',
      { 'src/ui/button.tsx': 'B' },
      'fix @src/ui/button.tsx',
      [['src/ui/button.tsx', 'B']],
      ['@Button resolved to src/ui/button.tsx.'],
    ],
    ['a file beside one that is missing', '@a and @nope', { a: '1' }, '@a and @nope', [['a', '1']], []],
  ])('means %s', async (_, text, files, query, contents, notes) => {
    const result = await prepared(text, { files });
    const parts = contents.length > 0 ? [{ text: query }, ...frame(...contents)] : [{ text: query }];
    const brought = contents.map(([name]) => `${name} 1 line`);
    const read = contents.length > 0 ? { brought } : {};
    expect(result).toEqual({ kind: 'prompt', parts, displayText: text, notes, ...read });
  });

  it.each<[string, string, Record<string, string>, string[]]>([
    ['is not there', 'ask @nobody', {}, []],
    [
      'is ignored by git',
      '@x.log',
      { '.gitignore': '*.log', 'x.log': 's' },
      ['@x.log was skipped: x.log is ignored by .gitignore or .geminiignore.'],
    ],
    [
      'is kept from the model',
      '@.env',
      { '.geminiignore': '.env', '.env': 's' },
      ['@.env was skipped: .env is ignored by .gitignore or .geminiignore.'],
    ],
    ['lies outside', '@/etc/hosts', {}, ['@/etc/hosts was skipped: it is outside the workspace.']],
    ['climbs out', '@../../etc/hosts', {}, ['@../../etc/hosts was skipped: it is outside the workspace.']],
  ])('of what %s stays text', async (_, text, files, notes) => {
    expect(await prepared(text, { files })).toEqual({ kind: 'prompt', parts: [{ text }], displayText: text, notes });
  });

  it('does not follow a link out of the workspace', async () => {
    const result = await prepared('@link', {}, (project) => symlink('/etc/hosts', join(project, 'link')));
    expect(result).toMatchObject({
      parts: [{ text: '@link' }],
      notes: [expect.stringContaining('outside the workspace')],
    });
  });

  it('leaves out a named pipe and does not hang on it', async () => {
    const result = await prepared('@pipe', {}, async (project) => execFileSync('mkfifo', [join(project, 'pipe')]));
    expect(result).toMatchObject({ notes: ['@pipe was skipped: pipe is not a regular file.'] });
  });

  it('says what could not be read, to the model as well', async () => {
    const result = await prepared('@big.png', {
      files: { 'big.png': Buffer.alloc(4 * 1024 * 1024, '\x89PNG\r\n\x1a\n', 'latin1') },
    });
    expect(result).toMatchObject({ kind: 'prompt', notes: [expect.stringContaining('File too large to send')] });
    expect(JSON.stringify(result)).toContain('(Not read: ');
  });

  it('adds a picture as data', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    expect(await prepared('@a.png', { files: { 'a.png': png } })).toMatchObject({
      parts: [
        { text: '@a.png' },
        {},
        { text: '\nContent from @a.png:\n' },
        { inlineData: { mimeType: 'image/png', data: png.toString('base64') } },
        {},
      ],
    });
  });

  it.each(['dist/a.js', 'node_modules/m/index.js', 'a (1).txt'])(
    'adds %s, which is named, wherever it lies',
    async (name) => {
      const result = await prepared(`@"${name}"`, { files: { [name]: 'x' } });
      expect(result).toMatchObject({ parts: [{ text: `@${name}` }, ...frame([name, 'x'])], notes: [] });
    },
  );

  it('says nothing of a file by its whole path', async () => {
    await using fixture = await openPromptFixture({ files: { 'a.txt': 'x' } });
    const result = await readPrompt(`@${join(fixture.project, 'a.txt')}`, fixture.context);
    expect(result).toMatchObject({ parts: [{ text: '@a.txt' }, ...frame(['a.txt', 'x'])], notes: [] });
  });

  it('is not looked for without end', async () => {
    const text = Array.from({ length: 300 }, (_, index) => `@no${index}`).join(' ');
    expect(await prepared(text)).toMatchObject({
      parts: [{ text }],
      notes: ['Only the first 100 references with @ were resolved; the rest stays text.'],
    });
  });
});
