import { describe, expect, it } from 'vitest';
import { ItemList } from './item-list.ts';

const NUMBERS = { weigh: () => 1, capacity: Infinity };

function listOf(count: number, options = NUMBERS): ItemList<number> {
  let list = ItemList.empty<number>(options);
  for (let item = 0; item < count; item++) list = list.append(item);
  return list;
}

describe('ItemList', () => {
  it('gives back what was appended, in order', () => {
    const list = listOf(1000);
    expect([list.length, list.firstIndex, list.at(0), list.at(127), list.at(128), list.at(999), list.at(1000)]).toEqual(
      [1000, 0, 0, 127, 128, 999, undefined],
    );
    expect([...list]).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  });

  it('gives the items from an index on', () => {
    const list = listOf(300);
    expect([list.slice(298), list.slice(300), list.slice(126).slice(0, 4)]).toEqual([
      [298, 299],
      [],
      [126, 127, 128, 129],
    ]);
  });

  it.each([3, 127, 128, 129, 256])('never changes a list of %i that was handed out', (length) => {
    const base = listOf(length);
    const left = base.append(-1).append(-2);
    const right = base.append(-3);
    expect([base.length, base.slice(length), left.slice(length), right.slice(length)]).toEqual([
      length,
      [],
      [-1, -2],
      [-3],
    ]);
    expect(right.slice(0).slice(0, length)).toEqual([...base]);
  });

  it('lets the oldest items go when it grows too heavy, and goes on counting them', () => {
    const list = listOf(10_000, { weigh: () => 10, capacity: 2000 });
    expect(list.length).toBe(10_000);
    expect(list.length - list.firstIndex).toBeLessThanOrEqual(2000 / 10 + 128);
    expect(list.at(0)).toBeUndefined();
    expect(list.slice(9998)).toEqual([9998, 9999]);
    expect(list.slice(0)[0]).toBe(list.firstIndex);
  });

  it('keeps a single item that is heavier than its capacity', () => {
    const list = ItemList.empty<string>({ weigh: (item) => item.length, capacity: 10 }).append('x'.repeat(100));
    expect([...list.append('y')]).toEqual(['y']);
    expect([...list]).toEqual(['x'.repeat(100)]);
  });
});
