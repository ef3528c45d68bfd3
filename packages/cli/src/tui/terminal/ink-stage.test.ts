import { Text } from 'ink';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { createStage } from './ink-stage.ts';

function Broken(): never {
  throw new Error('broken on purpose');
}

describe('createStage', () => {
  it('gives the rows of every frame at once', () => {
    const frames: (readonly string[])[] = [];
    const stage = createStage({ columns: 20, rows: 5 }, { onFrame: (rows) => frames.push(rows), onBroken: () => {} });
    stage.show(createElement(Text, undefined, 'one'));
    stage.show(createElement(Text, undefined, 'two words\nthree'));
    stage.close();
    expect(frames).toEqual([['one'], ['two words', 'three']]);
  });

  it('lays out anew after a resize', () => {
    const frames: (readonly string[])[] = [];
    const stage = createStage({ columns: 20, rows: 5 }, { onFrame: (rows) => frames.push(rows), onBroken: () => {} });
    stage.show(createElement(Text, undefined, 'four words in all'));
    stage.resize({ columns: 10, rows: 5 });
    stage.close();
    expect(frames.at(-1)?.map((row) => row.trim())).toEqual(['four words', 'in all']);
  });

  it('says when a component throws, and throws nothing itself', async () => {
    const broken = Promise.withResolvers<Error>();
    const stage = createStage({ columns: 20, rows: 5 }, { onFrame: () => {}, onBroken: broken.resolve });
    stage.show(createElement(Broken));
    expect((await broken.promise).message).toBe('broken on purpose');
    stage.close();
  });
});
