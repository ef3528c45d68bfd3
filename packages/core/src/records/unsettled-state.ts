/**
 * Buffers unsettled state (unsent prompt, unaccepted answer, running output) and writes it
 * before the user sees it, or soon, in as few lines as possible; state that settles in the
 * meantime is not written at all.
 */

import type { AgentEvent, PromptEndedEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { PROGRAM_STOPPED } from '../util/program-stop.ts';
import type { ThoughtSummary } from '../protocol/events.ts';
import type { PartListUnion } from '../protocol/content.ts';
import type { Clock } from '../util/clock.ts';
import { textOf } from './session-parts.ts';

/** Text that is not shown yet is written after this time, or this amount. */
const PIECE_MS = 250;
const PIECE_CHARACTERS = 4096;
/** The number of output characters kept per running call, in case it never returns a result. */
const KEPT_OUTPUT = 1024 * 1024;

export interface UnderWayOptions {
  append: (record: object) => void;
  clock: Clock;
}

export class UnderWay {
  private readonly options: UnderWayOptions;
  /** The text of the unsent prompt, and whether it is in the file. */
  private prompt: { text: string; content: PartListUnion | undefined; isWritten: boolean } | undefined;
  /** The part of the answer that is not in the file yet. */
  private text = '';
  private thoughts: ThoughtSummary[] = [];
  /** Whether part of the answer is in the file. */
  private hasPieces = false;
  private isAccepted = true;
  /** Running calls, and how many more characters of their output are kept. */
  private readonly running = new Map<string, number>();
  /** The end of each call's output that is not in the file yet. */
  private readonly printed = new Map<string, string>();
  private isWaiting = false;
  /** The model that was asked last. */
  model: string | undefined;
  private readonly closing = new AbortController();

  constructor(options: UnderWayOptions) {
    this.options = options;
  }

  /** The prompt as shown to the user; undefined once it was sent. */
  get promptText(): string | undefined {
    return this.prompt?.text;
  }

  /** `content`: what a prompt that starts will send. */
  observe(event: AgentEvent, content?: PartListUnion): void {
    if (event.type === 'prompt_started') this.begin(event.text, content);
    else if (event.type === 'prompt_ended') this.end(event);
    else if (event.type === GeminiEventType.ModelInfo) this.model = event.value;
    else if (event.type === GeminiEventType.Content) this.addText(event.value);
    else if (event.type === GeminiEventType.Thought) this.addThought(event.value);
    else if (event.type === 'tool_call_updated') this.addOutput(event.callId, event.output);
    else if (event.type === GeminiEventType.Retry) this.voidAnswer();
  }

  flush(): void {
    this.flushPrompt();
    this.flushAnswer();
    this.flushOutput();
  }

  close(): void {
    this.flush();
    this.closing.abort();
  }

  /** Call before sending a request: the partial answer shown before it stays as it is. */
  beginAnswer(): void {
    this.flushAnswer();
    this.isAccepted = false;
  }

  /** The answer is recorded as a message from here on. */
  acceptAnswer(): void {
    this.dropAnswer();
    this.isAccepted = true;
  }

  voidAnswer(): void {
    if (this.hasPieces) this.options.append({ $partial: null });
    this.dropAnswer();
  }

  /** The prompt is recorded as a message, or will never be sent. */
  settlePrompt(): void {
    if (this.prompt?.isWritten) this.options.append({ $prompt: null });
    this.prompt = undefined;
  }

  /** Only the record tells a cancelled prompt from one that a killed program left open. */
  private end({ outcome, prompt_id, parentCallId, detail }: PromptEndedEvent): void {
    this.settlePrompt();
    const isOwn = parentCallId === undefined && detail !== PROGRAM_STOPPED;
    if (outcome === 'cancelled' && isOwn) this.options.append({ $cancelled: { prompt_id } });
  }

  beginCall(callId: string): void {
    this.running.set(callId, KEPT_OUTPUT);
  }

  endCall(callId: string): void {
    this.running.delete(callId);
    this.printed.delete(callId);
  }

  private begin(text: string | undefined, content: PartListUnion | undefined): void {
    // A custom command or a prompt with files sends more than the user typed.
    const isOther = content !== undefined && textOf(content) !== text;
    this.prompt = text ? { text, content: isOther ? content : undefined, isWritten: false } : undefined;
    // A hook may hold the request back, and a run without a screen shows nothing before it.
    if (this.prompt) this.flushSoon();
  }

  private addText(text: string): void {
    // Text after the acceptance is part of the recorded answer.
    if (this.isAccepted) return;
    this.text += text;
    if (this.text.length >= PIECE_CHARACTERS) this.flushAnswer();
    else this.flushSoon();
  }

  private addThought(thought: ThoughtSummary): void {
    if (this.isAccepted) return;
    this.thoughts.push(thought);
    this.flushSoon();
  }

  /** Keeps only the end of the output of each moment: the user saw no more. */
  private addOutput(callId: string, output: string | undefined): void {
    if (output === undefined || !this.running.has(callId)) return;
    this.printed.set(callId, `${this.printed.get(callId) ?? ''}${output}`.slice(-PIECE_CHARACTERS));
    this.flushSoon();
  }

  private flushSoon(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    const onTime = () => {
      this.isWaiting = false;
      this.flush();
    };
    this.options.clock.sleep(PIECE_MS, this.closing.signal).then(onTime, () => undefined);
  }

  private flushPrompt(): void {
    if (!this.prompt || this.prompt.isWritten) return;
    const { text, content } = this.prompt;
    this.options.append({ $prompt: { text, ...(content !== undefined && { content }) } });
    this.prompt.isWritten = true;
  }

  private flushAnswer(): void {
    const { text, thoughts } = this;
    if (text === '' && thoughts.length === 0) return;
    this.options.append({ $partial: { text, ...(thoughts.length > 0 && { thoughts }) } });
    this.dropAnswer();
    this.hasPieces = true;
  }

  private flushOutput(): void {
    for (const [callId, text] of this.printed) {
      const left = this.running.get(callId) ?? 0;
      if (left > 0) this.options.append({ $callOutput: { callId, text } });
      this.running.set(callId, left - text.length);
    }
    this.printed.clear();
  }

  private dropAnswer(): void {
    this.text = '';
    this.thoughts = [];
    this.hasPieces = false;
  }
}
