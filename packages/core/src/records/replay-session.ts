/**
 * Replays the records of a session file into the messages that are valid at its end. Accepts
 * any bytes: it counts and skips an invalid line and ignores a record of an unknown kind.
 * Never writes, and takes one pass.
 */

import { readFailedPrompt, toFailureFacts } from './failed-prompts.ts';
import type { FileChange, SessionMessage, SessionMetadata, StartedCall } from './session-file.ts';
import { toStoredOrigin } from './stored-origin.ts';
import { toEndedCall, toStoredCalls, toStoredParts, toStoredThoughts } from './session-parts.ts';
import type { Part } from '../protocol/content.ts';
import { isRecord } from '../util/is-record.ts';

export interface LoadedMessage extends SessionMessage {
  /** The calls of this message whose start is on record. */
  started?: StartedCall[];
}

export interface LoadedSession {
  /** Without an id where the file has none. */
  metadata: Partial<SessionMetadata>;
  messages: LoadedMessage[];
  /** Messages that a summary replaced: the user saw them, the model no longer receives them. */
  superseded: LoadedMessage[];
  /** Invalid lines: cut off or damaged. */
  badLines: number;
  /** A single JSON value, the former session format of Gemini CLI. */
  isLegacy: boolean;
}

const NEW_LINE = 0x0a;

export function replaySession(bytes: Buffer): LoadedSession {
  const replay = new Replay();
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(NEW_LINE, start);
    const end = found < 0 ? bytes.length : found;
    replay.line(bytes.toString('utf8', start, end));
    start = end + 1;
  }
  const session = replay.finish();
  const looksLegacy = session.metadata.sessionId === undefined && session.badLines > 0;
  return (looksLegacy && parseLegacy(bytes)) || session;
}

function parseLegacy(bytes: Buffer): LoadedSession | undefined {
  const value = parse(bytes.toString('utf8'));
  if (!isRecord(value) || !Array.isArray(value['messages'])) return undefined;
  const replay = new Replay();
  replay.record(value);
  return { ...replay.finish(), isLegacy: true };
}

/** The state after replaying a prefix of the records. */
class Replay {
  private metadata: Partial<SessionMetadata> = {};
  private messages: LoadedMessage[] = [];
  private superseded: LoadedMessage[] = [];
  private indexes = new Map<string, number>();
  private badLines = 0;
  private isLegacy = false;
  /** The text of a prompt that was shown and not sent. */
  private prompt = '';
  /** What it was to send, where that differs. */
  private promptContent: Part[] = [];
  /** The shown text of an answer that is not accepted yet. */
  private partial = '';
  private thoughts: unknown[] = [];
  private interrupted = 0;

  line(line: string): void {
    const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    if (text.trim() === '') return;
    const value = parse(text);
    if (isRecord(value)) this.record(value);
    else this.badLines++;
  }

  record(record: Record<string, unknown>): void {
    if (isRecord(record['$set'])) this.patch(record['$set']);
    else if (typeof record['$rewindTo'] === 'string') this.rewindTo(record['$rewindTo']);
    else if (isRecord(record['$callStarted'])) this.callStarted(record['$callStarted']);
    else if (isRecord(record['$fileChange'])) this.fileChange(record['$fileChange']);
    else if (isRecord(record['$callOutput'])) this.callOutput(record['$callOutput']);
    else if ('$partial' in record) this.addPartial(record['$partial']);
    else if ('$prompt' in record) this.setPrompt(record['$prompt']);
    else if (isRecord(record['$failedPrompt'])) this.failedPrompt(record['$failedPrompt']);
    else if (isRecord(record['$cancelled'])) this.cancelled(record['$cancelled']);
    else if (isMessage(record)) this.message(record);
    else if (typeof record['sessionId'] === 'string') this.header(record);
  }

  finish(): LoadedSession {
    this.keepPartial();
    this.keepPrompt();
    const { metadata, messages, superseded, badLines, isLegacy } = this;
    return { metadata, messages, superseded, badLines, isLegacy };
  }

  private header(record: Record<string, unknown>): void {
    this.isLegacy = Array.isArray(record['messages']);
    this.patch(record);
    this.metadata.sessionId ??= record['sessionId'] as string;
  }

  private patch({ messages, sessionId: _fixed, ...fields }: Record<string, unknown>): void {
    Object.assign(this.metadata, fields);
    if (!Array.isArray(messages)) return;
    const replaced = this.messages;
    this.messages = [];
    this.indexes.clear();
    const known = new Map(replaced.map((message) => [message.id, message]));
    for (const message of messages) if (isRecord(message) && isMessage(message)) this.putAgain(message, known);
    this.superseded.push(...replaced.filter(({ id }) => !this.indexes.has(id)));
  }

  /** A replaced history holds only the turns; a message keeps its other recorded fields. */
  private putAgain(message: SessionMessage, known: ReadonlyMap<string, LoadedMessage>): void {
    const { started, prompt_id, isAside, displayContent, call } = known.get(message.id) ?? {};
    this.put({
      ...(prompt_id !== undefined && { prompt_id }),
      ...(isAside !== undefined && { isAside }),
      ...(displayContent !== undefined && { displayContent }),
      ...(call && { call }),
      ...message,
    });
    const index = this.indexes.get(message.id);
    if (started && index !== undefined) this.messages[index]!.started = started;
  }

  private message(message: SessionMessage): void {
    if (message.type === 'gemini') this.dropPartial();
    else if ((this.hasPartial || this.prompt !== '') && !hasResponse(message)) {
      this.keepPartial();
      this.prompt = '';
    }
    this.put(message);
  }

  private put(stored: LoadedMessage): void {
    const message = withRightFields(stored);
    const index = this.indexes.get(message.id);
    if (index === undefined) this.indexes.set(message.id, this.messages.push(message) - 1);
    else this.messages[index] = message;
  }

  /** An unknown message id restarts the session from empty. */
  private rewindTo(id: string): void {
    const kept = this.indexes.get(id) ?? 0;
    if (!this.indexes.has(id)) this.superseded = [];
    for (const removed of this.messages.splice(kept)) this.indexes.delete(removed.id);
    this.dropPartial();
  }

  private callStarted(call: Record<string, unknown>): void {
    if (typeof call['callId'] !== 'string' || typeof call['name'] !== 'string') return;
    const asker = this.messages.findLast(({ type }) => type === 'gemini');
    const { output: _notItsOwn, changes: _nor, ...started } = call as unknown as StartedCall;
    if (asker) (asker.started ??= []).push(started);
  }

  private fileChange(record: Record<string, unknown>): void {
    const call = this.startedCall(record['callId']);
    if (call && isFileChange(record)) (call.changes ??= []).push(record);
  }

  private callOutput({ callId, text }: Record<string, unknown>): void {
    const call = this.startedCall(callId);
    if (call && typeof text === 'string') call.output = `${call.output ?? ''}${text}`;
  }

  private startedCall(callId: unknown): StartedCall | undefined {
    const asker = this.messages.findLast(({ type }) => type === 'gemini');
    return asker?.started?.findLast((started) => started.callId === callId);
  }

  /** Null discards the partial answer. A cut-off one stays, and another follows. */
  private addPartial(partial: unknown): void {
    if (!isRecord(partial)) return this.dropPartial();
    const { text, thoughts, isCutOff } = partial;
    if (isCutOff === true) this.keepPartial();
    if (typeof text === 'string') this.partial += text;
    if (Array.isArray(thoughts)) this.thoughts.push(...thoughts);
  }

  private setPrompt(prompt: unknown): void {
    const text = isRecord(prompt) ? prompt['text'] : undefined;
    this.prompt = typeof text === 'string' ? text : '';
    this.promptContent = toStoredParts(isRecord(prompt) ? prompt['content'] : undefined);
  }

  private failedPrompt(record: Record<string, unknown>): void {
    const message = readFailedPrompt(record);
    if (message) this.put(message);
  }

  /** A prompt that was cancelled before it was sent has no message. */
  private cancelled({ prompt_id }: Record<string, unknown>): void {
    const sent = this.messages.findLastIndex((message) => message.prompt_id === prompt_id);
    const last = this.messages.at(-1);
    if (typeof prompt_id === 'string' && sent >= 0 && last) last.isCancelled = true;
  }

  private keepPrompt(): void {
    if (this.prompt === '') return;
    const shown = [{ text: this.prompt }];
    const message = { id: 'interrupted-prompt', type: 'user', isInterrupted: true } as const;
    if (this.promptContent.length === 0) this.put({ ...message, content: shown });
    else this.put({ ...message, content: this.promptContent, displayContent: shown });
  }

  private get hasPartial(): boolean {
    return this.partial !== '' || this.thoughts.length > 0;
  }

  private keepPartial(): void {
    if (!this.hasPartial) return;
    const id = `interrupted-${++this.interrupted}`;
    const thoughts = toStoredThoughts(this.thoughts);
    const content = this.partial === '' ? [] : [{ text: this.partial }];
    this.put({ id, type: 'gemini', content, ...(thoughts.length > 0 && { thoughts }), isInterrupted: true });
    this.dropPartial();
  }

  private dropPartial(): void {
    this.partial = '';
    this.thoughts = [];
  }
}

function isMessage(record: Record<string, unknown>): record is Record<string, unknown> & SessionMessage {
  return typeof record['id'] === 'string' && typeof record['type'] === 'string';
}

function isFileChange(record: Record<string, unknown>): record is Record<string, unknown> & FileChange {
  const { path, before, after, preImage = '' } = record;
  const isKnown = [before, after].every((print) => print === null || typeof print === 'string');
  return typeof path === 'string' && isKnown && typeof preImage === 'string';
}

/** Drops fields of an invalid type. */
function withRightFields(message: LoadedMessage): LoadedMessage {
  const { toolCalls, thoughts, call: stored, started: ours, prompt_id, origin: kept, ...others } = message;
  const { failure, failureFacts, ...rest } = others;
  const isPlain = [toolCalls, thoughts, stored, ours, kept, failure, failureFacts].every(
    (field) => field === undefined,
  );
  if (isPlain && (prompt_id === undefined || typeof prompt_id === 'string')) return message;
  const call = toEndedCall(stored);
  const origin = toStoredOrigin(kept);
  return {
    ...rest,
    ...(typeof prompt_id === 'string' && { prompt_id }),
    ...(typeof failure === 'string' && { failure }),
    ...(isRecord(failureFacts) && { failureFacts: toFailureFacts(failureFacts) }),
    ...(toolCalls !== undefined && { toolCalls: toStoredCalls(toolCalls) }),
    ...(thoughts !== undefined && { thoughts: toStoredThoughts(thoughts) }),
    ...(call && { call }),
    ...(origin && { origin }),
  };
}

function hasResponse({ content }: SessionMessage): boolean {
  return toStoredParts(content).some((part) => part.functionResponse);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Torn, damaged or not JSON: the caller counts it.
    return undefined;
  }
}
