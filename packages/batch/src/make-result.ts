/** The result of an ended task, from what its claim, its last log and all its tries say. */

import type { Claim, Spending } from './engine.ts';
import type { CheckEnd } from './run-check.ts';
import type { RunLog } from './run-log.ts';
import type { TaskOutcome, TaskResult } from './task-result.ts';

export interface EndedRun {
  claim: Claim;
  log: RunLog;
  /** Of all tries. */
  spent: Spending;
  attempt: number;
  startedAt: number;
  /** Not the distance of two moments: the clock may be set while the task runs. */
  durationMs: number;
  machine: string | undefined;
}

const ANSWER_IN_RESULT = 2_000;

export function makeResult(status: TaskOutcome, run: EndedRun, more: Partial<TaskResult>): TaskResult {
  const { claim, log, spent, attempt, startedAt, durationMs, machine } = run;
  const { task, interruptions } = claim;
  return {
    id: task.id,
    status,
    ...(log.answer !== '' && { answer: log.answer.slice(0, ANSWER_IN_RESULT) }),
    ...(log.result?.structured !== undefined && { structured: log.result.structured }),
    ...more,
    ...(log.sessionId !== undefined && { session_id: log.sessionId }),
    ...(log.model !== undefined && { model: log.model }),
    ...{ cost_usd: spent.cost, tokens: spent.tokens, turns: log.turns, tries: attempt },
    ...(interruptions > 0 && { interruptions }),
    ...(machine !== undefined && { machine }),
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date().toISOString(),
    duration_ms: durationMs,
  };
}

/** Of a program that ended without a result; `last` is what it wrote last to stderr. */
export function describeDeath(code: number | null, last: string): string {
  const how = code === null || code > 128 ? 'a signal ended it' : `exit code ${code}`;
  return `The program ended without a result: ${how}${last === '' ? '' : `; ${last.slice(0, 300)}`}.`;
}

/** Of a check that failed; `time` is the limit of the task in seconds. */
export function describeCheck({ exitCode, isLate }: CheckEnd, time: number | undefined): string {
  if (isLate)
    return time === undefined
      ? 'The check had not ended after 30 minutes.'
      : `The check had not ended when the time of the task, ${time} s, was over.`;
  return `The check failed with ${exitCode === null ? 'a signal' : `exit code ${exitCode}`}.`;
}
