/**
 * Detects cycles of calls. A cycle is one to five calls requested repeatedly with the same arguments and, as far as
 * they are known, the same results; a call whose result changes makes progress and is never part of one. Pure.
 */

import type { FunctionResponse } from '../../protocol/content.ts';
import { builtin } from '../../util/builtin-modules.ts';
import { isRecord } from '../../util/is-record.ts';

/** Older calls cannot change the verdict. */
export const CALLS_REMEMBERED = 25;
const LONGEST_CYCLE = 5;

/** Repetitions that make a loop in general; the two cases below need fewer. */
const REPETITIONS = 5;
/** Several different calls with the same results each time are hardly a coincidence. */
const REPETITIONS_WITHOUT_PROGRESS = 4;
/** A third request for a call that failed twice in the same way is pointless. */
const REPETITIONS_OF_FAILURE = 3;

const SHOWN_NAME_LENGTH = 64;

/** Process numbers differ on every run and do not indicate progress. */
const PROCESS_NUMBERS = /\b(?:PGID|PIDs?): \d[\d, ]*/g;

export interface CallResult {
  /** Equal exactly when the results count as equal. */
  digest: string;
  failed: boolean;
}

export interface SeenCall {
  callId: string;
  name: string;
  /** Equal exactly when name and arguments count as equal. */
  key: string;
  /** Missing until the call has been answered. */
  result?: CallResult;
}

/**
 * Describes the cycle at the end of `calls` (oldest first) for the user and the model; undefined if there is none.
 */
export function findCallCycle(calls: readonly SeenCall[]): string | undefined {
  for (let length = 1; length <= LONGEST_CYCLE; length++) {
    const repetitions = countRepetitions(calls, length);
    if (repetitions > 0) return describeCycle(calls.slice(-length), repetitions);
  }
  return undefined;
}

export function toCallKey({ name, args, callId }: { name: string; args: unknown; callId: string }): string {
  return hashText(`${name}:${toStableJson(args) ?? callId}`);
}

export function toCallResult({ response, parts }: FunctionResponse, callId: string): CallResult {
  const json = toStableJson({ response, parts })?.replace(PROCESS_NUMBERS, '');
  return { digest: hashText(json ?? callId), failed: response !== undefined && 'error' in response };
}

/** How often the last `length` calls were repeated in a row, if often enough for a loop; else 0. */
function countRepetitions(calls: readonly SeenCall[], length: number): number {
  const last = calls.slice(-length);
  const results: (CallResult | undefined)[] = last.map(({ result }) => result);
  let isKnown = true;
  for (let repetition = 2; repetition * length <= calls.length; repetition++) {
    const start = calls.length - repetition * length;
    for (const [index, { key }] of last.entries()) {
      const call = calls[start + index];
      if (call?.key !== key) return 0;
      const known = results[index];
      if (known && call.result && known.digest !== call.result.digest) return 0;
      isKnown &&= call.result !== undefined;
      results[index] = known ?? call.result;
    }
    const hasFailed = results.every((result) => result?.failed);
    if (repetition >= repetitionsNeeded({ length, isKnown, hasFailed })) return repetition;
  }
  return 0;
}

function repetitionsNeeded(cycle: { length: number; isKnown: boolean; hasFailed: boolean }): number {
  if (!cycle.isKnown) return REPETITIONS;
  if (cycle.hasFailed) return REPETITIONS_OF_FAILURE;
  return cycle.length > 1 ? REPETITIONS_WITHOUT_PROGRESS : REPETITIONS;
}

function describeCycle(cycle: readonly SeenCall[], repetitions: number): string {
  const names = cycle.map(({ name }) => name.slice(0, SHOWN_NAME_LENGTH)).join(', ');
  const subject = cycle.length === 1 ? `The call of ${names} was` : `The calls of ${names} were`;
  return `${subject} repeated ${repetitions} times with the same arguments and without a new result`;
}

/** The same text for the same value, whatever the order of its keys; undefined when it is not JSON. */
function toStableJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sortKeys(inner) : inner));
  } catch {
    // Nested too deeply or circular: such a value equals no other.
    return undefined;
  }
}

function sortKeys(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Distinguishes texts without storing them. */
export function hashText(text: string): string {
  return builtin.crypto.hash('sha1', text, 'base64');
}
