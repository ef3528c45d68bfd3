import { describe, expect, it } from 'vitest';
import { RepeatedContent } from './repeated-content.ts';

/** Exactly 50 characters. */
const SENTENCE = 'I will now check the file again to be very sure.. ';

function repeat(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}

/** Text that does not repeat itself. */
function prose(length: number, seed = 1): string {
  let state = seed;
  const next = () => (state = (state * 48271) % 2147483647);
  return repeat(length, () => 'abcdefghijklmnopqrstuvwxyz     '[next() % 31] ?? ' ');
}

function isLoop(text: string): boolean {
  return new RepeatedContent().add(text) !== undefined;
}

describe('RepeatedContent', () => {
  it('finds a sentence of 50 characters the tenth time, not before', () => {
    expect([isLoop(SENTENCE.repeat(9) + SENTENCE.slice(0, 49)), isLoop(SENTENCE.repeat(10))]).toEqual([false, true]);
  });

  it('says what is repeated', () => {
    expect(new RepeatedContent().add(SENTENCE.repeat(10))).toBe(SENTENCE);
  });

  it.each([
    ['a short word', 'no '.repeat(400)],
    ['a paragraph', `${prose(200)}\n`.repeat(12)],
    ['a sentence after a long answer', prose(20_000) + SENTENCE.repeat(11)],
    ['a sentence with a little variety in between', repeat(20, (index) => SENTENCE + prose(30, 1 + (index % 3)))],
    ['text after inline code that looks like a fence', `\`\`\`code\`\`\` is here\n${SENTENCE.repeat(10)}`],
    ['text after a closed code block', `\`\`\`\ncode\n\`\`\`\n${SENTENCE.repeat(10)}`],
    ['characters outside the basic plane', 'Всё хорошо 👍🏽 и ещё раз всё хорошо 👍🏽, да! '.repeat(20)],
  ])('finds %s', (_title, text) => {
    expect(isLoop(text)).toBe(true);
  });

  it.each([
    ['one character', 'a'.repeat(60_000)],
    ['blank lines', '\n'.repeat(600)],
    ['spaces', ' '.repeat(600)],
    ['a long line of dashes', '-'.repeat(3000)],
    ['padding in a table', `| a | ${' '.repeat(3000)}`],
  ])('lets pass %s: filler says nothing, however often', (_title, text) => {
    expect(isLoop(text)).toBe(false);
  });

  const path = 'packages/core/src/components/navigation/breadcrumbs/';
  it.each([
    ['prose', prose(100_000)],
    ['a list with a long common prefix', repeat(60, (index) => `- ${path}item-${index}.ts was renamed.\n`)],
    [
      'lines with a long common prefix that are no list',
      repeat(60, (index) => `${path}item-${index}.ts was renamed.\n`),
    ],
    [
      'a numbered list of equal items',
      repeat(60, (index) => `${index}. Run the whole test suite and look at its output carefully.\n`),
    ],
    ['a table of equal rows', repeat(60, () => '| value | another value | one more value | and the last one |\n')],
    ['a wide table', `| ${'-'.repeat(900)} | ${'-'.repeat(900)} |\n| ${'a'.padEnd(900)} | ${'b'.padEnd(900)} |\n`],
    [
      'a code block of equal lines',
      `\`\`\`ts\n${'  expect(await read(path)).toEqual(expected[index]);\n'.repeat(60)}\`\`\`\n`,
    ],
    [
      'an indented code block in a list',
      `1. First:\n   ~~~\n${'   assert.equal(actual.value, expected.value, message);\n'.repeat(60)}   ~~~\n`,
    ],
    ['a code block that shows a fence of another kind', `~~~\n\`\`\`\n${SENTENCE.repeat(20)}\n\`\`\`\n~~~\n`],
    ['equal headings', repeat(60, () => '## What has been changed in this part of the program\n\n')],
    ['quotes', repeat(60, () => '> It was the best of times, it was the worst of times,\n')],
    ['dividers', repeat(60, (index) => `${'='.repeat(80)}\nPart ${index}\n${'─'.repeat(80)}\n`)],
    ['a sentence far apart', repeat(12, (index) => SENTENCE + prose(300, index + 1))],
    ['a passage of more than 250 characters', repeat(12, () => SENTENCE + prose(250))],
    ['a run of dots', `Compiling ${'.'.repeat(300)} done.`],
    ['a sentence with ever new text in between', repeat(40, (index) => SENTENCE + prose(60, index + 1))],
  ])('does not find one in %s', (_title, text) => {
    expect(isLoop(text)).toBe(false);
  });

  it('gives the same verdict at the same character however the text is divided', () => {
    const texts = [
      `# Title\n\n- item\n\`\`\`\n${SENTENCE.repeat(12)}\n\`\`\`\n---\n${prose(500)}${SENTENCE.repeat(12)}`,
      `12. x\n| a |\n**bold** ${'no '.repeat(300)}`,
      repeat(30, (index) => `${path}item-${index}\n`),
    ];
    for (const text of texts) {
      /** Which piece completes the loop. */
      const findPiece = (size: number) => {
        const detector = new RepeatedContent();
        for (let piece = 0; piece * size < text.length; piece++) {
          if (detector.add(text.slice(piece * size, (piece + 1) * size)) !== undefined) return piece;
        }
        return undefined;
      };
      const character = findPiece(1);
      const sizes = [2, 3, 7, 64, 1000, text.length];
      expect(sizes.map(findPiece)).toEqual(
        sizes.map((size) => (character === undefined ? undefined : Math.floor(character / size))),
      );
    }
  });

  it('starts anew after a find', () => {
    const detector = new RepeatedContent();
    expect(detector.add(SENTENCE.repeat(10))).toBeDefined();
    expect(detector.add(SENTENCE.repeat(9))).toBeUndefined();
    expect(detector.add(SENTENCE)).toBeDefined();
  });

  it('forgets everything when reset', () => {
    const detector = new RepeatedContent();
    detector.add(`\`\`\`\n${SENTENCE.repeat(9)}`);
    detector.reset();
    expect(detector.add(SENTENCE.repeat(9))).toBeUndefined();
    expect(detector.add(SENTENCE)).toBeDefined();
  });

  it('remembers the text but not the code block when an answer ends', () => {
    const detector = new RepeatedContent();
    detector.add(SENTENCE.repeat(5));
    detector.endAnswer();
    expect(detector.add(SENTENCE.repeat(5))).toBeDefined();
    detector.add('```\nopen');
    detector.endAnswer();
    expect(detector.add(SENTENCE.repeat(10))).toBeDefined();
  });

  it('reads each character once, however much came before', () => {
    const detector = new RepeatedContent();
    detector.add(prose(50_000));
    const original = Object.getOwnPropertyDescriptor(String.prototype, 'charCodeAt') as PropertyDescriptor;
    let reads = 0;
    Object.defineProperty(String.prototype, 'charCodeAt', {
      ...original,
      value(this: string, index: number) {
        reads++;
        return Reflect.apply(original.value as (index: number) => number, this, [index]);
      },
    });
    try {
      detector.add(prose(1000, 7));
    } finally {
      Object.defineProperty(String.prototype, 'charCodeAt', original);
    }
    expect(reads).toBe(1000);
  });
});
