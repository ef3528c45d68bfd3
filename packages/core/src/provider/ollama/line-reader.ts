/** Reads the lines of a streamed answer into responses. A call comes whole in one line. */

import type { FinishReason, GenerateContentResponse, Part, UsageMetadata } from '../../protocol/content.ts';
import { withOrigin } from '../../protocol/origin.ts';
import { isRecord } from '../../util/is-record.ts';
import { parseObject } from '../wire/answer.ts';
import { readArguments } from '../wire/call-arguments.ts';
import { findReportedError, judgeStreamError } from '../wire/judge-failure.ts';
import type { OriginKey } from '../wire/own-origin.ts';
import { TextCallHold, recoverTextCalls } from '../wire/text-calls.ts';
import { type TextPiece, ThinkTags } from '../wire/think-tags.ts';
import type { AnswerReader, WireFrame } from '../wire/wire-protocol.ts';

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = { stop: 'STOP', length: 'MAX_TOKENS' };
/** The server answered without the model: it loaded or unloaded it. */
const NOT_ANSWERS: ReadonlySet<unknown> = new Set(['load', 'unload']);

export interface LineReaderOptions {
  origin: OriginKey;
  isLocal: boolean;
  /** The declared name of a spelled one. */
  readName(spelled: string): string;
  /** Whether a tool was offered, where a call may come as text; absent: such a text is text. */
  isOffered?: ((name: string) => boolean) | undefined;
  /** What was counted; returns a warning. */
  onUsage(usage: UsageMetadata | undefined): string | undefined;
}

export class LineReader implements AnswerReader {
  private readonly options: LineReaderOptions;
  private readonly tags = new ThinkTags({ startsInside: false, expectsLoneClosing: false });
  private readonly hold: TextCallHold | undefined;
  private thinking = '';
  private text = '';
  private hasCalls = false;
  private hasBrokenCall = false;

  constructor(options: LineReaderOptions) {
    this.options = options;
    if (options.isOffered) this.hold = new TextCallHold();
  }

  read({ data }: WireFrame): readonly GenerateContentResponse[] {
    const line = parseObject(data);
    if (line['error'] !== undefined) {
      throw judgeStreamError(findReportedError(line) ?? { types: [] }, this.options.isLocal);
    }
    const parts = isRecord(line['message']) ? this.readMessage(line['message']) : [];
    const stamp = typeof line['model'] === 'string' ? { modelVersion: line['model'] } : {};
    if (line['done'] !== true || NOT_ANSWERS.has(line['done_reason'])) {
      return parts.length === 0 ? [] : [{ candidates: [{ content: { role: 'model', parts }, index: 0 }], ...stamp }];
    }
    return [{ ...this.lastFrame(line, [...parts, ...this.closeText()]), ...stamp }];
  }

  /** An answer without its last line has no finish reason; what was held back is still shown. */
  end(): readonly GenerateContentResponse[] {
    const text = this.hold?.take() ?? '';
    return text === '' ? [] : [{ candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }] }];
  }

  private readMessage({ content, thinking, tool_calls: calls }: Record<string, unknown>): Part[] {
    const parts: Part[] = [];
    if (typeof thinking === 'string' && thinking !== '') {
      this.thinking += thinking;
      parts.push({ text: thinking, thought: true });
    }
    if (typeof content === 'string' && content !== '') this.addText(content, parts);
    if (Array.isArray(calls)) parts.push(...calls.flatMap((call) => this.readCall(call)));
    return parts;
  }

  /** Models that the server has no parser for leave their reasoning in the text. */
  private addText(content: string, parts: Part[]): void {
    for (const piece of this.tags.push(content)) this.addPiece(piece, parts);
  }

  private addPiece({ text, thought }: TextPiece, parts: Part[]): void {
    if (thought) {
      parts.push({ text, thought });
      return;
    }
    this.text += text;
    const shown = this.hold ? this.hold.push(text) : text;
    if (shown !== '') parts.push({ text: shown });
  }

  /** What was held back: calls that came as text, or the text. */
  private closeText(): Part[] {
    const parts: Part[] = [];
    for (const piece of this.tags.end()) this.addPiece(piece, parts);
    const { isOffered } = this.options;
    const held = this.hold?.take() ?? '';
    const found = isOffered && !this.hasCalls ? recoverTextCalls(this.text, isOffered) : [];
    if (found.length > 0) return found.map(({ name, args }) => this.toCall(undefined, name, args));
    if (held !== '') parts.push({ text: held });
    return parts;
  }

  private readCall(call: unknown): Part[] {
    const { id, function: fields } = isRecord(call) ? call : {};
    const { name, arguments: given } = isRecord(fields) ? fields : {};
    const args = readArguments(given);
    if (typeof name !== 'string' || !args) {
      this.hasBrokenCall = true;
      return [];
    }
    return [this.toCall(id, name, args)];
  }

  private toCall(id: unknown, name: string, args: Record<string, unknown>): Part {
    this.hasCalls = true;
    const known = typeof id === 'string' && id !== '' ? { id } : {};
    return { functionCall: { ...known, name: this.options.readName(name), args } };
  }

  private lastFrame(line: Record<string, unknown>, parts: Part[]): GenerateContentResponse {
    const blocks = [{ before: 0, type: 'text', field: 'thinking', text: this.thinking }];
    const origin = this.thinking === '' ? undefined : { ...this.options.origin, blocks };
    const usageMetadata = toUsage(line);
    const warning = this.options.onUsage(usageMetadata);
    const finishReason = this.finishReason(line['done_reason']);
    return {
      candidates: [{ content: withOrigin({ role: 'model', parts }, origin), finishReason, index: 0 }],
      ...(usageMetadata && { usageMetadata }),
      ...(warning !== undefined && { notices: [warning] }),
    };
  }

  /** A call that the limit cut off is left out, not run. */
  private finishReason(given: unknown): FinishReason {
    const name = typeof given === 'string' ? given : 'stop';
    const reason = FINISH_REASONS[name] ?? name.toUpperCase();
    return this.hasBrokenCall && reason !== 'MAX_TOKENS' ? 'MALFORMED_FUNCTION_CALL' : reason;
  }
}

function toUsage({
  prompt_eval_count: prompt,
  eval_count: answer,
}: Record<string, unknown>): UsageMetadata | undefined {
  if (typeof prompt !== 'number' && typeof answer !== 'number') return undefined;
  const promptTokenCount = typeof prompt === 'number' ? prompt : 0;
  const candidatesTokenCount = typeof answer === 'number' ? answer : 0;
  return { promptTokenCount, candidatesTokenCount, totalTokenCount: promptTokenCount + candidatesTokenCount };
}
