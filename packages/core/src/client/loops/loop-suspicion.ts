/**
 * Decides whether to ask a model about a loop: something in the prompt repeats, but not in a certain cycle. A prompt
 * in which every call is new gives no reason, however long it takes. Pure.
 */

import type { SeenCall } from './call-cycles.ts';

/** The same call with the same result, anywhere among those remembered. */
const SAME_CALLS = 3;
/** Failed calls in a row, whatever they were. */
const FAILURES_IN_A_ROW = 5;
/** Turns with the same text. */
const SAME_WORDS = 4;
/** Shorter texts, such as "Next file.", recur in good work too. */
const LEAST_WORDS = 40;

/** What repeats, each under a name of its own; empty when there is no reason. */
export function suspicions(calls: readonly SeenCall[], spoken: ReadonlyMap<string, number>): string[] {
  const words = [...spoken].filter(([, count]) => count >= SAME_WORDS).map(([key]) => `words ${key}`);
  return [...sameCalls(calls), ...(hasOnlyFailed(calls) ? ['failures'] : []), ...words];
}

/** Normalises a turn's text for counting; undefined for a text that is too short to count. */
export function toSpoken(text: string): string | undefined {
  if (text.length < LEAST_WORDS) return undefined;
  const words = text.replaceAll(/\s+/g, ' ').trim();
  return words.length < LEAST_WORDS ? undefined : words;
}

function sameCalls(calls: readonly SeenCall[]): string[] {
  const counts = new Map<string, number>();
  for (const { key, result } of calls) {
    const outcome = `call ${key} ${result?.digest ?? ''}`;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= SAME_CALLS).map(([outcome]) => outcome);
}

function hasOnlyFailed(calls: readonly SeenCall[]): boolean {
  const last = calls.slice(-FAILURES_IN_A_ROW);
  return last.length === FAILURES_IN_A_ROW && last.every(({ result }) => result?.failed);
}
