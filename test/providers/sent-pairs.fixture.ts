/** What rows about calls check of the last request, and how they cut a text. */

import { expect } from 'vitest';
import type { Scene } from './scene.fixture.ts';
import { sentIn } from './sent-request.fixture.ts';
import type { SentRequest } from './sent-request.fixture.ts';

export function lastSent(scene: Scene): SentRequest {
  return sentIn(scene.protocol, scene.requests().at(-1)!);
}

/** Every call of the last request has one result, in the order of the calls and under the same id. */
export function checkPairs(scene: Scene): void {
  const { calls, results } = lastSent(scene);
  expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
}

/** In pieces of so many characters. */
export function inPieces(words: string, size: number): string[] {
  const characters = [...words];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}
