import { describe, expect, it } from 'vitest';
import {
  EMPTY_SCAN,
  advance,
  cutScan,
  findEnclosingCodeBlockStart,
  findLastSafeSplitPoint,
  isIndexInsideCodeBlock,
  splitPointOf,
} from './split.ts';

describe('findLastSafeSplitPoint', () => {
  /** `|` marks where the text is cut; without one it stays whole. */
  const cases: [title: string, marked: string][] = [
    ['cuts after the last paragraph break', 'one\n\ntwo\n\n|three'],
    ['keeps a single paragraph whole', 'one line\nand another'],
    ['keeps text whole that ends in its only break', 'one\n\n'],
    ['takes a line of spaces for blank', 'one\n  \t\n|two'],
    ['understands Windows line ends', 'one\r\n\r\n|two'],
    ['cuts before a fence that is still open', 'one\n\ntwo\n|```ts\nconst a = 1;\n\nconst b = 2;\n'],
    ['cuts before a fence that has just begun', 'one\ntwo\n|```t'],
    ['cuts after the last break before a closed fence', 'one\n\n|```ts\na\n\nb\n```'],
    ['cuts after a break behind a closed fence', 'one\n```\na\n\nb\n```\n\n|two'],
    ['keeps a closed fence with its neighbours when there is no break', 'one\n```\na\n\nb\n```\ntwo'],
    ['ignores a break inside a fence of tildes', 'one\n\n|~~~\na\n\nb\n~~~\ntwo'],
    ['does not close a fence of four with three', 'one\n|````md\n```\na\n```\n\nb'],
    ['does not close backticks with tildes', 'one\n|```\na\n~~~\n\nb'],
    ['does not close a fence with a line that says more', 'one\n|```\na\n```ts\n\nb'],
    ['recognises an indented fence in a list', '- one\n|  ```sh\n  ls\n\n  pwd'],
    ['does not take inline code for a fence', 'one\n\n|```inline``` code\nand text'],
    ['does not take a long inline span for a fence', `one\n\n|\`\`\`${'x'.repeat(200)}\`\`\` code\nand text`],
    ['does not take two backticks for a fence', 'one\n\n|``\ntwo'],
    ['does not cut off leading blank lines', '\n\n\none'],
  ];

  it.each(cases)('%s', (_title, marked) => {
    const content = marked.replace('|', '');
    const expected = marked.includes('|') ? marked.indexOf('|') : content.length;
    expect(findLastSafeSplitPoint(content)).toBe(expected);
  });

  it('gives 0 when everything is an open fence', () => {
    expect(findLastSafeSplitPoint('```ts\nconst a = 1;\n\nconst b = 2;')).toBe(0);
  });

  it('gives the length of an empty text', () => {
    expect(findLastSafeSplitPoint('')).toBe(0);
  });

  it('prefers the last break within the ideal length', () => {
    expect(findLastSafeSplitPoint('one\n\ntwo\n\nthree', 7)).toBe(5);
  });

  it('goes beyond the ideal length rather than cut a paragraph', () => {
    expect(findLastSafeSplitPoint('one two three\n\nfour', 7)).toBe(15);
  });

  it('goes beyond the ideal length rather than cut a fence', () => {
    const content = '```\na\n\nb\n```\n\nfour';
    expect(findLastSafeSplitPoint(content, 8)).toBe(content.indexOf('four'));
  });
});

describe('code block helpers', () => {
  const content = 'a\n```\nb\n```\nc\n```\nd';

  it('name the start of the block around an index', () => {
    expect([0, 6, 13, content.length].map((index) => findEnclosingCodeBlockStart(content, index))).toEqual([
      -1, 2, -1, 14,
    ]);
  });

  it('tell whether an index is inside a block', () => {
    expect([0, 6, 13, content.length].map((index) => isIndexInsideCodeBlock(content, index))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});

describe('the incremental scan', () => {
  const pieces = ['a', ' ', '\n', '\n\n', '```', '```ts\n', '~~~\n', '`', '``', 'word word', '\r\n', '    '];
  const texts = Array.from({ length: 300 }, (_, seed) => {
    let state = seed * 7919 + 1;
    const next = () => (state = (state * 48271) % 2147483647);
    return Array.from({ length: 30 }, () => pieces[next() % pieces.length]);
  });

  it('finds the same point however the text is divided', () => {
    for (const text of texts) {
      const whole = text.join('');
      const scan = whole.split('').reduce(advance, EMPTY_SCAN);
      expect([whole, splitPointOf(scan)]).toEqual([whole, findLastSafeSplitPoint(whole)]);
    }
  });

  it('knows of the rest after a cut what a fresh scan of the rest would find', () => {
    for (const text of texts) {
      const whole = text.join('');
      const point = findLastSafeSplitPoint(whole);
      if (point === 0 || point === whole.length) continue;
      const rest = whole.slice(point);
      const cut = cutScan(advance(EMPTY_SCAN, whole), point);
      for (const more of ['\nmore', '\n\nmore', 'more\n\nmore', '\n```\n\nmore', '```\n\nmore', '\n~~~\nmore']) {
        const found = splitPointOf(advance(cut, more));
        expect([whole, more, found]).toEqual([whole, more, findLastSafeSplitPoint(rest + more)]);
      }
    }
  });

  it('never leaves an open code block before the cut', () => {
    for (const text of texts) {
      const whole = text.join('');
      const point = findLastSafeSplitPoint(whole);
      if (point === whole.length) continue;
      expect([whole, isIndexInsideCodeBlock(whole, point)]).toEqual([whole, false]);
    }
  });
});
