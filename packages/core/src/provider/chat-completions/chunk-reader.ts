/**
 * Reads the chunks of a streamed answer into responses. It trusts calls, not the reason an answer names for its end, and
 * holds the calls and the end of the answer until the stream is over: usage follows the reason.
 */

import type { FinishReason, GenerateContentResponse, Part, UsageMetadata } from '../../protocol/content.ts';
import { ApiError } from '../../protocol/errors.ts';
import { type Origin, type OriginBlock, withOrigin } from '../../protocol/origin.ts';
import { isRecord } from '../../util/is-record.ts';
import { parseObject } from '../wire/answer.ts';
import { AnswerStamp } from '../wire/answer-stamp.ts';
import { findReportedError, judgeStreamError } from '../wire/judge-failure.ts';
import type { OriginKey } from '../wire/own-origin.ts';
import { refusedAnswer } from '../wire/refused-answer.ts';
import { END_MARK } from '../wire/sse.ts';
import { TextFrames } from '../wire/text-frames.ts';
import type { AnswerReader, WireFrame } from '../wire/wire-protocol.ts';
import { CallAccumulator, type CollectedCall } from './call-accumulator.ts';
import { CumulativeText } from './cumulative-text.ts';
import type { ChatQuirks } from './quirks.ts';
import { ReasoningCollector } from './reasoning-collector.ts';
import { type TextPiece, ThinkTags } from '../wire/think-tags.ts';
import { TextCallHold, recoverTextCalls } from '../wire/text-calls.ts';
import { toUsage } from './usage.ts';

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'STOP',
  end: 'STOP',
  eos: 'STOP',
  tool_calls: 'STOP',
  function_call: 'STOP',
  length: 'MAX_TOKENS',
  model_length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};
/** Reasons by which a server says that it failed. */
const FAILURES: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource']);
const CALL_REASONS: ReadonlySet<string> = new Set(['tool_calls', 'function_call']);

export interface ChunkReaderOptions {
  origin: OriginKey;
  isLocal: boolean;
  quirks: ChatQuirks;
  /** Whether this model's answers begin inside reasoning without an opening tag. */
  startsInThought: boolean;
  /** An answer began inside reasoning; the next ones do as well. */
  onLoneClosing(): void;
  /** What was counted; returns a warning. */
  onUsage(usage: UsageMetadata | undefined): string | undefined;
  /** The declared name of a spelled one. */
  readName(spelled: string): string;
  /** Whether a tool was offered, where a call may come as text; absent: such a text is text. */
  isOffered?: ((name: string) => boolean) | undefined;
}

export class ChunkReader implements AnswerReader {
  private readonly options: ChunkReaderOptions;
  private readonly calls = new CallAccumulator();
  readonly runs = new TextFrames();
  private readonly cumulative = new CumulativeText();
  private readonly tags: ThinkTags;
  private readonly reasoning = new ReasoningCollector();
  /** Where calls may come as text. */
  private readonly hold: TextCallHold | undefined;
  /** The whole text, where it may be calls. */
  private text = '';
  private hasText = false;
  /** Whether the text is more than white space. */
  private hasWords = false;
  private thoughts = '';
  private refusal = '';
  private finish: string | undefined;
  private usage: UsageMetadata | undefined;
  private readonly stamp = new AnswerStamp();
  private isDone = false;

  constructor(options: ChunkReaderOptions) {
    this.options = options;
    this.tags = new ThinkTags({ startsInside: options.startsInThought, expectsLoneClosing: options.isLocal });
    if (options.isOffered) this.hold = new TextCallHold();
  }

  read({ data, run }: WireFrame): readonly GenerateContentResponse[] {
    if (this.isDone) return [];
    if (run) return this.readText(run.text);
    if (data === END_MARK) {
      this.isDone = true;
      return this.close(true);
    }
    const text = this.runs.textOf(data);
    if (text !== undefined) return this.readText(text);
    const chunk = parseObject(data);
    const { model, id, choices } = chunk;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    this.throwIfFailed(chunk, choice);
    if (typeof model === 'string' && model !== '') this.stamp.model = model;
    if (typeof id === 'string' && this.stamp.id === undefined) this.stamp.id = id;
    this.readUsage(chunk, choice);
    return isRecord(choice) ? this.readChoice(choice, data) : [];
  }

  end(): readonly GenerateContentResponse[] {
    return this.isDone ? [] : this.close(false);
  }

  private readChoice(choice: Record<string, unknown>, data: string): GenerateContentResponse[] {
    const { delta, message, finish_reason: reason } = choice;
    const fields = isRecord(delta) ? delta : isRecord(message) ? message : {};
    const { content, refusal, tool_calls: calls } = fields;
    if (typeof content === 'string' && isOnlyText(fields, reason)) {
      const responses = this.readText(content);
      // Pieces that may repeat each other are compared one by one.
      if (this.cumulative.isPlain) this.runs.note(data, content);
      return responses;
    }
    const parts: Part[] = [];
    this.readReasoning(fields, parts);
    if (typeof content === 'string') this.addText(this.cumulative.push(content), parts);
    else if (Array.isArray(content)) this.readItems(content, parts);
    if (typeof refusal === 'string' && refusal !== '') {
      this.refusal += refusal;
      parts.push({ text: refusal });
    }
    if (Array.isArray(calls)) this.calls.add(calls);
    if (typeof reason === 'string' && reason !== '') this.finish = reason;
    return parts.length === 0 ? [] : this.stamp.respond(parts);
  }

  private readText(text: string): GenerateContentResponse[] {
    const parts: Part[] = [];
    this.addText(this.cumulative.push(text), parts);
    return parts.length === 0 ? [] : this.stamp.respond(parts);
  }

  private readReasoning(fields: Record<string, unknown>, parts: Part[]): void {
    const text = this.reasoning.add(fields);
    if (text === '') return;
    this.thoughts += text;
    parts.push({ text, thought: true });
  }

  /** Mistral sends a list, which may hold reasoning. */
  private readItems(items: readonly unknown[], parts: Part[]): void {
    for (const item of items.filter(isRecord)) {
      if (typeof item['text'] === 'string') this.addText(item['text'], parts);
      else {
        const thinking = Array.isArray(item['thinking']) ? item['thinking'].filter(isRecord) : [];
        const text = thinking.map((piece) => (typeof piece['text'] === 'string' ? piece['text'] : '')).join('');
        if (text !== '') parts.push({ text, thought: true });
      }
    }
  }

  private addText(text: string, parts: Part[]): void {
    if (text === '') return;
    if (this.tags.passes(text)) {
      this.noteText(text, parts);
      return;
    }
    const pieces = this.tags.push(text);
    if (this.tags.hasLoneClosing) {
      this.options.onLoneClosing();
      throw new ApiError('The model sent its reasoning as text, without an opening tag; it is asked once more.', {
        reason: 'server',
        code: 'REASONING_AS_TEXT',
      });
    }
    this.notePieces(pieces, parts);
  }

  private notePieces(pieces: readonly TextPiece[], parts: Part[]): void {
    for (const { text, thought } of pieces) {
      if (!thought) this.noteText(text, parts);
      else {
        this.thoughts += text;
        parts.push({ text, thought });
      }
    }
  }

  private noteText(text: string, parts: Part[]): void {
    this.hasText = true;
    if (!this.hasWords) this.hasWords = text.trim() !== '';
    if (!this.hold) {
      parts.push({ text });
      return;
    }
    this.text += text;
    const shown = this.hold.push(text);
    if (shown !== '') parts.push({ text: shown });
  }

  /** The held text, the calls and the reason; nothing more if the answer has no end. */
  private close(hasEndMark: boolean): GenerateContentResponse[] {
    const rest: Part[] = [];
    this.notePieces([...this.tags.push(this.cumulative.end()), ...this.tags.end()], rest);
    // An answer that was expected to begin with reasoning and had no closing tag is the answer.
    if (this.tags.endsOpen && !this.hasText && this.thoughts !== '') rest.push({ text: this.thoughts });
    const isWhole = this.finish !== undefined || (hasEndMark && (this.hasText || !this.calls.isEmpty));
    const collected = isWhole ? this.collectCalls() : [];
    const isCallsOnly = this.calls.isEmpty && collected.length > 0;
    const held = this.hold?.take() ?? '';
    if (held !== '' && !isCallsOnly) rest.push({ text: held });
    if (!isWhole) return rest.length === 0 ? [] : this.stamp.respond(rest);
    const finishReason = this.finishReason(collected);
    const calls = collected.filter(({ args }) => args !== undefined);
    const parts = [...rest, ...calls.map((call) => this.toCallPart(call))];
    const content = withOrigin({ role: 'model', parts }, this.origin(calls));
    if (finishReason === 'SAFETY') throw refusedAnswer(this.finish ?? 'refusal', this.refusal);
    const warning = this.options.onUsage(this.usage);
    return [
      this.stamp.mark({
        candidates: [{ content, finishReason, index: 0 }],
        ...(this.usage && { usageMetadata: this.usage }),
        ...(warning !== undefined && { notices: [warning] }),
      }),
    ];
  }

  private collectCalls(): CollectedCall[] {
    const { isOffered } = this.options;
    if (!this.calls.isEmpty || !isOffered) return this.calls.finish();
    const found = recoverTextCalls(this.text, isOffered);
    return found.map((call) => ({ ...call, id: undefined, extra: undefined }));
  }

  private finishReason(calls: readonly CollectedCall[]): FinishReason {
    const { finish = 'stop' } = this;
    const reason = FINISH_REASONS[finish] ?? finish.toUpperCase();
    if (this.refusal !== '') return 'SAFETY';
    // Calls that the limit cut off are left out, not run.
    if (calls.some(({ args }) => args === undefined))
      return reason === 'MAX_TOKENS' ? reason : 'MALFORMED_FUNCTION_CALL';
    const isSilent = calls.length === 0 && !this.hasWords;
    return CALL_REASONS.has(finish) && isSilent ? 'MALFORMED_FUNCTION_CALL' : reason;
  }

  private toCallPart({ id, name, args }: CollectedCall): Part {
    return { functionCall: { ...(id !== undefined && { id }), name: this.options.readName(name), args: args ?? {} } };
  }

  private origin(calls: readonly CollectedCall[]): Origin | undefined {
    const blocks: OriginBlock[] = this.reasoning.blocks();
    const signed = calls.flatMap(({ id, extra }) => {
      const google = isRecord(extra?.['google']) ? extra['google'] : undefined;
      const signature = google?.['thought_signature'];
      return id !== undefined && typeof signature === 'string' ? [[id, { signature }] as const] : [];
    });
    if (blocks.length === 0 && signed.length === 0) return undefined;
    return { ...this.options.origin, blocks, ...(signed.length > 0 && { calls: Object.fromEntries(signed) }) };
  }

  private readUsage(chunk: Record<string, unknown>, choice: unknown): void {
    const groq = isRecord(chunk['x_groq']) ? chunk['x_groq']['usage'] : undefined;
    const inChoice = isRecord(choice) ? choice['usage'] : undefined;
    const usage = toUsage(chunk['usage'] ?? inChoice ?? groq, this.options.quirks);
    if (usage) this.usage = usage;
  }

  private throwIfFailed(chunk: Record<string, unknown>, choice: unknown): void {
    const reason: unknown = isRecord(choice) ? choice['finish_reason'] : undefined;
    const failed = typeof reason === 'string' && FAILURES.has(reason);
    if (!failed && (chunk['error'] === undefined || chunk['error'] === null)) return;
    const reported = findReportedError(chunk) ?? { types: [] };
    const error = failed && reported.message === undefined ? { types: [String(reason)] } : reported;
    throw judgeStreamError(error, this.options.isLocal);
  }
}

/** Whether nothing but its text is read from a delta. */
function isOnlyText(fields: Record<string, unknown>, reason: unknown): boolean {
  if (reason !== undefined && reason !== null) return false;
  for (const key in fields) if (key !== 'content' && key !== 'role' && fields[key] !== null) return false;
  return true;
}
