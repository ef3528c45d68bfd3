/** How a run ends, and what its parent and the user are told. A run that was cut or failed is never told as a success. Pure. */

import type { PromptEndedEvent } from '../protocol/agent-events.ts';
import type { ToolOutput } from '../tools/define-tool.ts';
import { cutMiddle, MOST_OF_RESULT } from '../util/cut-middle.ts';
import { countOf } from '../util/short-text.ts';
import type { LocalAgent } from './agent-definition.ts';

export type TerminationReason =
  | 'GOAL'
  | 'MAX_TURNS'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'ERROR'
  | 'ERROR_NO_COMPLETE_TASK_CALL'
  | 'BUDGET_EXCEEDED'
  | 'LOOP_DETECTED';

export interface RunEnding {
  /** Of the first end: a result that the last turn saved does not change it. */
  reason: TerminationReason;
  /** The text of `complete_task`. */
  result?: string | undefined;
  /** What failed, as a sentence. */
  problem?: string | undefined;
}

/** Ends after which the agent may hand in what it has. */
const RECOVERABLE: ReadonlySet<TerminationReason> = new Set<TerminationReason>([
  ...(['MAX_TURNS', 'TIMEOUT', 'ERROR_NO_COMPLETE_TASK_CALL', 'LOOP_DETECTED'] as const),
]);

export function isRecoverable({ reason, result }: RunEnding): boolean {
  return RECOVERABLE.has(reason) && result === undefined;
}

export interface EndFacts {
  ended: PromptEndedEvent | undefined;
  result: string | undefined;
  hasExpired: boolean;
  isAborted: boolean;
}

export function toRunEnding({ ended, result, hasExpired, isAborted }: EndFacts, agent: LocalAgent): RunEnding {
  if (result !== undefined) return { reason: 'GOAL', result };
  if (isAborted) return { reason: 'ABORTED', problem: 'It was cancelled.' };
  if (hasExpired) return { reason: 'TIMEOUT', problem: `Agent timed out after ${agent.maxMinutes} minutes.` };
  switch (ended?.outcome) {
    case 'completed':
      return { reason: 'ERROR_NO_COMPLETE_TASK_CALL', problem: 'It stopped without calling complete_task.' };
    case 'max_turns':
      return { reason: 'MAX_TURNS', problem: `Agent reached max turns limit (${agent.maxTurns}).` };
    case 'cancelled':
      return { reason: 'ABORTED', problem: ended.detail ?? 'It was cancelled.' };
    case 'budget_exceeded':
      return { reason: 'BUDGET_EXCEEDED', problem: ended.detail };
    case 'loop_detected':
      return { reason: 'LOOP_DETECTED', problem: 'It repeated itself.' };
    default:
      return { reason: 'ERROR', problem: ended?.error?.message ?? ended?.detail ?? `It ended with ${ended?.outcome}.` };
  }
}

export interface RunReport {
  agent: LocalAgent;
  ending: RunEnding;
  turns: number;
  agentId: string;
  /** The file of the session, where it is recorded. */
  transcript: string | undefined;
  /** What became of the changes of an isolated run. */
  changes?: string | undefined;
  spent: { readonly tokens: number; readonly usd: number | undefined };
}

export function toOutput(report: RunReport): ToolOutput {
  const { agent, ending, turns, agentId, changes } = report;
  const { tokens, usd } = report.spent;
  const { reason, result, problem } = ending;
  const data = {
    agentName: agent.name,
    agentId,
    terminateReason: reason,
    turns,
    tokens,
    ...(usd !== undefined && { usd }),
  };
  const told = result === undefined ? undefined : cutMiddle(result, MOST_OF_RESULT, report.transcript);
  if (reason === 'GOAL') {
    const lines = [`Subagent '${agent.name}' finished.`, `Termination Reason: GOAL`, 'Result:', told, changes];
    return { llmContent: joinLines(lines), returnDisplay: joinLines([told, changes]), data };
  }
  const message = joinLines([
    `Subagent '${agent.name}' failed. Error: ${problem ?? reason}`,
    `Termination Reason: ${reason}, after ${countOf(turns, 'turn')}.`,
    told === undefined
      ? `It handed in no result. To continue it: ${continueHint(agent.name, agentId)}.`
      : 'What follows is partial: the agent handed it in when it was cut off.\nResult:',
    told,
    changes,
  ]);
  return { llmContent: message, returnDisplay: message, error: { message, type: 'execution_failed' }, data };
}

export function continueHint(name: string, agentId: string): string {
  return `invoke_agent with agent_name "${name}" and resume "${agentId}"`;
}

function joinLines(lines: readonly (string | undefined)[]): string {
  return lines.filter((line) => line !== undefined && line !== '').join('\n');
}
