/**
 * runAgent: runs one agent for one call, as events of a child session. It owns the limits of the run, the last turn in
 * which a cut run hands in what it has, and the order at the end: changes, record, result.
 */

import type { PromptEndedEvent } from '../protocol/agent-events.ts';
import { getErrorMessage, ToolError } from '../protocol/errors.ts';
import type { ExecuteContext, ToolOutput, ToolUpdate } from '../tools/define-tool.ts';
import { createAbortError } from '../util/clock.ts';
import type { LocalAgent } from './agent-definition.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { isRecoverable, toOutput, toRunEnding } from './agent-run.ts';
import type { RunEnding } from './agent-run.ts';
import type { AgentServices, OpenedChild } from './agent-services.ts';
import { GRACE } from './child-prompt.ts';
import { Deadline } from './deadline.ts';
import { describeStep } from './run-progress.ts';
import type { RunSlots } from './run-slots.ts';

export interface AgentCall {
  agent_name: string;
  prompt: string;
  isolation?: 'worktree';
  resume?: string;
}

export interface RunOptions {
  registry: Pick<AgentRegistry, 'find'>;
  services: AgentServices;
  slots: RunSlots;
}

const MINUTE_MS = 60_000;
const GRACE_MS = 60_000;

export async function* runAgent(
  { agent_name, prompt: task, isolation, resume }: AgentCall,
  context: ExecuteContext,
  { registry, services, slots }: RunOptions,
): AsyncGenerator<ToolUpdate, ToolOutput> {
  const agent = registry.find(agent_name);
  if (!agent) throw new ToolError(`Subagent '${agent_name}' not found.`, 'invalid_tool_params');
  const { signal, callId } = context;
  if (slots.isFull(services.depth)) yield 'waits until another agent has ended\n';
  const leave = await slots.enter(services.depth, signal);
  try {
    if (agent.kind === 'remote') return yield* services.runRemote(agent, task, context);
    const isIsolated = isolation === 'worktree' || agent.isIsolated === true;
    const child = await services.open({ agent, task, callId, isIsolated, resume, signal });
    return yield* runChild(agent, child, context, services);
  } finally {
    leave();
  }
}

async function* runChild(
  agent: LocalAgent,
  child: OpenedChild,
  context: ExecuteContext,
  services: AgentServices,
): AsyncGenerator<ToolUpdate, ToolOutput> {
  const { clock } = services;
  const { agentId } = child;
  const named = { agentId, agentName: agent.name };
  const startedAt = clock.now();
  let ending: RunEnding = { reason: 'ABORTED', problem: 'It was cancelled.' };
  services.tell?.({ kind: 'agent_started', ...named });
  let changes: string | undefined;
  let transcript: string | undefined;
  try {
    ending = yield* runPrompt(agent, child, context, {
      input: child.input,
      clock,
      limitMs: agent.maxMinutes * MINUTE_MS,
    });
    if (isRecoverable(ending)) ending = yield* recover(agent, child, context, { ending, services });
    if (child.handOver && !context.signal.aborted) changes = yield* child.handOver(context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    ending = { reason: 'ERROR', result: child.result, problem: getErrorMessage(error) };
  } finally {
    const durationMs = clock.now() - startedAt;
    // A closed child has none.
    ({ transcript } = child);
    await child.close(ending, durationMs);
    const { turns } = child;
    services.tell?.({ kind: 'agent_finished', ...named, durationMs, turns, reason: ending.reason });
  }
  // The parent's own cancel is not a result of the child.
  if (ending.reason === 'ABORTED' && context.signal.aborted) throw createAbortError(context.signal);
  return toOutput({ agent, ending, turns: child.turns, agentId, transcript, changes, spent: child.spent });
}

interface PromptOfRun {
  input: string;
  clock: AgentServices['clock'];
  limitMs: number;
}

/** One prompt of the child within a time. */
async function* runPrompt(
  agent: LocalAgent,
  child: OpenedChild,
  context: ExecuteContext,
  { input, clock, limitMs }: PromptOfRun,
): AsyncGenerator<ToolUpdate, RunEnding> {
  const deadline = new Deadline(clock, limitMs);
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  let ended: PromptEndedEvent | undefined;
  const release = context.adopt?.(child.session);
  try {
    for await (const event of child.session.prompt(input, signal)) {
      deadline.note(event);
      if (event.type === 'prompt_ended' && event.parentCallId === undefined) ended = event;
      yield event;
      const step = describeStep(event);
      if (step !== undefined) yield step;
    }
  } finally {
    deadline.release();
    release?.();
  }
  const isAborted = context.signal.aborted;
  return toRunEnding({ ended, result: child.result, hasExpired: deadline.hasExpired, isAborted }, agent);
}

/** The last turn: its result is kept beside the reason that cut the run. */
async function* recover(
  agent: LocalAgent,
  child: OpenedChild,
  context: ExecuteContext,
  { ending, services }: { ending: RunEnding; services: AgentServices },
): AsyncGenerator<ToolUpdate, RunEnding> {
  const { clock } = services;
  const startedAt = clock.now();
  child.letFinish();
  yield `${ending.problem ?? ending.reason} It has one turn to hand in its result.\n`;
  const last = yield* runPrompt(agent, child, context, { input: GRACE, clock, limitMs: GRACE_MS });
  services.tell?.({
    kind: 'agent_recovery',
    agentId: child.agentId,
    agentName: agent.name,
    reason: ending.reason,
    durationMs: clock.now() - startedAt,
    succeeded: last.result !== undefined,
    turns: child.turns,
  });
  if (last.reason === 'ABORTED') return last;
  // An agent that only forgot the call has done its task.
  if (ending.reason === 'ERROR_NO_COMPLETE_TASK_CALL' && last.result !== undefined) return last;
  return { ...ending, result: last.result };
}
