import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { resolveImports } from './context-imports.ts';
import { readContextFile } from './context-reader.ts';

async function imported(
  files: Record<string, string>,
  format: 'tree' | 'flat' = 'tree',
  prepare?: (project: string) => Promise<void>,
) {
  await using workspace = await createWorkspace({ files });
  await prepare?.(workspace.project);
  const file = await readContextFile(join(workspace.project, 'GEMINI.md'));
  if ('reason' in file) throw new Error(file.reason);
  const options = { name: 'GEMINI.md', format, allowedRoots: [workspace.project], maxCharacters: 10_000 };
  const { text, warnings } = await resolveImports(file, options);
  const withoutRoot = (each: string) => each.replaceAll(workspace.project, '<project>');
  return { text: withoutRoot(text), warnings: warnings.map(withoutRoot) };
}

const framed = (name: string, text: string) =>
  `<!-- Imported from: ${name} -->\n${text}\n<!-- End of import from: ${name} -->`;

describe('imports of context files', () => {
  it.each<[string, Record<string, string>, string]>([
    ['on their own', { 'GEMINI.md': '@./a.md\n', 'a.md': 'A\n' }, `${framed('./a.md', 'A')}\n`],
    ['inside a text', { 'GEMINI.md': 'See @a.md, please.', 'a.md': 'A' }, `See ${framed('a.md', 'A')}, please.`],
    [
      'relative to the file that names them',
      { 'GEMINI.md': '@./d/a.md', 'd/a.md': '@../b.md', 'b.md': 'B' },
      framed('./d/a.md', framed('../b.md', 'B')),
    ],
    [
      'once each',
      { 'GEMINI.md': '@a.md\n@a.md', 'a.md': 'A' },
      `${framed('a.md', 'A')}\n<!-- File already processed: a.md -->`,
    ],
    [
      'in a circle',
      { 'GEMINI.md': '@a.md', 'a.md': '@GEMINI.md' },
      framed('a.md', '<!-- File already processed: GEMINI.md -->'),
    ],
  ])('%s are put in place', async (_, files, expected) => {
    expect(await imported(files)).toEqual({ text: expected, warnings: [] });
  });

  it.each([
    ['in a fence', '```\n@a.md\n```'],
    ['in a fence of tildes that is never closed', '~~~ sh\n@a.md\n```\n'],
    ['in a code span', 'use `@a.md` and ``x ` @a.md``'],
    ['in an address', 'mail me@a.md'],
    ['of a package', 'install @types/node and ask @alice'],
    ['with a scheme', '@https://example.org/a.md'],
    ['without a name', '@ @. @.. @/ @-a.md @1.md'],
  ])('%s stay text', async (_, text) => {
    expect(await imported({ 'GEMINI.md': text, 'a.md': 'A' })).toEqual({ text, warnings: [] });
  });

  it('after code are still seen', async () => {
    const { text } = await imported({ 'GEMINI.md': '`@a.md` then ```x``` and\n\n` @a.md', 'a.md': 'A' });
    expect(text).toBe(`\`@a.md\` then \`\`\`x\`\`\` and\n\n\` ${framed('a.md', 'A')}`);
  });

  it('go five levels deep, and deeper ones stay text', async () => {
    const files = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`${n}x.md`, `at ${n} @./${n + 1}x.md`]));
    const { text, warnings } = await imported({ 'GEMINI.md': '@./1x.md', ...files });
    expect(text.match(/Imported from: \S+/g)).toEqual([1, 2, 3, 4, 5].map((n) => `Imported from: ./${n}x.md`));
    expect(text).toContain('at 5 @./6x.md');
    expect(warnings).toEqual([]);
  });

  it.each<[string, string, string, (project: string) => Promise<void>]>([
    ['is not there', './no.md', 'no such file', async () => undefined],
    ['lies outside', '/etc/hosts', 'it is outside the allowed folders', async () => undefined],
    [
      'is a link that leads out',
      './link.md',
      'it is outside the allowed folders',
      (project) => symlink('/etc/hosts', join(project, 'link.md')),
    ],
    ['is a directory', './d.md', 'it is a directory', async () => undefined],
  ])('of what %s leave a comment and a warning', async (_, target, reason, prepare) => {
    expect(await imported({ 'GEMINI.md': `x\n\n@${target} y`, 'd.md/x': '' }, 'tree', prepare)).toEqual({
      text: `x\n\n<!-- Import failed: ${target} - ${reason} --> y`,
      warnings: [`GEMINI.md, line 3: ${target} was not imported: ${reason}.`],
    });
  });

  it('that would be too large together are refused', async () => {
    const { text } = await imported({ 'GEMINI.md': '@a.md', 'a.md': 'x'.repeat(20_000) });
    expect(text).toBe('<!-- Import failed: a.md - the context files together are too large -->');
  });

  it('that fail by the hundred are warned of in a few lines, and end', async () => {
    const { text, warnings } = await imported({ 'GEMINI.md': '@./no.md '.repeat(3000), x: '' });
    expect(text.match(/Import failed/g)).toHaveLength(1000);
    expect(warnings).toHaveLength(11);
    expect(warnings.at(-1)).toBe('GEMINI.md: 991 more warnings of this kind.');
  });

  it('in flat form follow each other, each file once', async () => {
    const files = { 'GEMINI.md': 'top @a.md @b.md', 'a.md': 'A @b.md', 'b.md': 'B @GEMINI.md' };
    expect(await imported(files, 'flat')).toEqual({
      text: [
        '--- File: <project>/GEMINI.md ---\ntop @a.md @b.md\n--- End of File: <project>/GEMINI.md ---',
        '--- File: <project>/a.md ---\nA @b.md\n--- End of File: <project>/a.md ---',
        '--- File: <project>/b.md ---\nB @GEMINI.md\n--- End of File: <project>/b.md ---',
      ].join('\n\n'),
      warnings: [],
    });
  });
});
