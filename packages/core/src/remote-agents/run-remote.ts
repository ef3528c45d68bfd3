/**
 * Runs one task of a remote agent as a tool call: sends it, follows the task to its end, and returns what it answered. A
 * stream that breaks off is followed by asking for the task; a cancelled call cancels the task.
 */

import { isAbortError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ToolContext } from '../protocol/tools.ts';
import type { RemoteAgent } from '../subagents/agent-definition.ts';
import type { ToolOutput, ToolUpdate } from '../tools/define-tool.ts';
import { cutMiddle, MOST_OF_RESULT } from '../util/cut-middle.ts';
import type { A2aCall } from './a2a-request.ts';
import { readUpdate } from './a2a-update.ts';
import { RemoteAgentError } from './remote-agent-error.ts';
import { RemoteAnswer } from './remote-answer.ts';
import { describeProblem, newMessageId } from './remote-agents.ts';
import type { OpenedRemote, RemoteAgents } from './remote-agents.ts';

const FIRST_POLL_MS = 250;
const LAST_POLL_MS = 15_000;
const CANCEL_LIMIT_MS = 5_000;
/** A silent server is asked again this often before the run fails. */
const MAX_FAILED_POLLS = 5;

export async function* runRemote(
  remotes: RemoteAgents,
  agent: RemoteAgent,
  task: string,
  { signal }: Pick<ToolContext, 'signal'>,
): AsyncGenerator<ToolUpdate, ToolOutput> {
  const conversation = remotes.conversationWith(agent);
  const { contextId, taskId } = conversation;
  const answer = new RemoteAnswer(task);
  let remote: OpenedRemote | undefined;
  try {
    remote = await remotes.open(agent, signal);
    yield `asks ${remote.card.name} at ${remote.card.interface.url.host}\n`;
    const message = { id: newMessageId(), text: task, contextId, taskId };
    yield* follow(remote, { kind: remote.card.streams ? 'stream' : 'send', message }, answer, { remotes, signal });
  } catch (error) {
    if (remote && (signal.aborted || isAbortError(error))) await cancel(remote, answer);
    if (signal.aborted || isAbortError(error)) throw error;
    return toFailure(agent, answer, describeProblem(error));
  } finally {
    conversation.contextId = answer.contextId ?? contextId;
    // A task that waits for the user goes on with the next message.
    conversation.taskId = isWaiting(answer) ? answer.taskId : undefined;
  }
  return toResult(agent, answer);
}

/** Until the task has ended or waits for the user. */
async function* follow(
  { card, http }: OpenedRemote,
  call: A2aCall,
  answer: RemoteAnswer,
  { remotes: { clock }, signal }: { remotes: RemoteAgents; signal: AbortSignal },
): AsyncGenerator<ToolUpdate, void> {
  const take = async function* (next: A2aCall): AsyncGenerator<ToolUpdate, void> {
    for await (const result of http.call(card.interface, next, signal)) {
      const update = readUpdate(result);
      const news = update && answer.take(update);
      if (news !== undefined) yield { type: GeminiEventType.Content, value: `${news}\n` };
      // A server may keep the stream of a task that waits; a task as a whole may be a copy from before our message.
      if (update?.kind === 'status' && answer.isOver) return;
    }
  };
  try {
    yield* take(call);
  } catch (error) {
    // The task goes on at the server, whatever became of the connection.
    if (signal.aborted || answer.taskId === undefined || answer.isOver || !isLost(error)) throw error;
    yield 'lost the connection, asks for the task\n';
  }
  let delay = FIRST_POLL_MS;
  let failures = 0;
  while (!answer.isOver) {
    if (answer.taskId === undefined) throw new RemoteAgentError('It sent no answer.');
    await clock.sleep(delay, signal);
    delay = Math.min(delay * 2, LAST_POLL_MS);
    try {
      yield* take({ kind: 'get', taskId: answer.taskId });
      failures = 0;
    } catch (error) {
      failures += 1;
      if (signal.aborted || !isLost(error) || failures === MAX_FAILED_POLLS) throw error;
    }
  }
}

/** The connection failed; the server has said nothing about the request. */
function isLost(error: unknown): boolean {
  return error instanceof RemoteAgentError ? error.cause !== undefined : !isAbortError(error);
}

/** Tells the server to stop. The user does not wait for its answer for long. */
async function cancel({ card, http }: OpenedRemote, { taskId, isOver }: RemoteAnswer): Promise<void> {
  if (taskId === undefined || isOver) return;
  try {
    const limit = AbortSignal.timeout(CANCEL_LIMIT_MS);
    for await (const _answer of http.call(card.interface, { kind: 'cancel', taskId }, limit)) break;
  } catch {
    // The call is cancelled here in any case.
  }
}

function isWaiting({ state }: RemoteAnswer): boolean {
  return state === 'input-required' || state === 'auth-required';
}

function toResult(agent: RemoteAgent, answer: RemoteAnswer): ToolOutput {
  const { state } = answer;
  switch (state) {
    case 'failed':
    case 'rejected':
    case 'canceled':
      return toFailure(agent, answer, `The task was ${state} by the agent.`);
    case 'auth-required':
      return toFailure(
        agent,
        answer,
        `[Authorization Required] The agent needs a further sign-in before it can go on.`,
      );
    default: {
      const text = cutMiddle(answer.text, MOST_OF_RESULT, undefined);
      const asks = state === 'input-required' ? '\nThe agent waits for an answer: send it with another call.' : '';
      const reason = state === 'input-required' ? 'INPUT_REQUIRED' : 'GOAL';
      return {
        llmContent: `Subagent '${agent.name}' finished.\nTermination Reason: ${reason}\nResult:\n${text || '(It sent no text.)'}${asks}`,
        returnDisplay: text || '(It sent no text.)',
        data: { agentName: agent.name, terminateReason: reason, taskId: answer.taskId },
      };
    }
  }
}

function toFailure(agent: RemoteAgent, answer: RemoteAnswer, problem: string): ToolOutput {
  const { text } = answer;
  const partial =
    text === ''
      ? ''
      : `\nWhat follows is partial: the agent sent it before.\nResult:\n${cutMiddle(text, MOST_OF_RESULT, undefined)}`;
  const message = `Subagent '${agent.name}' failed. Error: ${problem}${partial}`;
  const data = { agentName: agent.name, terminateReason: 'ERROR', taskId: answer.taskId };
  return { llmContent: message, returnDisplay: message, error: { message, type: 'execution_failed' }, data };
}
