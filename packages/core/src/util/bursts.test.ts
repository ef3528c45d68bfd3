import { describe, expect, it } from 'vitest';
import { oneByOne, splitBursts } from './bursts.ts';

async function* source<T>(bursts: readonly T[][], log: string[] = []): AsyncGenerator<readonly T[], string> {
  try {
    for (const burst of bursts) yield burst;
    return 'returned';
  } finally {
    log.push('released');
  }
}

async function collect<T, R>(stream: AsyncGenerator<T, R>): Promise<[T[], R]> {
  const items: T[] = [];
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) items.push(step.value);
  return [items, step.value];
}

describe('splitBursts', () => {
  it('gives every item in its order, and what the source returned', async () => {
    expect(await collect(splitBursts(source([[1, 2], [], [3]])))).toEqual([[1, 2, 3], 'returned']);
  });

  it('drops the rest of a burst after an abort, and goes on with what the source says to it', async () => {
    const controller = new AbortController();
    const seen: number[] = [];
    for await (const item of splitBursts(source([[1, 2, 3], [4]]), controller.signal)) {
      seen.push(item);
      if (item === 1) controller.abort();
    }
    expect(seen).toEqual([1, 4]);
  });

  it('lets the source go when its consumer leaves in the middle of a burst', async () => {
    const log: string[] = [];
    for await (const _item of splitBursts(source([[1, 2], [3]], log))) break;
    expect(log).toEqual(['released']);
  });
});

describe('oneByOne', () => {
  it('makes a burst of each item, and returns what the stream returned', async () => {
    expect(await collect(oneByOne(splitBursts(source([[1, 2], [3]]))))).toEqual([[[1], [2], [3]], 'returned']);
  });

  it('lets the stream go when its consumer leaves', async () => {
    const log: string[] = [];
    for await (const _burst of oneByOne(source([[1]], log))) break;
    expect(log).toEqual(['released']);
  });
});
