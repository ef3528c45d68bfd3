/**
 * AgentSession: the one loop. It alternates model and tools until the model has
 * nothing left to ask for, and yields everything that happens as AgentEvents. Every
 * surface, and every sub-agent, runs through `prompt`.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import { toParts } from '../chat/parts.ts';
import type { GeminiClient } from '../client/gemini-client.ts';
import type { AgentEvent, FallbackIntent, Outcome } from '../protocol/agent-events.ts';
import type { Part, PartListUnion } from '../protocol/content.ts';
import { toStructuredError } from '../protocol/errors.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { CompletedToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';
import type { SchedulerPort } from './scheduler-port.ts';

export interface AgentSessionOptions {
  sessionId: string;
  client: Pick<GeminiClient, 'sendMessageStream'>;
  chat: Pick<GeminiChat, 'addHistory'>;
  scheduler: SchedulerPort;
  /** Takes the answer to a `fallback_requested`. */
  answerFallback?: (requestId: string, intent: FallbackIntent) => void;
  /** Told of every event before a surface is. Must not throw. */
  record?: (event: AgentEvent) => void;
  /** One id for all prompts, as a program run once has; by default each prompt has its own. */
  prompt_id?: string;
}

export interface PromptOptions {
  /** What a person is shown of the request, where it differs from what is sent. */
  text?: string;
}

/** How the prompt ended, and why. */
interface Ending {
  outcome: Outcome;
  error?: StructuredError;
  detail?: string;
}

const ABANDONED: Ending = { outcome: 'cancelled', detail: 'The consumer of the events left.' };
const EMPTY: Ending = { outcome: 'failed', error: { message: 'The prompt is empty: there is nothing to send.' } };

/** One for all: it is said of every piece of an answer. */
const COMPLETED: Ending = { outcome: 'completed' };

export class AgentSession {
  readonly sessionId: string;
  private readonly options: AgentSessionOptions;
  private promptCount = 0;
  private isOpen = false;
  private steering: Part[] = [];

  constructor(options: AgentSessionOptions) {
    this.options = options;
    this.sessionId = options.sessionId;
  }

  /**
   * Runs one request until the agent is idle again. `prompt_started` comes first and
   * exactly one `prompt_ended` last, also on abort and on a bug; after a bug, or
   * without valid credentials, the exception follows.
   */
  async *prompt(
    input: PartListUnion,
    signal: AbortSignal,
    options: PromptOptions = {},
  ): AsyncGenerator<AgentEvent, void> {
    if (this.isOpen) throw new Error('This session is busy with another prompt. Use steer() to add to it.');
    this.isOpen = true;
    const { client } = this.options;
    const prompt_id = this.options.prompt_id ?? `${this.sessionId}########${this.promptCount}`;
    this.promptCount++;
    // Until it is known better: only a consumer that leaves ends a prompt before it is.
    let ending = ABANDONED;
    try {
      yield this.note({ type: 'prompt_started', prompt_id, ...(options.text !== undefined && { text: options.text }) });
      let ended = EMPTY;
      for (let request = toParts(input); request.length > 0;) {
        ended = { outcome: 'completed' };
        const events = client.sendMessageStream(request, signal, prompt_id);
        let step = await events.next();
        try {
          for (; !step.done; step = await events.next()) {
            ended = toEnding(step.value) ?? ended;
            yield this.note(step.value);
          }
        } finally {
          // The consumer left: the turn lets go of its connection.
          if (!step.done) await events.return(undefined as never);
        }
        if (ended.outcome !== 'completed') break;
        const calls = step.value.pendingToolCalls;
        const completed = calls.length > 0 ? yield* this.runTools(calls, signal) : [];
        const next = this.next(completed, signal);
        if (!Array.isArray(next)) {
          ended = next;
          break;
        }
        request = next;
      }
      ending = ended;
    } catch (error) {
      ending = { outcome: 'failed', error: toStructuredError(error) };
      throw error;
    } finally {
      this.isOpen = false;
      this.steering = [];
      yield this.note({ type: 'prompt_ended', prompt_id, ...ending });
    }
  }

  /** Answers a call that waits for a person. Throws when no such call waits. */
  respond(callId: string, outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): void {
    this.options.scheduler.respond(callId, outcome, payload);
  }

  /** Answers a `fallback_requested`. Throws when nobody asked. */
  answerFallback(requestId: string, intent: FallbackIntent): void {
    const { answerFallback } = this.options;
    if (!answerFallback) throw new Error('This session asks no questions about models.');
    answerFallback(requestId, intent);
  }

  /** Adds words to the prompt under way: the model reads them with the next tool results, or instead of ending. */
  steer(input: PartListUnion): void {
    if (!this.isOpen) throw new Error('There is no prompt to steer. Use prompt() to begin one.');
    this.steering.push(...toParts(input));
  }

  /** Between two turns: how the prompt ends, or what the model reads next. */
  private next(completed: readonly CompletedToolCall[], signal: AbortSignal): Ending | Part[] {
    const responses = completed.flatMap(({ response }) => response.responseParts);
    const stop = signal.aborted ? { outcome: 'cancelled' as const } : toStop(completed);
    if (!stop) return [...responses, ...this.takeSteering()];
    // What the calls did is known; the model must read it whenever the session goes on.
    if (responses.length > 0) this.options.chat.addHistory({ role: 'user', parts: responses });
    return stop;
  }

  private async *runTools(
    calls: readonly ToolCallRequestInfo[],
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, CompletedToolCall[]> {
    const events = this.options.scheduler.run(calls, signal);
    let step = await events.next();
    try {
      for (; !step.done; step = await events.next()) yield this.note(step.value);
    } finally {
      if (!step.done) await events.return([]);
    }
    return step.value;
  }

  private takeSteering(): Part[] {
    const taken = this.steering;
    this.steering = [];
    return taken;
  }

  private note<E extends AgentEvent>(event: E): E {
    this.options.record?.(event);
    return event;
  }
}

/** The events that mean more than going on; a later one counts more than an earlier one. */
function toEnding(event: AgentEvent): Ending | undefined {
  switch (event.type) {
    case GeminiEventType.UserCancelled:
      return { outcome: 'cancelled' };
    case GeminiEventType.Error:
      return { outcome: 'failed', error: event.value.error };
    case GeminiEventType.InvalidStream:
      return { outcome: 'invalid_stream', detail: event.value.message };
    case GeminiEventType.LoopDetected:
      return { outcome: 'loop_detected' };
    case GeminiEventType.MaxSessionTurns:
      return { outcome: 'max_turns' };
    case GeminiEventType.ContextWindowWillOverflow:
      return { outcome: 'overflow' };
    case GeminiEventType.AgentExecutionStopped:
      return { outcome: 'stopped', detail: event.value.reason };
    case GeminiEventType.AgentExecutionBlocked:
      return { outcome: 'blocked', detail: event.value.reason };
    case GeminiEventType.Content:
    case GeminiEventType.Finished:
      // The model went on after a hook or a failure sent it back.
      return COMPLETED;
    default:
      return undefined;
  }
}

/** A tool that ended the prompt, a disk that is full, or a person who said no to all that was asked. */
function toStop(completed: readonly CompletedToolCall[]): Ending | undefined {
  const stopped = completed.find(({ response }) => response.errorType === 'stop_execution');
  if (stopped) return { outcome: 'stopped', detail: stopped.response.error?.message ?? 'A hook stopped the agent.' };
  const fatal = completed.find(({ response }) => response.errorType === 'no_space_left');
  if (fatal) return { outcome: 'failed', error: toStructuredError(fatal.response.error) };
  const isCancelled = completed.length > 0 && completed.every(({ status }) => status === 'cancelled');
  return isCancelled ? { outcome: 'cancelled', detail: 'The call was declined.' } : undefined;
}
