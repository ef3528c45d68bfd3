/**
 * Whether there is a reason to ask a model about a loop: something in the prompt
 * repeats itself, though not in a cycle that is certain. A long prompt in which every
 * call is new gives none, however long it takes. Pure.
 */

import type { SeenCall } from './call-cycles.ts';

/** The same call with the same result, anywhere among those remembered. */
const SAME_CALLS = 3;
/** Calls in a row that failed, whatever they were. */
const FAILURES_IN_A_ROW = 5;
/** Turns that said the same words. */
const SAME_WORDS = 4;
/** Shorter words, such as "Next file.", recur in good work too. */
const LEAST_WORDS = 40;

export function isSuspicious(calls: readonly SeenCall[], spoken: ReadonlyMap<string, number>): boolean {
  return hasSameCalls(calls) || hasOnlyFailed(calls) || [...spoken.values()].some((count) => count >= SAME_WORDS);
}

/** What a turn said, in the form in which it is counted; undefined for words that are too short to count. */
export function toSpoken(text: string): string | undefined {
  const words = text.replaceAll(/\s+/g, ' ').trim();
  return words.length < LEAST_WORDS ? undefined : words;
}

function hasSameCalls(calls: readonly SeenCall[]): boolean {
  const counts = new Map<string, number>();
  for (const { key, result } of calls) {
    const outcome = `${key} ${result?.digest ?? ''}`;
    const count = (counts.get(outcome) ?? 0) + 1;
    if (count >= SAME_CALLS) return true;
    counts.set(outcome, count);
  }
  return false;
}

function hasOnlyFailed(calls: readonly SeenCall[]): boolean {
  const last = calls.slice(-FAILURES_IN_A_ROW);
  return last.length === FAILURES_IN_A_ROW && last.every(({ result }) => result?.failed);
}
