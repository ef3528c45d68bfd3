import { expect, it } from 'vitest';
import type { ServerQuestion } from '../protocol/server-questions.ts';
import type { BoundsWish, ConfirmedWish } from '../sandbox/bounds-desk.ts';
import { createBoundsQuestion } from './sandbox-questions.ts';

/** The words of the approval before a command that asks for more by itself. */
const LEAVE = 'Leave the sandbox';

it.each<[wish: BoundsWish | ConfirmedWish, title: string]>([
  [{ kind: 'host', what: 'a.example', command: 'npm ci' }, LEAVE],
  [{ kind: 'write', what: '/notes', command: 'npm ci' }, LEAVE],
  [{ kind: 'leave', what: '', command: 'npm ci' }, LEAVE],
  [{ kind: 'delete', what: '/notes', command: 'rm /notes' }, 'Delete for good'],
])('asks about $kind under the title that says what a yes means', async (wish, title) => {
  const asked: ServerQuestion[] = [];
  const ask = createBoundsQuestion((question) => {
    asked.push(question);
    return Promise.resolve({ action: 'cancel' });
  });
  expect(await ask?.(wish, new AbortController().signal)).toBe('no');
  expect(asked).toEqual([expect.objectContaining({ ownTitle: title })]);
});
