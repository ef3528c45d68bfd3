/** What a model is asked about a loop, and what its answer means. Pure. */

import type { Content } from '../../protocol/content.ts';

const HISTORY_JUDGED = 20;
const CONFIDENT = 0.9;

export interface LoopJudgeInput {
  /** The end of the conversation; neither starts with a response to a call nor ends with an open one. */
  history: Content[];
  userRequest: string;
  model: 'flash' | 'pro';
  prompt_id: string;
}

export interface LoopJudgement {
  analysis: string;
  /** Of the model being in an unproductive state, from 0 to 1. */
  confidence: number;
}

/** Asks a model. Undefined: this model is unavailable; a rejection: it did not answer. */
export type LoopJudge = (input: LoopJudgeInput, signal: AbortSignal) => Promise<LoopJudgement | undefined>;

/** Whether the judge is sure enough to report a loop. */
export function isConfident({ confidence }: LoopJudgement): boolean {
  return confidence >= CONFIDENT;
}

/** The end of the history that the judge reads. */
export function selectHistory(history: readonly Content[]): Content[] {
  const recent = history.slice(-HISTORY_JUDGED);
  while (recent.at(-1)?.parts?.some(({ functionCall }) => functionCall)) recent.pop();
  while (recent[0]?.parts?.some(({ functionResponse }) => functionResponse)) recent.shift();
  return recent;
}
