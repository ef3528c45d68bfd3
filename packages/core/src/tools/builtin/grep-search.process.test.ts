import { createWorkspace } from '@castor/testkit';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../protocol/tools.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { Workspace } from '../files/workspace.ts';
import { createGrepSearchTool } from './grep-search.ts';
import type { GrepSearchDependencies } from './grep-search.ts';

function createContext(signal = new AbortController().signal): ToolContext {
  return { callId: '1', signal, onOutput: () => undefined, onPid: () => undefined };
}

type Options = Omit<GrepSearchDependencies, 'workspace'>;

async function open(files: Record<string, string | Uint8Array>) {
  const temporary = await createWorkspace({ files });
  const { project: root, home } = temporary;
  const ignore = await IgnoreRules.load(root);
  const workspace = new Workspace({ root, tempDirectory: join(home, 'tmp'), ignore });
  const run = async (args: Record<string, unknown>, options: Options = {}, signal?: AbortSignal) =>
    createGrepSearchTool({ workspace, ...options })
      .build(args)
      .execute(createContext(signal));
  const search = async (args: Record<string, unknown>, options?: Options) =>
    (await run(args, options)).llmContent as string;
  return { root, run, search, [Symbol.asyncDispose]: temporary.dispose };
}

const MANY = {
  'a.txt': 'needle one\nhay\nNEEDLE two\n',
  'sub/b.ts': 'x\nneedle three\r\ny\n',
  'sub/c.js': 'const needle = "fünf 🦫";\nneedles\n',
};

describe('grep_search', () => {
  it('groups matching lines by file', async () => {
    await using project = await open(MANY);
    expect(await project.run({ pattern: 'needle' })).toEqual({
      llmContent: [
        'Found 5 matches for pattern "needle" in path ".":',
        '---',
        'File: a.txt',
        'L1: needle one',
        'L3: NEEDLE two',
        '---',
        'File: sub/b.ts',
        'L2: needle three',
        '---',
        'File: sub/c.js',
        'L1: const needle = "fünf 🦫";',
        'L2: needles',
        '---',
      ].join('\n'),
      returnDisplay: { summary: 'Found 5 matches', files: ['a.txt', 'sub/b.ts', 'sub/c.js'] },
    });
  });

  it('shows what is around a single match', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => (index === 99 ? 'needle' : `line ${index + 1}`));
    await using project = await open({ 'a.txt': lines.join('\n') });
    const text = await project.search({ pattern: 'needle' });
    const shown = text.split('\n');
    expect(shown.slice(0, 4)).toEqual([
      'Found 1 match for pattern "needle" in path ".":',
      '---',
      'File: a.txt',
      'L50- line 50',
    ]);
    expect(shown.slice(-3)).toEqual(['L149- line 149', 'L150- line 150', '---']);
    expect(shown).toContain('L100: needle');
  });

  it('shows less around two matches and nothing around the fourth', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => (index % 50 === 20 ? 'needle' : 'hay'));
    await using project = await open({ 'a.txt': lines.join('\n'), 'b.txt': 'needle\n'.repeat(2) });
    const two = await project.search({ pattern: 'needle', dir_path: 'a.txt' });
    expect(two.split('\n').filter((line) => /^L\d+-/.test(line))).toHaveLength(60);
    const four = await project.search({ pattern: 'needle' });
    expect(four.split('\n').filter((line) => /^L\d+-/.test(line))).toEqual([]);
  });

  it('says that nothing was found, and where', async () => {
    await using project = await open(MANY);
    expect(await project.search({ pattern: 'absent', dir_path: 'sub', include_pattern: '*.ts' })).toBe(
      'No matches found for pattern "absent" in path "sub" (filter: "*.ts").',
    );
  });

  it('ends as soon as it has enough, and says so', async () => {
    await using project = await open({ 'a.txt': 'needle\n'.repeat(50_000) });
    const { llmContent, returnDisplay } = await project.run({ pattern: 'needle', total_max_matches: 7 });
    expect(llmContent).toMatch(
      /^Found 7 matches for pattern "needle" in path "\." \(results limited to 7 matches for performance\):\n/,
    );
    expect(returnDisplay).toEqual({ summary: 'Found 7 matches (limited)', files: ['a.txt'] });
  });

  it('cuts long lines, even those of many megabytes', async () => {
    await using project = await open({
      'a.txt': `${'x'.repeat(12_000_000)}needle${'y'.repeat(9)}\nneedle\n`,
      'b.txt': 'needle\nneedle\n',
    });
    const text = await project.search({ pattern: 'needle' });
    expect(text.split('\n').map((line) => line.slice(0, 20))).toEqual([
      'Found 4 matches for ',
      '---',
      'File: a.txt',
      `L1: ${'x'.repeat(16)}`,
      'L2: needle',
      '---',
      'File: b.txt',
      'L1: needle',
      'L2: needle',
      '---',
    ]);
    expect(text.length).toBeLessThan(2_500);
  });

  it('returns the words of ripgrep for a pattern it cannot read', async () => {
    await using project = await open(MANY);
    await expect(project.run({ pattern: 'a(' })).rejects.toMatchObject({
      type: 'grep_execution_error',
      message: expect.stringContaining('unclosed group'),
    });
  });

  it('takes look-around, which needs the other engine', async () => {
    await using project = await open(MANY);
    expect(await project.search({ pattern: '(?<=NEEDLE )two', case_sensitive: true, context: 0 })).toContain(
      'L3: NEEDLE two',
    );
  });

  it('takes a pattern for a pattern, never for an option', async () => {
    await using project = await open({ 'a.txt': '--files\n', 'b.txt': 'x\n' });
    expect(await project.search({ pattern: '--files', names_only: true })).toBe(
      'Found 1 files with matches for pattern "--files" in path ".":\na.txt',
    );
  });

  it('stays in the workspace and refuses what is no file', async () => {
    await using project = await open(MANY);
    await symlink('/etc', join(project.root, 'outside'));
    await expect(project.run({ pattern: 'root', dir_path: 'outside' })).rejects.toMatchObject({
      type: 'path_not_in_workspace',
    });
    await expect(project.run({ pattern: 'root', dir_path: 'nowhere' })).rejects.toMatchObject({
      type: 'search_path_not_found',
    });
    expect(await project.search({ pattern: '^root:' })).toBe('No matches found for pattern "^root:" in path ".".');
  });

  it('ends ripgrep when it is aborted', async () => {
    await using project = await open({ 'a.txt': 'needle\n'.repeat(100_000) });
    const controller = new AbortController();
    const running = project.run({ pattern: 'needle', total_max_matches: 1_000_000 }, {}, controller.signal);
    setImmediate(() => controller.abort());
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });

  it.each([true, false])('gives up after its time, with ripgrep: %s', async (useRipgrep) => {
    await using project = await open({ 'a.txt': `${'a'.repeat(1_000_000)}\n`.repeat(7) });
    const running = project.run({ pattern: '(a+)+b\\1' }, { useRipgrep, timeoutMs: 1 });
    await expect(running).rejects.toMatchObject({ type: 'grep_execution_error' });
  });

  it('ends an expression that would take for ever in the scan and in exclude_pattern', { tags: 'wide' }, async () => {
    await using project = await open({ 'a.txt': `${'a'.repeat(40)}!\n` });
    const evil = '^(a+)+$';
    const expected = { type: 'grep_execution_error', message: expect.stringContaining('takes too long') };
    await expect(project.run({ pattern: evil }, { useRipgrep: false })).rejects.toMatchObject(expected);
    await expect(project.run({ pattern: 'a', exclude_pattern: evil })).rejects.toMatchObject(expected);
  });
});

describe('grep_search without ripgrep', () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('needle in sixteen\n', 'utf16le')]);
  const files = {
    ...MANY,
    '.gitignore': 'ignored/\n*.gen.ts\n',
    '.geminiignore': '/private.txt\n',
    'private.txt': 'needle\n',
    'sub/private.txt': 'needle\n',
    'ignored/x.txt': 'needle\n',
    'x.gen.ts': 'needle\n',
    'node_modules/m/i.js': 'needle\n',
    'dist/out.js': 'needle\n',
    'server.log': 'needle\n',
    '.github/workflow.yml': 'needle\n',
    '.git/config': 'needle\n',
    'binary.bin': 'needle\n\0needle\n',
    'wide.txt': utf16,
    'invalid.txt': Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0xff, 0x0a]),
    'long.txt': `needle ${'x'.repeat(5_000)}\n`,
  };

  const IGNORED = /ignored\/|gen\.ts|node_modules|dist\/|\.log|path "\."[^]*(^|: )private/;

  it.each<[Record<string, unknown>]>([
    [{ pattern: 'needle' }],
    [{ pattern: 'needle', case_sensitive: true }],
    [{ pattern: 'needle', names_only: true }],
    [{ pattern: 'needle', include_pattern: '*.{ts,js}' }],
    [{ pattern: 'needle', include_pattern: 'sub/*' }],
    [{ pattern: 'needle', dir_path: 'sub' }],
    [{ pattern: 'needle', dir_path: 'sub/c.js' }],
    [{ pattern: 'needle', exclude_pattern: 'three|NEEDLE' }],
    [{ pattern: 'needle', max_matches_per_file: 1 }],
    [{ pattern: 'needle', no_ignore: true }],
    [{ pattern: 'needle (one|three)$', context: 1 }],
    [{ pattern: 'needle', after: 1 }],
    [{ pattern: 'needle', before: 1 }],
    [{ pattern: 'const needle = "', fixed_strings: true }],
    [{ pattern: 'FÜNF' }],
    [{ pattern: '^hay$' }],
    [{ pattern: 'nothing of the kind' }],
  ])('gives the same text for %j', async (args) => {
    await using project = await open(files);
    const withRipgrep = await project.search(args);
    expect(await project.search(args, { useRipgrep: false })).toBe(withRipgrep);
    expect(withRipgrep).not.toMatch(args['no_ignore'] ? /\.git\/config/ : IGNORED);
  });
});
