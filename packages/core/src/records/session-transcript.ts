/**
 * Converts a recorded session back to events, so that every surface shows a resumed session
 * through its existing fold. A delta holds a whole message here. Pure.
 */

import type { AgentEvent, PromptEndedEvent } from '../protocol/agent-events.ts';
import type { AnswerTokens } from '../protocol/answer-tokens.ts';
import type { Part } from '../protocol/content.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ShownCall, ToolCallDisplay, ToolCallStatus } from '../protocol/tool-calls.ts';
import type { ToolResultDisplay } from '../protocol/tools.ts';
import { PROGRAM_STOPPED } from '../util/program-stop.ts';
import { isRecord } from '../util/is-record.ts';
import type { ShownResult } from '../transcript/transcript.ts';
import { toAnswerTokens } from './answer-tokens.ts';
import { describeCall } from './describe-call.ts';
import { failureFrom } from './failed-prompts.ts';
import { partsOf } from './edited-file.ts';
import type { EditedFile } from './edited-file.ts';
import { exitCodeIn, failureOf, isRefusal } from './recorded-ending.ts';
import { recordedKind } from './shown-call.ts';
import { shownOutput } from './shown-output.ts';
import type { EndedCall, FileChange, StartedCall, StoredToolCall } from './session-file.ts';
import type { OpenCall } from './interrupted-call.ts';
import type { LoadedMessage, LoadedSession } from './replay-session.ts';
import { textOf, toStoredParts } from './session-parts.ts';
import { asideWords, isCutAnswer, ownCommand, ownWords } from './resumable-content.ts';
import type { OwnCommand } from './resumable-content.ts';

const NOT_RUN: ReadonlySet<string | undefined> = new Set(['cancelled', 'not_started', 'unknown']);

export interface SessionEventsOptions {
  /** What the paths in calls are relative to; without it calls have no locations. */
  readonly root?: string | undefined;
  /** Restores the versions of an edited file; without it they are the parts that the diff shows. */
  readonly editedFile?: EditedFile | undefined;
  /** The last prompt goes on in another process: its open calls have no end. */
  readonly isRunning?: boolean | undefined;
}

/** `openCalls`: the unanswered calls of the last turn, as reported to the model. */
export function toSessionEvents(
  { superseded, messages }: Pick<LoadedSession, 'superseded' | 'messages'>,
  openCalls: readonly OpenCall[] = [],
  options: SessionEventsOptions = {},
): AgentEvent[] {
  const replay = new EventReplay(options);
  for (const message of [...superseded, ...messages]) {
    if (message.type === 'gemini') replay.model(message);
    else if (message.type === 'user') replay.user(message);
  }
  return replay.finish(openCalls);
}

const SHELL = 'run_shell_command';
const AGENT = 'invoke_agent';

/** A call without a response yet. */
interface WaitingCall {
  readonly name: string;
  readonly shown?: ShownCall;
  /** The files it changed. */
  readonly changes: readonly FileChange[];
}

type Ending = Pick<StoredToolCall, 'resultDisplay' | 'status'> & Pick<EndedCall, 'exitCode' | 'stoppedBy'>;

class EventReplay {
  private readonly events: AgentEvent[] = [];
  private readonly options: SessionEventsOptions;
  private readonly waiting = new Map<string, WaitingCall>();
  private prompt_id: string | undefined;
  /** The recorded times of the prompt and of its last message. */
  private times = { from: Number.NaN, to: Number.NaN };
  /** What its answers took; undefined once one did not say it, or a sub-agent spent more elsewhere. */
  private answers: AnswerTokens[] | undefined = [];
  private prompts = 0;
  private isAnswered = true;
  /** The user or a limit cut the last answer off; the model knows. */
  private isCut = false;
  /** Why the prompt got no answer. */
  private failure: StructuredError | undefined;
  /** The last answer was cut off; the rest of its prompt comes from a process that resumed it. */
  private isCutOff = false;

  constructor(options: SessionEventsOptions) {
    this.options = options;
  }

  user(message: LoadedMessage): void {
    const parts = toStoredParts(message.content);
    for (const part of parts) this.response(part, message.call);
    // Whatever the model did not answer then was stopped by the user, not by the end of the program.
    if (message.isCancelled || message.call?.status === 'cancelled' || parts.some(isRefusal)) this.isCut = true;
    const aside = asideWords(message);
    const text = message.isJoined ? undefined : (ownWords(message) ?? aside);
    if (text === undefined) return this.noteTime(message);
    this.end();
    this.prompt_id = `resumed########${this.prompts++}`;
    this.times = { from: timeOf(message), to: Number.NaN };
    this.answers = [];
    // An aside needs no answer.
    this.isAnswered = aside !== undefined;
    this.failure = failureFrom(message);
    this.isCut = message.isCancelled === true;
    const media = mediaOf(parts);
    this.events.push({ type: 'prompt_started', prompt_id: this.prompt_id, text, ...(media.length > 0 && { media }) });
    if (this.failure && message.model) this.events.push({ type: GeminiEventType.ModelInfo, value: message.model });
    const own = aside === undefined ? undefined : ownCommand(message);
    if (own !== undefined) this.ownCommand(own);
  }

  /** A command the user ran looks like one the model ran. */
  private ownCommand({ command, output, exitCode }: OwnCommand): void {
    const id = `own-command-${this.events.length}`;
    this.request({ id, name: SHELL, args: { command } }, undefined, undefined);
    const part = { functionResponse: { id, name: SHELL, response: { output } } };
    this.response(part, { status: 'success', ...(exitCode !== undefined && { exitCode }) });
  }

  model(message: LoadedMessage): void {
    const { content, thoughts = [], isInterrupted = false, isKilled = false } = message;
    if (this.isCutOff) this.end();
    this.isCutOff = isInterrupted || isKilled;
    this.begin();
    this.noteTime(message);
    this.noteTokens(message);
    this.thoughts(thoughts);
    const parts = toStoredParts(content);
    const isCut = isCutAnswer(parts);
    this.isCut = (isCut && !isKilled) || message.isCancelled === true;
    const text = textOf(isCut ? parts.slice(0, -1) : parts);
    if (text !== '') this.events.push({ type: GeminiEventType.Content, value: text });
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    this.requests(calls.length > 0 ? calls : (message.toolCalls ?? []), message);
    this.isAnswered = calls.length === 0 && !isInterrupted && !isCut;
  }

  private thoughts(thoughts: NonNullable<LoadedMessage['thoughts']>): void {
    for (const { subject = '', description = '' } of thoughts) {
      this.events.push({ type: GeminiEventType.Thought, value: { subject, description } });
    }
  }

  private requests(calls: readonly StoredToolCall[], { toolCalls = [], started = [] }: LoadedMessage): void {
    for (const call of calls) {
      const told = toolCalls.find(({ id }) => id !== undefined && id === call.id);
      this.request(
        call,
        started.findLast(({ callId }) => callId === call.id),
        told,
      );
    }
    for (const call of toolCalls) this.stored(call);
  }

  finish(openCalls: readonly OpenCall[]): AgentEvent[] {
    const isOpen = !this.isAnswered && !this.isCut && this.failure === undefined;
    if (this.options.isRunning === true && isOpen) return this.events;
    for (const { status, isAnswered, response } of openCalls) {
      if (!isAnswered) this.response(response, { status });
    }
    this.end();
    return this.events;
  }

  /** Begins a prompt for an answer without one, as left by an import or a compression. */
  private begin(): void {
    if (this.prompt_id !== undefined) return;
    this.prompt_id = `resumed########${this.prompts++}`;
    this.times = { from: Number.NaN, to: Number.NaN };
    this.answers = [];
    this.events.push({ type: 'prompt_started', prompt_id: this.prompt_id });
  }

  private noteTime(message: LoadedMessage): void {
    this.times.to = timeOf(message);
  }

  private noteTokens(message: LoadedMessage): void {
    const tokens = toAnswerTokens(message);
    if (tokens) this.answers?.push(tokens);
    else this.answers = undefined;
  }

  /** `started` and `told`: the recorded display, from our own file and from one of Gemini CLI. */
  private request(call: StoredToolCall, started: StartedCall | undefined, told: StoredToolCall | undefined): void {
    const { id, name = '' } = call;
    const callId = id ?? `${name}-${this.events.length}`;
    if (name === AGENT) this.answers = undefined;
    const args = isRecord(started?.args) ? started.args : (call.args ?? {});
    const display = toDisplayOf(describeCall(started?.name ?? name, args), { ...call, ...told, ...started });
    const { root } = this.options;
    const known = root === undefined ? undefined : recordedKind(started?.name ?? name, args, root);
    this.waiting.set(callId, {
      name,
      changes: started?.changes ?? [],
      ...(known && { shown: { display, ...known, locations: [...known.locations] } }),
    });
    const value = { callId, name, args, display, isClientInitiated: false, prompt_id: this.prompt_id ?? '' };
    this.events.push({ type: GeminiEventType.ToolCallRequest, value });
  }

  private stored({ id, name = '', result, ...ending }: StoredToolCall): void {
    if (result === undefined || result === null) return;
    const response = typeof result === 'string' ? result : textOf(result);
    const part = toStoredParts(result).find(({ functionResponse }) => functionResponse);
    const made = { functionResponse: { ...(id !== undefined && { id }), name, response: { output: response } } };
    this.response(part ?? made, ending);
  }

  private response(part: Part, { resultDisplay, status, exitCode, stoppedBy }: Ending = {}): void {
    if (!part.functionResponse) return;
    const { id = '', name = '', response = {} } = part.functionResponse;
    const callId = this.waiting.has(id) ? id : this.waitingFor(name);
    const call = callId === undefined ? undefined : this.waiting.get(callId);
    if (callId === undefined || !call) return;
    this.waiting.delete(callId);
    const { error: problem, output } = response;
    const isDropped = status === undefined ? isRefusal(part) : NOT_RUN.has(status);
    const reached = isDropped ? 'cancelled' : problem === undefined ? 'success' : 'error';
    const said = [output, problem].find((text) => typeof text === 'string');
    const failed = exitCode ?? (name === SHELL ? exitCodeIn(said) : undefined);
    this.events.push(toUpdate(callId, reached, call));
    this.events.push({
      type: GeminiEventType.ToolCallResponse,
      value: {
        callId,
        responseParts: [part],
        resultDisplay: this.toDisplay(resultDisplay, call) ?? (said === undefined ? said : shownOutput(name, said)),
        error: reached === 'error' ? new Error(said ?? 'The call failed.') : undefined,
        errorType: undefined,
        ...failureOf(failed, stoppedBy),
      },
    });
  }

  private waitingFor(name: string): string | undefined {
    return [...this.waiting].find(([, waiting]) => waiting.name === name)?.[0];
  }

  private toDisplay(shown: ShownResult | undefined, { changes }: WaitingCall): ToolResultDisplay | undefined {
    if (typeof shown !== 'object' || 'todos' in shown) return shown;
    const restore = this.options.editedFile ?? partsOf;
    if ('fileDiff' in shown) return restore(shown, changes[0]);
    const { diffs, ...rest } = shown;
    if (!diffs) return rest;
    const changeOf = (index: number) => changes.find(({ path }) => path === rest.files?.[index]);
    return { ...rest, diffs: diffs.map((diff, index) => restore(diff, changeOf(index))) };
  }

  private end(): void {
    const { prompt_id } = this;
    if (prompt_id === undefined) return;
    for (const [callId, call] of this.waiting) this.events.push(toUpdate(callId, 'cancelled', call));
    this.waiting.clear();
    this.prompt_id = undefined;
    this.isCutOff = false;
    this.events.push({ type: 'prompt_ended', prompt_id, ...this.ending() });
    this.failure = undefined;
  }

  private spent(): Pick<PromptEndedEvent, 'answers'> {
    const { answers } = this;
    return answers && answers.length > 0 ? { answers } : {};
  }

  private ending(): Omit<PromptEndedEvent, 'type' | 'prompt_id'> {
    if (this.failure !== undefined) return { outcome: 'failed', error: this.failure };
    const durationMs = this.times.to - this.times.from;
    if (this.isAnswered) return { outcome: 'completed', ...(durationMs >= 0 && { durationMs }), ...this.spent() };
    return { outcome: 'cancelled', ...(!this.isCut && { detail: PROGRAM_STOPPED }) };
  }
}

/** Not a number for a message without a time. */
function timeOf({ timestamp = '' }: LoadedMessage): number {
  return Date.parse(timestamp);
}

/** Prefers the recorded display to one derived from the name and arguments. */
function toDisplayOf(
  described: ToolCallDisplay,
  { displayName, description }: Pick<StoredToolCall, 'displayName' | 'description'>,
): ToolCallDisplay {
  return {
    name: typeof displayName === 'string' ? displayName : described.name,
    description: typeof description === 'string' ? description : described.description,
  };
}

function toUpdate(callId: string, status: ToolCallStatus, { shown }: WaitingCall): AgentEvent {
  return { type: 'tool_call_updated', callId, status, ...(shown && { shown }) };
}

/** What the user sent with the words; the content of files they named stands between texts. */
function mediaOf(parts: readonly Part[]): Part[] {
  const last = parts.findLastIndex(({ inlineData }) => inlineData === undefined);
  return parts.slice(last + 1);
}
