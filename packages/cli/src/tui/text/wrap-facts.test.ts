import { expect, it } from 'vitest';
import { wrapFacts } from './wrap-facts.ts';

const FACTS = '8 calls, 3 failed · 1 file +1 −1 · 1.2 s · $0.0004';

it.each([
  [80, [FACTS]],
  [39, ['8 calls, 3 failed · 1 file +1 −1 ·', '1.2 s · $0.0004']],
  [20, ['8 calls, 3 failed ·', '1 file +1 −1 ·', '1.2 s · $0.0004']],
])('breaks a row of facts between them at %i columns', (width, rows) => {
  expect(wrapFacts(FACTS, width)).toEqual(rows);
});
