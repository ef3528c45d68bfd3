/**
 * Tables whose rows are variants of one promise, each with a program, a terminal or a server of its own. `npm test` runs
 * a seventh of the rows, spread over the table; the others are tagged `wide` and run with `npm run endurance`.
 */

import { type TestOptions, it } from 'vitest';

type Test = (...values: unknown[]) => void | Promise<void>;

/** Each of this many rows, beginning with the first, runs in `npm test`. */
const EVERY = 7;

/** In the place of `it`. */
export const variants = { each: eachVariant as unknown as typeof it.each };

function eachVariant(rows: readonly unknown[]) {
  return (name: string, first: Test | TestOptions, second?: Test | number): void => {
    const test = (typeof first === 'function' ? first : second) as Test;
    const options = typeof first === 'function' ? { ...(typeof second === 'number' && { timeout: second }) } : first;
    for (const [index, row] of rows.entries())
      it.each([row])(name, index % EVERY === 0 ? options : { ...options, tags: ['wide'] }, test);
  };
}
