import { describe, expect, it } from 'vitest';
import { editDistance } from './edit-distance.ts';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['same', 'same', 0],
    ['', 'abc', 3],
    ['read', 'reads', 1],
    ['read', 'rad', 1],
    ['grep', 'grap', 1],
    ['form', 'from', 1],
    ['kitten', 'sitting', 3],
  ])('of %j and %j is %i, in both directions', (left, right, distance) => {
    expect(editDistance(left, right)).toBe(distance);
    expect(editDistance(right, left)).toBe(distance);
  });
});
