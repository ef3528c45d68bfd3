/** Finds the places where a history may be divided: prompts of the user, and steps of one long prompt. */

import type { Content } from '../protocol/content.ts';
import { hasFunctionCall, hasFunctionResponse } from './parts.ts';

/**
 * The index where the newest part of the history, about `1 - fraction` of it by size, starts at a prompt of the user.
 * 0 when there is no such place; the length when everything before it may be removed.
 */
export function findIndexAfterFraction(history: readonly Content[], fraction: number): number {
  if (fraction <= 0 || fraction >= 1) throw new Error('Fraction must be between 0 and 1.');
  const isOwnWords = (content: Content) => content.role === 'user' && !hasFunctionResponse(content);
  const { after, before } = findPlaces(history, fraction, isOwnWords);
  if (after !== undefined) return after;
  const last = history.at(-1);
  const endsWithAnswer = last?.role === 'model' && !hasFunctionCall(last);
  return endsWithAnswer ? history.length : before;
}

/**
 * The same inside one long prompt, where hundreds of turns pass without a user message: the index of a model turn
 * that requests calls after earlier calls were answered. 0 when there is none.
 */
export function findStepAfterFraction(history: readonly Content[], fraction: number): number {
  const isStep = (content: Content, index: number) =>
    hasFunctionCall(content) && hasFunctionResponse(history[index - 1]);
  const { after, before } = findPlaces(history, fraction, isStep);
  return after ?? before;
}

/** The first such turn after the fraction of the history by size, and the last before it (0 when there is none). */
function findPlaces(
  history: readonly Content[],
  fraction: number,
  isPlace: (content: Content, index: number) => boolean,
): { after: number | undefined; before: number } {
  const sizes = history.map((content) => JSON.stringify(content).length);
  const target = sizes.reduce((sum, size) => sum + size, 0) * fraction;
  let passed = 0;
  let before = 0;
  for (const [index, content] of history.entries()) {
    if (isPlace(content, index)) {
      if (passed >= target) return { after: index, before };
      before = index;
    }
    passed += sizes[index] ?? 0;
  }
  return { after: undefined, before };
}
