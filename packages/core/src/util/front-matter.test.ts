import { describe, expect, it } from 'vitest';
import { lineOfKey, parseFrontMatter, splitFrontMatter } from './front-matter.ts';

describe('front matter', () => {
  it('is the YAML between two fences, whatever ends the lines', async () => {
    for (const end of ['\n', '\r\n']) {
      const text = ['---', 'name: a', 'tools: [x, y]', '---', 'Body', '---', 'more'].join(end);
      const split = splitFrontMatter(`\uFEFF${text}`);
      expect(split).toEqual({ block: 'name: a\ntools: [x, y]', body: 'Body\n---\nmore' });
      expect(await parseFrontMatter((split as { block: string }).block)).toEqual({
        values: { name: 'a', tools: ['x', 'y'] },
      });
    }
  });

  it.each([
    ['a missing fence', 'name: a\n', 'must start with a line "---"'],
    ['a missing end', '---\nname: a\n', 'is not closed'],
    ['a huge block', `---\n${'x'.repeat(70_000)}\n---\n`, 'longer than 64 KiB'],
  ])('rejects %s with its line', (_what, text, reason) => {
    expect(splitFrontMatter(text)).toEqual({ line: 1, reason: expect.stringContaining(reason) });
  });

  it('names the line of a mistake in the YAML, and of a key', async () => {
    const block = 'name: a\ndescription: b: c';
    expect(await parseFrontMatter(block)).toEqual({ line: 3, reason: expect.stringContaining('not valid YAML') });
    expect(lineOfKey(block, 'description')).toBe(3);
    expect(lineOfKey(block, 'model')).toBe(1);
    expect(await parseFrontMatter('')).toEqual({ values: {} });
  });
});
