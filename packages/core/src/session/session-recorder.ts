/**
 * SessionRecorder: writes a session to its file as it happens, one JSON object a line,
 * append-only, in the format of Gemini CLI with records of ours for what it lacks
 * (docs/sessions.md). Every line is on its way to the disk before what it speaks of
 * goes on; no line costs more than what it says; no fact is written twice. A disk that
 * takes no more ends the recording, with a word, not the session.
 */

import { join } from 'node:path';
import type { ChatRecorder, RecordedAnswer } from '../chat/chat-recorder.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content, Part, UsageMetadata } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { CompletedToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ToolResultDisplay } from '../protocol/tools.ts';
import type { CallRecorder } from '../scheduler/ports.ts';
import type { ShownResult } from '../transcript/transcript.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { sha256 } from '../util/sha256.ts';
import { sessionFileName } from './session-file.ts';
import type { EndedCall, InterruptedStatus, SessionMessage, StartedCall } from './session-file.ts';
import { createSessionId } from './session-id.ts';
import type { SessionLock } from './session-lock.ts';
import { isWorthResuming } from './session-worth.ts';
import { SessionWriter } from './session-writer.ts';

export interface SessionRecorderOptions {
  /** `<project's temporary directory>/chats`. */
  directory: string;
  sessionId: string;
  root: string;
  /** A file to go on with, and its lock; by default a new one is made with the first line. */
  file?: { path: string; lock: SessionLock };
  /** Added to the first line of a new file. */
  metadata?: object;
  /** Told once, when recording had to end. */
  onProblem?: (message: string) => void;
  clock?: Clock;
}

/** Text of an answer under way is on the disk after this long, or this much of it. */
const PARTIAL_MS = 250;
const PARTIAL_CHARACTERS = 4096;
/** Characters a call may print before its result that are kept, in case there is none. */
const KEPT_OUTPUT = 256 * 1024;
/** Longer displays of a result say what its response says. */
const KEPT_DISPLAY = 1000;

export class SessionRecorder implements ChatRecorder, CallRecorder {
  private readonly clock: Clock;
  private readonly writer: SessionWriter;
  private readonly ids = new WeakMap<Content, string>();
  /** Parts that stand in the file: results are written when they come, and sent later. */
  private readonly written = new WeakSet<Part>();
  /** Results that are written and not sent yet: a replaced history does not hold them. */
  private unsent: SessionMessage[] = [];
  /** Arguments the model gave, of the calls of the last answer. */
  private asked = new Map<string, unknown>();
  /** Calls that may change something and have not ended. */
  private readonly effects = new Set<string>();
  /** Calls that run, and how much more of what they print is kept. */
  private readonly running = new Map<string, number>();
  private syncing: Promise<void> | undefined;
  /** Text of the answer under way that is not in the file yet, and the end of what calls printed. */
  private partial = '';
  private readonly printed = new Map<string, string>();
  private hasPartial = false;
  private isFlushing = false;
  private isAccepted = true;
  /** Ids of messages that are worth resuming for. */
  private readonly worth = new Set<string>();
  private readonly closing = new AbortController();

  constructor(options: SessionRecorderOptions) {
    this.clock = options.clock ?? systemClock;
    const startTime = this.timestamp();
    const { directory, sessionId, file } = options;
    this.writer = new SessionWriter({
      pathFor: (count) => file?.path ?? join(directory, sessionFileName(sessionId, startTime, count)),
      ...(file && { lock: file.lock }),
      header: () => ({
        sessionId,
        projectHash: sha256(options.root),
        startTime,
        lastUpdated: startTime,
        kind: 'main',
        ...options.metadata,
      }),
      onProblem: (error, { hasBegun }) =>
        options.onProblem?.(`This session is not recorded${hasBegun ? ' any more' : ''}: ${getErrorMessage(error)}`),
    });
  }

  get path(): string {
    return this.writer.path;
  }

  get isRecording(): boolean {
    return this.writer.isRecording;
  }

  /** For a session that can be read and not be written. */
  stopRecording(reason: unknown): void {
    this.writer.fail(reason);
  }

  /** Turns that stand in the file already: they are neither written again nor unknown to `withdrawn`. */
  adopt(turns: ReadonlyMap<Content, string>): void {
    for (const [content, id] of turns) {
      this.ids.set(content, id);
      for (const part of content.parts ?? []) this.written.add(part);
    }
  }

  sent(content: Content, prompt_id: string): void {
    this.flushPartial();
    this.isAccepted = false;
    this.unsent = [];
    // The turn between results and their media is made anew whenever they are sent.
    if (content.role === 'user') this.rest(content, { prompt_id });
  }

  withdrawn(content: Content): void {
    const id = this.ids.get(content);
    this.voidPartial();
    if (id === undefined) return;
    this.worth.delete(id);
    this.append({ $rewindTo: id });
  }

  answered({ content, thoughts, model, usageMetadata }: RecordedAnswer, prompt_id: string): void {
    const timestamp = this.timestamp();
    this.partial = '';
    this.hasPartial = false;
    this.isAccepted = true;
    const calls = content.parts?.flatMap(({ functionCall }) => functionCall ?? []) ?? [];
    this.asked = new Map(calls.map(({ id = '', args }) => [id, args]));
    this.message(content, {
      prompt_id,
      model,
      ...(thoughts.length > 0 && { thoughts: thoughts.map((thought) => ({ ...thought, timestamp })) }),
      ...(usageMetadata && { tokens: toTokens(usageMetadata) }),
    });
  }

  added(content: Content): void {
    this.unsent = [];
    if (content.role === 'user') this.rest(content, { isAside: true });
    else this.message(content, {});
  }

  replaced(history: readonly Content[]): void {
    const messages = [...history.map((content) => this.toMessage(content, {})), ...this.unsent];
    this.append({ $set: { messages, lastUpdated: this.timestamp() } });
  }

  /** On the disk, not just on its way, before a call with effects starts. */
  async started(request: ToolCallRequestInfo, { hasEffects }: { hasEffects: boolean }): Promise<void> {
    const { callId, name, args, checkpoint } = request;
    const asked = this.asked.get(callId);
    const isAsAsked = asked === args || JSON.stringify(asked) === JSON.stringify(args);
    const $callStarted: StartedCall = {
      callId,
      name,
      ...(!isAsAsked && { args }),
      hasEffects,
      ...(checkpoint !== undefined && { preImage: checkpoint }),
      timestamp: this.timestamp(),
    };
    this.append({ $callStarted });
    this.running.set(callId, KEPT_OUTPUT);
    if (!hasEffects) return;
    this.effects.add(callId);
    await this.writer.sync();
  }

  /** What the model will read of the call, before it is sent: the next call may be the last. */
  ended({ request, status, durationMs = 0, response }: CompletedToolCall): void {
    const resultDisplay = toKeptDisplay(response.resultDisplay);
    const call: EndedCall = {
      id: request.callId,
      status,
      durationMs,
      ...(resultDisplay !== undefined && { resultDisplay }),
    };
    this.running.delete(request.callId);
    this.printed.delete(request.callId);
    this.result({ role: 'user', parts: response.responseParts }, call);
    if (this.effects.delete(request.callId)) this.syncing = this.writer.sync();
  }

  /** A call that an earlier process left open, answered in its place. */
  recovered(id: string, status: InterruptedStatus, response: Part): void {
    this.result({ role: 'user', parts: [response] }, { id, status });
    this.unsent = [];
  }

  /** The turn stands in the file and leaves the history, to be sent again. */
  resent(content: Content): void {
    this.unsent = [this.toMessage(content, {})];
  }

  /** Undefined when nothing that had effects is still on its way to the disk. */
  settled(): Promise<void> | undefined {
    const { syncing } = this;
    this.syncing = undefined;
    return syncing;
  }

  /** The text a person is shown, before they are: a stopped program leaves it behind. */
  observe(event: AgentEvent): void {
    if (event.type === GeminiEventType.Content) this.addPartial(event.value);
    else if (event.type === 'tool_call_updated') this.addOutput(event.callId, event.output);
    else if (event.type === GeminiEventType.Retry) this.voidPartial();
  }

  /** The message and everything after it is taken back. */
  rewindTo(messageId: string): void {
    this.append({ $rewindTo: messageId });
  }

  idOf(content: Content): string | undefined {
    return this.ids.get(content);
  }

  close(): void {
    this.flushPartial();
    this.flushOutput();
    this.closing.abort();
    this.writer.close({ discard: this.worth.size === 0 });
  }

  /** What of the turn is not in the file yet. */
  private rest(content: Content, fields: Partial<SessionMessage>): void {
    const parts = content.parts ?? [];
    const rest = parts.filter((part) => !this.written.has(part));
    if (rest.length === 0 && parts.length > 0) return;
    const isJoined = rest.length < parts.length;
    this.message(content, { ...fields, content: rest, ...(isJoined && { isJoined }) });
  }

  private result(content: Content, call: EndedCall): void {
    const message = this.toMessage(content, { call });
    for (const part of content.parts ?? []) this.written.add(part);
    this.unsent.push(message);
    this.append(message);
  }

  private message(content: Content, fields: object): void {
    const message = this.toMessage(content, fields);
    if (isWorthResuming(message)) this.worth.add(message.id);
    this.append(message);
  }

  private toMessage(content: Content, fields: object): SessionMessage {
    const id = this.ids.get(content) ?? createSessionId(this.clock);
    this.ids.set(content, id);
    const type = content.role === 'user' ? 'user' : 'gemini';
    return { id, timestamp: this.timestamp(), type, content: content.parts ?? [], ...fields };
  }

  private addPartial(text: string): void {
    // What follows the acceptance is part of the answer that was recorded.
    if (this.isAccepted) return;
    this.partial += text;
    if (this.partial.length >= PARTIAL_CHARACTERS) this.flushPartial();
    else this.flushSoon();
  }

  /** Of what a call prints in one moment the end is kept: a person saw no more. */
  private addOutput(callId: string, output: string | undefined): void {
    if (output === undefined || !this.running.has(callId)) return;
    this.printed.set(callId, `${this.printed.get(callId) ?? ''}${output}`.slice(-PARTIAL_CHARACTERS));
    this.flushSoon();
  }

  private flushSoon(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    const flush = () => {
      this.isFlushing = false;
      this.flushPartial();
      this.flushOutput();
    };
    this.clock.sleep(PARTIAL_MS, this.closing.signal).then(flush, () => undefined);
  }

  private flushOutput(): void {
    for (const [callId, text] of this.printed) {
      const left = this.running.get(callId) ?? 0;
      if (left > 0) this.append({ $callOutput: { callId, text } });
      this.running.set(callId, left - text.length);
    }
    this.printed.clear();
  }

  private flushPartial(): void {
    if (this.partial === '') return;
    this.append({ $partial: { text: this.partial } });
    this.partial = '';
    this.hasPartial = true;
  }

  private voidPartial(): void {
    this.partial = '';
    if (this.hasPartial) this.append({ $partial: null });
    this.hasPartial = false;
  }

  private append(record: object): void {
    this.writer.append(record);
  }

  private timestamp(): string {
    return new Date(this.clock.now()).toISOString();
  }
}

/** Of an edit the diff, which says what both versions of the file say. */
function toKeptDisplay(display: ToolResultDisplay | undefined): ShownResult | undefined {
  if (display === undefined || typeof display === 'string') {
    return display !== undefined && display.length <= KEPT_DISPLAY ? display : undefined;
  }
  if (!('fileDiff' in display)) return display;
  const { originalContent: _before, newContent: _after, ...diff } = display;
  return diff;
}

function toTokens(usage: UsageMetadata): object {
  return {
    input: usage.promptTokenCount ?? 0,
    output: usage.candidatesTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
    thoughts: usage.thoughtsTokenCount ?? 0,
    tool: usage.toolUsePromptTokenCount ?? 0,
    total: usage.totalTokenCount ?? 0,
  };
}
