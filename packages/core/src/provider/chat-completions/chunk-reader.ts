/**
 * Reads the chunks of a streamed answer into responses. It trusts calls, not the reason an answer names for its end, and
 * holds the calls and the end of the answer until the stream is over: usage follows the reason.
 */

import type { FinishReason, GenerateContentResponse, Part, UsageMetadata } from '../../protocol/content.ts';
import { ApiError } from '../../protocol/errors.ts';
import { type Origin, type OriginBlock, withOrigin } from '../../protocol/origin.ts';
import { isRecord } from '../../util/is-record.ts';
import { parseObject } from '../wire/answer.ts';
import { findReportedError, judgeStreamError } from '../wire/judge-failure.ts';
import type { OriginKey } from '../wire/own-origin.ts';
import { refusedAnswer } from '../wire/refused-answer.ts';
import { END_MARK } from '../wire/sse.ts';
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
  /** The declared name of a spelled one. */
  readName(spelled: string): string;
  /** Whether a tool was offered, where a call may come as text; absent: such a text is text. */
  isOffered?: ((name: string) => boolean) | undefined;
}

export class ChunkReader implements AnswerReader {
  private readonly options: ChunkReaderOptions;
  private readonly calls = new CallAccumulator();
  private readonly cumulative = new CumulativeText();
  private readonly tags: ThinkTags;
  private readonly reasoning = new ReasoningCollector();
  /** Where calls may come as text. */
  private readonly hold: TextCallHold | undefined;
  private text = '';
  private thoughts = '';
  private refusal = '';
  private finish: string | undefined;
  private usage: UsageMetadata | undefined;
  private model: string | undefined;
  private id: string | undefined;
  private isDone = false;

  constructor(options: ChunkReaderOptions) {
    this.options = options;
    this.tags = new ThinkTags({ startsInside: options.startsInThought, expectsLoneClosing: options.isLocal });
    if (options.isOffered) this.hold = new TextCallHold();
  }

  read({ data }: WireFrame): readonly GenerateContentResponse[] {
    if (this.isDone) return [];
    if (data === END_MARK) {
      this.isDone = true;
      return this.close(true);
    }
    const chunk = parseObject(data);
    this.throwIfFailed(chunk);
    if (typeof chunk['model'] === 'string' && chunk['model'] !== '') this.model = chunk['model'];
    if (typeof chunk['id'] === 'string') this.id ??= chunk['id'];
    const choices: unknown = chunk['choices'];
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    this.readUsage(chunk, choice);
    return isRecord(choice) ? this.readChoice(choice) : [];
  }

  end(): readonly GenerateContentResponse[] {
    return this.isDone ? [] : this.close(false);
  }

  private readChoice(choice: Record<string, unknown>): GenerateContentResponse[] {
    const { delta, message, finish_reason: reason } = choice;
    const fields = isRecord(delta) ? delta : isRecord(message) ? message : {};
    const parts = [...this.readReasoning(fields), ...this.readContent(fields['content'])];
    if (typeof fields['refusal'] === 'string' && fields['refusal'] !== '') {
      this.refusal += fields['refusal'];
      parts.push({ text: fields['refusal'] });
    }
    if (Array.isArray(fields['tool_calls'])) this.calls.add(fields['tool_calls']);
    if (typeof reason === 'string' && reason !== '') this.finish = reason;
    return this.toResponses(parts);
  }

  private readReasoning(fields: Record<string, unknown>): Part[] {
    const text = this.reasoning.add(fields);
    this.thoughts += text;
    return text === '' ? [] : [{ text, thought: true }];
  }

  /** A text; from Mistral also a list that may hold reasoning. */
  private readContent(content: unknown): Part[] {
    if (typeof content === 'string') return this.addText(this.cumulative.push(content));
    if (!Array.isArray(content)) return [];
    return content.filter(isRecord).flatMap((item) => {
      if (typeof item['text'] === 'string') return this.addText(item['text']);
      const thinking = Array.isArray(item['thinking']) ? item['thinking'].filter(isRecord) : [];
      const text = thinking.map((piece) => (typeof piece['text'] === 'string' ? piece['text'] : '')).join('');
      return text === '' ? [] : [{ text, thought: true }];
    });
  }

  private addText(text: string): Part[] {
    if (text === '') return [];
    const pieces = this.tags.push(text);
    if (this.tags.hasLoneClosing) {
      this.options.onLoneClosing();
      throw new ApiError('The model sent its reasoning as text, without an opening tag; it is asked once more.', {
        reason: 'server',
        code: 'REASONING_AS_TEXT',
      });
    }
    return pieces.flatMap((piece) => this.notePiece(piece));
  }

  private notePiece({ text, thought }: TextPiece): Part[] {
    if (thought) {
      this.thoughts += text;
      return [{ text, thought }];
    }
    this.text += text;
    const shown = this.hold ? this.hold.push(text) : text;
    return shown === '' ? [] : [{ text: shown }];
  }

  /** The held text, the calls and the reason; nothing more if the answer has no end. */
  private close(hasEndMark: boolean): GenerateContentResponse[] {
    const pieces = [...this.tags.push(this.cumulative.end()), ...this.tags.end()];
    const rest = pieces.flatMap((piece) => this.notePiece(piece));
    // An answer that was expected to begin with reasoning and had no closing tag is the answer.
    if (this.tags.endsOpen && this.text === '' && this.thoughts !== '') rest.push({ text: this.thoughts });
    const isWhole = this.finish !== undefined || (hasEndMark && (this.text !== '' || !this.calls.isEmpty));
    const collected = isWhole ? this.collectCalls() : [];
    const isCallsOnly = this.calls.isEmpty && collected.length > 0;
    const held = this.hold?.take() ?? '';
    if (held !== '' && !isCallsOnly) rest.push({ text: held });
    if (!isWhole) return this.toResponses(rest);
    const finishReason = this.finishReason(collected);
    const calls = collected.filter(({ args }) => args !== undefined);
    const parts = [...rest, ...calls.map((call) => this.toCallPart(call))];
    const content = withOrigin({ role: 'model', parts }, this.origin(calls));
    if (finishReason === 'SAFETY') throw refusedAnswer(this.finish ?? 'refusal', this.refusal);
    return [
      {
        candidates: [{ content, finishReason, index: 0 }],
        ...(this.usage && { usageMetadata: this.usage }),
        ...this.stamp(),
      },
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
    const isSilent = calls.length === 0 && this.text.trim() === '';
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

  private throwIfFailed(chunk: Record<string, unknown>): void {
    const choices: unknown = chunk['choices'];
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    const reason: unknown = isRecord(choice) ? choice['finish_reason'] : undefined;
    const failed = typeof reason === 'string' && FAILURES.has(reason);
    if (!failed && (chunk['error'] === undefined || chunk['error'] === null)) return;
    const reported = findReportedError(chunk) ?? { types: [] };
    const error = failed && reported.message === undefined ? { types: [String(reason)] } : reported;
    throw judgeStreamError(error, this.options.isLocal);
  }

  private toResponses(parts: Part[]): GenerateContentResponse[] {
    if (parts.length === 0) return [];
    return [{ candidates: [{ content: { role: 'model', parts }, index: 0 }], ...this.stamp() }];
  }

  private stamp(): Pick<GenerateContentResponse, 'modelVersion' | 'responseId'> {
    return {
      ...(this.model !== undefined && { modelVersion: this.model }),
      ...(this.id !== undefined && { responseId: this.id }),
    };
  }
}
