/**
 * SessionRecorder: appends a session to its file as it happens, one JSON object per line, in
 * Gemini CLI's format plus record kinds of our own (docs/sessions.md). It hands each line to
 * the operating system before the recorded action continues; a line's cost depends only on
 * its own content; no fact is written twice. A write error stops the recording with a
 * warning, not the session.
 */

import { join } from 'node:path';
import type { ChatRecorder, RecordedAnswer } from '../chat/chat-recorder.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content, Part, PartListUnion } from '../protocol/content.ts';
import { getErrorMessage, toStructuredError } from '../protocol/errors.ts';
import type { CompletedToolCall, ToolCallDisplay, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { CallRecorder } from '../scheduler/ports.ts';
import type { FileJournal, PlannedWrite } from '../tools/files/file-store.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { sha256 } from '../util/sha256.ts';
import { failureOf, toKeptDisplay, toStartedCall, toStoredDisplay } from './call-record.ts';
import type { PreImages } from './pre-images.ts';
import { sessionFileName, toTokens } from './session-file.ts';
import type { EndedCall, FileChange, InterruptedStatus, SessionMessage } from './session-file.ts';
import { textOf } from './session-parts.ts';
import { isWorthResuming, ownWords } from './resumable-content.ts';
import { UnderWay } from './unsettled-state.ts';
import type { SessionRecorderOptions } from './session-recorder-options.ts';
import { SessionWriter } from './session-writer.ts';
import { WrittenTurns } from './written-turns.ts';

/** No message has this id, so a reader drops all messages. */
const NOTHING = 'nothing';

export class SessionRecorder implements ChatRecorder, CallRecorder, FileJournal {
  private readonly clock: Clock;
  private readonly writer: SessionWriter;
  private readonly underWay: UnderWay;
  private readonly options: SessionRecorderOptions;
  private preImages: PreImages | undefined;
  private readonly written: WrittenTurns;
  /** The first message of the prompt: the user's. The client adds those after it. */
  private firstSent: { prompt_id: string; content: Content; message: SessionMessage } | undefined;
  /** Results that are written and not sent yet: a replaced history does not contain them. */
  private unsent: SessionMessage[] = [];
  /** The arguments the model gave to the calls of its last answer. */
  private asked = new Map<string, unknown>();
  /** Running calls that may change something. */
  private readonly effects = new Set<string>();
  private syncing: Promise<void> | undefined;
  /** Ids of messages that make the session worth resuming. */
  private readonly worth = new Set<string>();

  constructor(options: SessionRecorderOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.written = new WrittenTurns(this.clock);
    this.underWay = new UnderWay({ append: (record) => this.append(record), clock: this.clock });
    const startTime = this.timestamp();
    const { directory, sessionId, file } = options;
    this.writer = new SessionWriter({
      pathFor: (count) =>
        file?.path ?? join(directory, options.fileName ?? sessionFileName(sessionId, startTime, count)),
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
        options.onProblem?.(
          `Castor does not record this session${hasBegun ? ' any more' : ''}: ${getErrorMessage(error)}`,
        ),
    });
  }

  get path(): string {
    return this.writer.path;
  }

  get isRecording(): boolean {
    return this.writer.isRecording;
  }

  /** From now on it writes each record as one line of JSON. */
  concealWith(toLine: (record: object) => string): void {
    this.writer.toLine = toLine;
  }

  stopRecording(reason: unknown): void {
    this.writer.fail(reason);
  }

  /** Registers turns that are already in the file: they are not written again, and `withdrawn` knows them. */
  adopt(turns: ReadonlyMap<Content, string>): void {
    this.written.adopt(turns);
  }

  sent(content: Content, prompt_id: string): void {
    this.underWay.beginAnswer();
    this.unsent = [];
    // The client recreates the turn between results and their media on every send.
    const fields = { prompt_id, ...this.shownOf(content, prompt_id) };
    const message = content.role === 'user' ? this.written.toRest(content, fields) : undefined;
    if (message && this.firstSent?.prompt_id !== prompt_id) this.firstSent = { prompt_id, content, message };
    this.message(message);
    this.underWay.settlePrompt();
  }

  /** Keeps the user's failed prompt on record: a session that is resumed sends it with the next request. */
  failed(content: Content, error: unknown): void {
    this.withdrawn(content);
    const first = this.firstSent;
    if (first?.content !== content) return;
    // Record the text that was to be sent: a retry sends the same.
    const { displayContent, ...sent } = first.message;
    const text = ownWords(sent);
    if (text === undefined) return;
    const id = `failed-${sent.id}`;
    this.worth.add(id);
    const media = content.parts?.filter((part) => part.text === undefined) ?? [];
    const { message, reason, status, attempts } = toStructuredError(error);
    const told = { ...(media.length > 0 && { media }), ...(displayContent && { displayContent }), error: message };
    const facts = { reason, status, attempts, model: this.underWay.model };
    this.append({ $failedPrompt: { id, timestamp: this.timestamp(), text, ...told, ...facts } });
  }

  withdrawn(content: Content): void {
    const id = this.written.idOf(content);
    this.underWay.voidAnswer();
    if (id === undefined) return;
    this.worth.delete(id);
    this.append({ $rewindTo: id });
  }

  answered({ content, thoughts, model, usageMetadata }: RecordedAnswer, prompt_id: string): void {
    const timestamp = this.timestamp();
    this.underWay.acceptAnswer();
    const calls = content.parts?.flatMap(({ functionCall }) => functionCall ?? []) ?? [];
    this.asked = new Map(calls.map(({ id = '', args }) => [id, args]));
    const fields = {
      prompt_id,
      model,
      ...(thoughts.length > 0 && { thoughts: thoughts.map((thought) => ({ ...thought, timestamp })) }),
      ...(usageMetadata && { tokens: toTokens(usageMetadata) }),
    };
    this.message(this.written.toMessage(content, fields));
  }

  added(content: Content): void {
    this.unsent = [];
    const { written } = this;
    const isUser = content.role === 'user';
    this.message(isUser ? written.toRest(content, { isAside: true }) : written.toMessage(content, {}));
  }

  replaced(history: readonly Content[]): void {
    const messages = [...history.map((content) => this.written.toMessage(content, {})), ...this.unsent];
    this.append({ $set: { messages, lastUpdated: this.timestamp() } });
  }

  /** Syncs to the disk, not only to the operating system, before a call with effects starts. */
  async started(
    request: ToolCallRequestInfo,
    { hasEffects, display }: { hasEffects: boolean; display?: ToolCallDisplay },
  ): Promise<void> {
    const { callId } = request;
    const stored = { hasEffects, ...(display && toStoredDisplay(request, display)), timestamp: this.timestamp() };
    this.append({ $callStarted: { ...toStartedCall(request, this.asked.get(callId)), ...stored } });
    this.underWay.beginCall(callId);
    if (!hasEffects) return;
    this.effects.add(callId);
    await this.writer.sync();
  }

  /** Copies the file's content and syncs the record of the planned change before the file is replaced. */
  async changing({ callId, path, before, after }: PlannedWrite): Promise<void> {
    if (!this.isRecording) return;
    const preImage = before && (await this.keepPreImage(before));
    // Loaded only by sessions that create files.
    const newFolders = before ? undefined : (await import('./missing-folders.ts')).countMissingFolders(path);
    const $fileChange: FileChange = {
      callId,
      path,
      before: before?.fingerprint ?? null,
      after,
      ...(preImage !== undefined && { preImage }),
      ...(newFolders !== undefined && { newFolders }),
    };
    this.append({ $fileChange });
    await this.writer.sync();
  }

  /** Records the call's response for the model before it is sent: the process may die during the next call. */
  ended({ request, status, durationMs = 0, response }: CompletedToolCall): void {
    const resultDisplay = toKeptDisplay(response.resultDisplay);
    const call: EndedCall = {
      id: request.callId,
      status,
      durationMs,
      ...(resultDisplay !== undefined && { resultDisplay }),
      ...failureOf(response.data),
    };
    this.underWay.endCall(request.callId);
    this.result({ role: 'user', parts: response.responseParts }, call);
    if (this.effects.delete(request.callId)) this.syncing = this.writer.sync();
  }

  /** Records the response to a call that an earlier process left open. */
  recovered(id: string, status: InterruptedStatus, response: Part): void {
    this.result({ role: 'user', parts: [response] }, { id, status });
    this.unsent = [];
  }

  /** Records a message that an earlier process left unfinished: the shown part of an answer, a failed prompt. */
  kept(message: SessionMessage): void {
    this.message(message);
  }

  /** Records that a turn leaves the history to be sent again. The partial answer already shown stays. */
  resent(content: Content, { hasPartial }: { hasPartial: boolean }): void {
    this.unsent = [this.written.toMessage(content, {})];
    if (hasPartial) this.append({ $partial: { isCutOff: true } });
  }

  /** Undefined when no call with effects is waiting for the disk. */
  settled(): Promise<void> | undefined {
    const { syncing } = this;
    this.syncing = undefined;
    return syncing;
  }

  /** Buffers an event that a surface is about to show; `content`: what a prompt that starts will send. */
  observe(event: AgentEvent, content?: PartListUnion): void {
    this.underWay.observe(event, content);
  }

  /** Writes the buffered events. A surface calls it before showing them, so that a kill loses nothing already shown. */
  flush(): void {
    this.underWay.flush();
  }

  /** Restores the history from before an earlier message: readers drop the rest, and `replaced` writes these turns. */
  restoring(turns: ReadonlyMap<Content, string>): void {
    this.unsent = [];
    this.adopt(turns);
    this.append({ $rewindTo: NOTHING });
  }

  /** Withdraws the message and all messages after it. */
  rewindTo(messageId: string): void {
    this.append({ $rewindTo: messageId });
  }

  /** Adds fields to the description of the session; a reader takes the last value of each. */
  describe(fields: Readonly<Record<string, unknown>>): void {
    this.append({ $set: { ...fields, lastUpdated: this.timestamp() } });
  }

  /** Records what changed in the workspace, or what an undo is about to do; see docs/sessions.md. */
  workspace(record: object): void {
    this.append(record);
  }

  readonly idOf = (content: Content): string | undefined => this.written.idOf(content);

  close(): void {
    this.underWay.close();
    this.writer.close({ discard: this.worth.size === 0 });
  }

  /** The user's typed text, where the model receives other content: a custom command, or text with files. */
  private shownOf(content: Content, prompt_id: string): Pick<SessionMessage, 'displayContent'> {
    const shown = this.underWay.promptText;
    const isFirst = this.firstSent?.prompt_id !== prompt_id;
    const isOther = isFirst && shown !== undefined && shown !== textOf(content.parts);
    return isOther ? { displayContent: [{ text: shown }] } : {};
  }

  private async keepPreImage({ bytes, fingerprint }: NonNullable<PlannedWrite['before']>): Promise<string | undefined> {
    const { directory, sessionId } = this.options;
    // Loaded only by sessions that change files.
    const { PreImages } = await import('./pre-images.ts');
    this.preImages ??= new PreImages(directory, sessionId);
    return this.preImages.keep(bytes, fingerprint);
  }

  private result(content: Content, call: EndedCall): void {
    const message = this.written.toMessage(content, { call });
    this.written.noteParts(content);
    this.unsent.push(message);
    this.append(message);
  }

  private message(message: SessionMessage | undefined): void {
    if (!message) return;
    if (isWorthResuming(message)) this.worth.add(message.id);
    this.append(message);
  }

  private append(record: object): void {
    this.writer.append(record);
  }

  private timestamp(): string {
    return new Date(this.clock.now()).toISOString();
  }
}
