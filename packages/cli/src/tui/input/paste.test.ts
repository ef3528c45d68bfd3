import { describe, expect, it } from 'vitest';
import {
  escapeAt,
  NO_BLOCKS,
  escapeReference,
  foldPaste,
  isLongPaste,
  keepRecent,
  refold,
  toImagePath,
  unfold,
  withoutBlocks,
} from './paste.ts';

describe('foldPaste', () => {
  it('stands for the text with one character, and gives it back whole', () => {
    const text = 'line\r\n'.repeat(9);
    const one = foldPaste(NO_BLOCKS, text);
    const two = foldPaste(one.blocks, text, `with ${one.character}`);
    const three = foldPaste(two.blocks, 'x'.repeat(2000));
    expect([...three.blocks.labels.values()]).toEqual([
      '[Pasted Text: 9 lines]',
      '[Pasted Text: 9 lines #2]',
      '[Pasted Text: 2000 chars]',
    ]);
    expect(unfold(`a${two.character}b${one.character}`, two.blocks)).toBe(`a${text}b${text}`);
  });

  it('keeps the newest blocks for recalling them', () => {
    let blocks = NO_BLOCKS;
    for (let index = 0; index < 30; index++) blocks = foldPaste(blocks, `text ${index}`).blocks;
    const kept = keepRecent(blocks);
    expect([...kept.contents.values()]).toEqual(Array.from({ length: 20 }, (_, index) => `text ${index + 10}`));
    const next = foldPaste(kept, 'new');
    expect(kept.contents.has(next.character)).toBe(false);
    expect(unfold(refold('see text 29!', kept), kept)).toBe('see text 29!');
    expect(refold('see text 29!', kept)).not.toContain('text 29');
  });

  it('lets no text from outside stand for a block', () => {
    const { blocks, character } = foldPaste(NO_BLOCKS, 'secret');
    expect(withoutBlocks(`a${character}b`, blocks)).toBe('a\ufffdb');
  });
});

describe('isLongPaste', () => {
  it.each<[string, boolean]>([
    ['a\nb\nc\nd\ne', false],
    ['a\nb\nc\nd\ne\nf', true],
    ['a\r\nb\r\nc', false],
    ['x'.repeat(1000), false],
    ['x'.repeat(1001), true],
  ])('says of %j: %s', (text, isLong) => {
    expect(isLongPaste(text)).toBe(isLong);
  });
});

describe('toImagePath', () => {
  it.each<[string, string | undefined]>([
    ['/tmp/a.png', '/tmp/a.png'],
    ["'/tmp/a b.PNG'\n", '/tmp/a b.PNG'],
    [String.raw`/tmp/a\ b.jpeg`, '/tmp/a b.jpeg'],
    ['file:///tmp/a%20b.webp', '/tmp/a b.webp'],
    ['./a.gif', './a.gif'],
    ['look at a.png', undefined],
    ['/tmp/a.txt', undefined],
    ['/tmp/a.png\n/tmp/b.png', undefined],
  ])('takes %j for %j', (text, path) => {
    expect(toImagePath(text)).toBe(path);
  });
});

describe('escapeReference', () => {
  it('escapes what would end a reference', () => {
    expect(escapeReference('a b/(c).ts')).toBe(String.raw`a\ b/\(c\).ts`);
  });
});

describe('escapeAt', () => {
  it('lets no `@` name a file, and leaves addresses alone', () => {
    expect(escapeAt('@a me@b.de (@c) @@ -1 \\@d')).toBe(String.raw`\@a me@b.de (\@c) \@@ -1 \@d`);
  });
});
