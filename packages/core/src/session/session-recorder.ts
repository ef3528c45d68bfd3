/**
 * SessionRecorder: writes a session to its file as it happens, one JSON object a line,
 * append-only, in the format of Gemini CLI with `$`-records of ours for the calls
 * (docs/sessions.md). Every line is on its way to the disk before what it speaks of
 * goes on. A disk that takes no more ends the recording, with a word, not the session.
 */

import { closeSync, fdatasync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatRecorder, RecordedAnswer } from '../chat/chat-recorder.ts';
import type { Content, UsageMetadata } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { CompletedToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { CallRecorder } from '../scheduler/ports.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { sha256 } from '../util/sha256.ts';
import { createSessionId } from './session-id.ts';

export interface SessionRecorderOptions {
  /** `<project's temporary directory>/chats`. */
  directory: string;
  sessionId: string;
  root: string;
  /** Told once, when recording had to end. */
  onProblem?: (message: string) => void;
  clock?: Clock;
}

export class SessionRecorder implements ChatRecorder, CallRecorder {
  readonly path: string;
  private readonly options: SessionRecorderOptions;
  private readonly clock: Clock;
  private readonly ids = new WeakMap<Content, string>();
  private file: number | undefined;
  private hasEnded = false;

  constructor(options: SessionRecorderOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    const minute = this.timestamp().slice(0, 16).replace(':', '-');
    this.path = join(options.directory, `session-${minute}-${options.sessionId.slice(0, 8)}.jsonl`);
  }

  sent(content: Content): void {
    this.message(content, 'user', {});
  }

  withdrawn(content: Content): void {
    const id = this.ids.get(content);
    if (id !== undefined) this.append({ $rewindTo: id });
  }

  answered({ content, thoughts, model, usageMetadata }: RecordedAnswer): void {
    const timestamp = this.timestamp();
    this.message(content, 'gemini', {
      model,
      ...(thoughts.length > 0 && { thoughts: thoughts.map((thought) => ({ ...thought, timestamp })) }),
      ...(usageMetadata && { tokens: toTokens(usageMetadata) }),
    });
  }

  added(content: Content): void {
    this.message(content, content.role === 'user' ? 'user' : 'gemini', {});
  }

  replaced(history: readonly Content[]): void {
    const messages = history.map((content) => this.toMessage(content, content.role === 'user' ? 'user' : 'gemini'));
    this.append({ $set: { messages, lastUpdated: this.timestamp() } });
  }

  /** On the disk, not just on its way, before a call with effects starts. */
  async started({ callId, name, args }: ToolCallRequestInfo): Promise<void> {
    this.append({ $callStarted: { callId, name, args, timestamp: this.timestamp() } });
    const { file } = this;
    if (file === undefined) return;
    await new Promise<void>((resolve) => {
      fdatasync(file, () => resolve());
    });
  }

  ended({ request, status, durationMs = 0 }: CompletedToolCall): void {
    this.append({ $callEnded: { callId: request.callId, status, durationMs, timestamp: this.timestamp() } });
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.hasEnded = true;
  }

  private message(content: Content, type: 'user' | 'gemini', rest: object): void {
    this.append({ ...this.toMessage(content, type), ...rest });
  }

  private toMessage(content: Content, type: 'user' | 'gemini'): object {
    const id = this.ids.get(content) ?? createSessionId(this.clock);
    this.ids.set(content, id);
    return { id, timestamp: this.timestamp(), type, content: content.parts ?? [] };
  }

  private append(record: object): void {
    if (this.hasEnded) return;
    try {
      this.file ??= this.open();
      writeSync(this.file, `${JSON.stringify(record)}\n`);
    } catch (error) {
      this.hasEnded = true;
      this.options.onProblem?.(`This session is not recorded any more: ${getErrorMessage(error)}`);
    }
  }

  /** Made with the first line, so that a session in which nothing was said leaves no file. */
  private open(): number {
    const { directory, sessionId } = this.options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = openSync(this.path, 'ax', 0o600);
    const startTime = this.timestamp();
    const metadata = {
      sessionId,
      projectHash: sha256(this.options.root),
      startTime,
      lastUpdated: startTime,
      kind: 'main',
    };
    writeSync(file, `${JSON.stringify(metadata)}\n`);
    return file;
  }

  private timestamp(): string {
    return new Date(this.clock.now()).toISOString();
  }
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
