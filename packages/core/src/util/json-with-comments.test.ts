import { seededRandom } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { findEntry, JsonMistake, parseJsonItems, parseJsonNode, toValue } from './json-with-comments.ts';

function read(text: string): unknown {
  const node = parseJsonNode(text);
  return node === undefined ? undefined : toValue(node);
}

describe('the tree of a text', () => {
  it('knows where entries and values stand', () => {
    const text = '\ufeff// c\n{ "a": [1, {"b" : "x"}], }';
    const root = parseJsonNode(text);
    const { entry } = findEntry(root, ['a'])!;
    expect(text.slice(entry.start, entry.end)).toBe('"a": [1, {"b" : "x"}]');
    expect(text.slice(entry.node.start, entry.node.end)).toBe('[1, {"b" : "x"}]');
    expect([root?.start, root?.end]).toEqual([6, text.length]);
  });

  it('says what JSON.parse says of any JSON, and refuses what it refuses but for trailing commas', () => {
    const random = seededRandom(11);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
    const seeds = [
      '{"a": [1, -0.5e+3, true], "b\\u00e9": {"c": null, "d": "x\\n\\"\\\\"}}',
      '[{}, [], "", 0, -0, 1E400, false, {"__proto__": 1, "a": 1, "a": 2}]',
      '"\\ud83d\\u00ff ü😀\u2028\u007f"',
    ];
    const marks = [...'{}[],:"\\0123.eE+-truefalsn u\n\t\u0001\u0085x ', ''];
    let accepted = 0;
    for (let round = 0; round < 5_000; round += 1) {
      let text = pick(seeds);
      for (let change = Math.floor(random() * 4); change > 0; change -= 1) {
        const at = Math.floor(random() * (text.length + 1));
        text = text.slice(0, at) + pick(marks) + text.slice(at + Math.floor(random() * 2));
      }
      const expected = attempt(() => JSON.parse(text) as unknown);
      const actual = attempt(() => read(text));
      if ('value' in expected) {
        accepted += 1;
        expect(actual, JSON.stringify(text)).toEqual(expected);
      } else if ('value' in actual) expect(text).toMatch(/,\s*[}\]]|^\s*$/);
    }
    expect(accepted).toBeGreaterThan(800);
  });

  function attempt(run: () => unknown): { value: unknown } | { failed: true } {
    try {
      return { value: run() };
    } catch (error) {
      if (error instanceof JsonMistake || error instanceof SyntaxError) return { failed: true };
      throw error;
    }
  }

  it('reads texts and comments of megabytes', () => {
    const long = 'x*/'.repeat(1_000_000);
    const blocks = `/*${'y* '.repeat(1_000_000)}*/`;
    expect(read(`//${long}\n${blocks}{"a": ${JSON.stringify(`${long}\n"`)}, ${' '.repeat(1_000_000)}"b": 1}`)).toEqual({
      a: `${long}\n"`,
      b: 1,
    });
  });
});

describe('the items of a list', () => {
  const itemsOf = (text: string) =>
    parseJsonItems(text)?.map((item) => (item instanceof JsonMistake ? `mistake at ${item.offset}` : toValue(item)));

  it.each<[string, unknown[] | undefined]>([
    ['[1, {"a": [2]}, /* three */ "x, y", ]', [1, { a: [2] }, 'x, y']],
    ['\ufeff// list\n[]', []],
    ['[{"a": }, 2]', ['mistake at 7', 2]],
    ['[{"a": [1, "]"}, 2]', ['mistake at 14']],
    ['[nonsense, }, 3]', ['mistake at 1', 'mistake at 11', 3]],
    ['[1 2, 3]', ['mistake at 3', 3]],
    ['[1, 2', [1, 2]],
    ['[1, /* open', [1, 'mistake at 4']],
    ['{}', undefined],
    ['nonsense', undefined],
    ['/* open', undefined],
    ['', undefined],
  ])('of %j are read one by one', (text, items) => {
    expect(itemsOf(text)).toEqual(items);
  });
});
