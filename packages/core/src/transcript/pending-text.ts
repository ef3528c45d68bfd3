/**
 * Commits the text of a growing answer, and withdraws it when its attempt fails. An inline terminal cannot erase what
 * it printed. So a `retry` drops the pending text, and if some of the attempt's text is already committed, a note
 * marks it as void.
 */

import type { RetryValue } from '../protocol/events.ts';
import { WITHDRAWN_BY_FAILURE, WITHDRAWN_BY_RETRY } from './messages.ts';
import { EMPTY_SCAN, advance, cutScan, splitPointOf } from './split.ts';
import { MessageType, commit } from './transcript.ts';
import type { PendingText, Transcript } from './transcript.ts';

export function appendText(state: Transcript, delta: string): Transcript {
  if (state.prompt?.isCancelled || delta === '') return state;
  const before = state.pendingText ?? beginText(state);
  const nextId = state.pendingText ? state.nextId : state.nextId + 1;
  const pendingText = { ...before, text: before.text + delta, scan: advance(before.scan, delta) };
  const point = splitPointOf(pendingText.scan);
  if (point === 0 || point === pendingText.scan.length) return { ...state, pendingText, nextId };
  return cutText({ ...state, pendingText, nextId }, pendingText, point);
}

function beginText({ nextId, attempt }: Transcript): PendingText {
  const type = attempt ? MessageType.GEMINI_CONTENT : MessageType.GEMINI;
  return { id: nextId, type, text: '', scan: EMPTY_SCAN };
}

function cutText(state: Transcript, pending: PendingText, point: number): Transcript {
  return {
    ...commitText(state, pending, pending.text.slice(0, point)),
    pendingText: {
      id: state.nextId,
      type: MessageType.GEMINI_CONTENT,
      text: pending.text.slice(point),
      scan: cutScan(pending.scan, point),
    },
    nextId: state.nextId + 1,
  };
}

function commitText(state: Transcript, { id, type }: PendingText, text: string): Transcript {
  return {
    ...state,
    committed: state.committed.append({ id, type, text }),
    attempt: { firstId: state.attempt?.firstId ?? id, lastId: id },
    pendingText: undefined,
  };
}

function flushText(state: Transcript): Transcript {
  const { pendingText } = state;
  if (!pendingText) return state;
  const isBlank = !/\S/.test(pendingText.text);
  return isBlank ? { ...state, pendingText: undefined } : commitText(state, pendingText, pendingText.text);
}

/** Accepts the text so far: a `retry` can no longer void it. */
export function acceptText(state: Transcript): Transcript {
  const flushed = flushText(state);
  return flushed.attempt ? { ...flushed, attempt: undefined } : flushed;
}

export function dropAttempt(state: Transcript, retry: RetryValue | undefined): Transcript {
  return { ...withdraw({ ...state, thought: undefined, pendingText: undefined }, WITHDRAWN_BY_RETRY), retry };
}

/** The last attempt failed: its text stays on the screen, marked as void. */
export function withdrawText(state: Transcript): Transcript {
  return withdraw(flushText(state), WITHDRAWN_BY_FAILURE);
}

function withdraw(state: Transcript, text: string): Transcript {
  if (!state.attempt) return state;
  return commit({ ...state, attempt: undefined }, { type: MessageType.WITHDRAWN, text, ...state.attempt });
}
