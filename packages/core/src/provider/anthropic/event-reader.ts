/**
 * Reads the events of a streamed message into responses. Blocks are kept by their index and closed by their own stop:
 * servers overlap them. Unknown events and deltas are skipped, as the API's version promises to add some.
 */

import type { FinishReason, GenerateContentResponse, Part, UsageMetadata } from '../../protocol/content.ts';
import { type OriginBlock, withOrigin } from '../../protocol/origin.ts';
import { isRecord } from '../../util/is-record.ts';
import { parseObject } from '../wire/answer.ts';
import { readArguments } from '../wire/call-arguments.ts';
import { AnswerStamp } from '../wire/answer-stamp.ts';
import { findReportedError, judgeStreamError } from '../wire/judge-failure.ts';
import type { OriginKey } from '../wire/own-origin.ts';
import { refusedAnswer } from '../wire/refused-answer.ts';
import { TextFrames } from '../wire/text-frames.ts';
import type { AnswerReader, WireFrame } from '../wire/wire-protocol.ts';

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'STOP',
  stop_sequence: 'STOP',
  tool_use: 'STOP',
  pause_turn: 'STOP',
  max_tokens: 'MAX_TOKENS',
  model_context_window_exceeded: 'MAX_TOKENS',
};

type Fields = Record<string, unknown>;

interface OpenBlock {
  type: string;
  /** Text, thinking or the JSON of arguments. */
  text: string;
  signature: string;
  id: string;
  name: string;
  /** Arguments that came whole with the start. */
  input: unknown;
  /** The state of a thinking block, in place since its start. */
  origin: OriginBlock | undefined;
}

export interface EventReaderOptions {
  origin: OriginKey;
  /** The declared name of a spelled one. */
  readName(spelled: string): string;
  /** What was counted; returns a warning. */
  onUsage(usage: UsageMetadata | undefined): string | undefined;
}

export class EventReader implements AnswerReader {
  private readonly options: EventReaderOptions;
  private readonly blocks = new Map<unknown, OpenBlock>();
  private readonly thinking: OriginBlock[] = [];
  private readonly stamp = new AnswerStamp();
  readonly runs = new TextFrames({ event: 'content_block_delta' });
  private usage: Fields = {};
  private stopReason: string | undefined;
  private stopDetails: unknown;
  private isClosed = false;
  /** Parts of the turn so far, as the chat joins them. */
  private partCount = 0;
  private isInText = false;
  private hasBrokenCall = false;
  private hasText = false;

  constructor(options: EventReaderOptions) {
    this.options = options;
  }

  read({ data, run }: WireFrame): readonly GenerateContentResponse[] {
    if (run) return this.blocks.has(run.owner) ? this.addText(run.text) : [];
    const text = this.runs.textOf(data);
    if (text !== undefined) return this.blocks.has(this.runs.noted) ? this.addText(text) : [];
    const event = parseObject(data);
    switch (event['type']) {
      case 'message_start':
        return this.start(fieldsOf(event['message']));
      case 'content_block_start':
        return this.startBlock(event['index'], fieldsOf(event['content_block']));
      case 'content_block_delta':
        this.notePlain(data, event['index'], fieldsOf(event['delta']));
        return this.addDelta(this.blocks.get(event['index']), fieldsOf(event['delta']));
      case 'content_block_stop':
        return this.stopBlock(event['index']);
      case 'message_delta':
        return this.noteEnd(fieldsOf(event['delta']), fieldsOf(event['usage']));
      case 'message_stop':
        return this.close();
      case 'message':
        return this.readWhole(event);
      default:
        // llama.cpp and gateways report errors in another shape.
        if (event['type'] === 'error' || event['error'] !== undefined) {
          throw judgeStreamError(findReportedError(event) ?? { types: [] });
        }
        return [];
    }
  }

  end(): readonly GenerateContentResponse[] {
    return this.stopReason === undefined ? [] : this.close();
  }

  /** A gateway that does not stream answers with the message itself. */
  private readWhole(message: Fields): GenerateContentResponse[] {
    const { content } = message;
    const blocks = (Array.isArray(content) ? content : []).map(fieldsOf).flatMap((fields, index) => {
      const started = this.startBlock(index, fields);
      const block = this.blocks.get(index);
      const { thinking, signature } = fields;
      const pieces = [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ].flatMap((delta) => this.addDelta(block, delta));
      return [...started, ...pieces, ...this.stopBlock(index)];
    });
    this.start(message);
    this.noteEnd(message, {});
    return [...blocks, ...this.end()];
  }

  private start({ id, model, usage }: Fields): GenerateContentResponse[] {
    if (typeof id === 'string') this.stamp.id = id;
    if (typeof model === 'string') this.stamp.model = model;
    this.noteUsage(fieldsOf(usage));
    return [];
  }

  private startBlock(index: unknown, content: Fields): GenerateContentResponse[] {
    const { type, text, id, name, input, data } = content;
    const block: OpenBlock = {
      type: String(type),
      text: '',
      signature: '',
      id: typeof id === 'string' ? id : '',
      name: typeof name === 'string' ? name : '',
      input,
      origin: undefined,
    };
    this.blocks.set(index, block);
    if (type === 'redacted_thinking')
      return this.addThinking(block, { before: this.partCount, type: 'redacted', data });
    if (type === 'thinking') {
      const before = this.partCount;
      return this.addThinking(block, { before, type: 'thinking', text: '', signature: '' });
    }
    return type === 'text' && typeof text === 'string' ? this.addText(text) : [];
  }

  /** A thought without text marks the place of a block that shows none. */
  private addThinking(block: OpenBlock, origin: OriginBlock): GenerateContentResponse[] {
    block.origin = origin;
    this.thinking.push(origin);
    this.isInText = false;
    return this.respond({ thought: true });
  }

  private notePlain(data: string, index: unknown, { type, text, ...others }: Fields): void {
    if (type !== 'text_delta' || typeof text !== 'string' || Object.keys(others).length > 0) return;
    this.runs.note(data, text, index);
  }

  private addDelta(block: OpenBlock | undefined, delta: Fields): GenerateContentResponse[] {
    if (!block) return [];
    const { type, text, thinking, signature, partial_json: json } = delta;
    if (type === 'text_delta' && typeof text === 'string') return this.addText(text);
    if (type === 'input_json_delta' && typeof json === 'string') block.text += json;
    if (type === 'signature_delta' && typeof signature === 'string' && block.origin) {
      block.signature += signature;
      block.origin['signature'] = block.signature;
    }
    if (type !== 'thinking_delta' || typeof thinking !== 'string' || !block.origin) return [];
    block.text += thinking;
    block.origin['text'] = block.text;
    return thinking === '' ? [] : this.respond({ text: thinking, thought: true });
  }

  private addText(text: string): GenerateContentResponse[] {
    if (text === '') return [];
    if (!this.isInText) this.partCount += 1;
    this.isInText = true;
    if (!this.hasText) this.hasText = text.trim() !== '';
    return this.respond({ text });
  }

  private stopBlock(index: unknown): GenerateContentResponse[] {
    const block = this.blocks.get(index);
    this.blocks.delete(index);
    if (block?.type !== 'tool_use') return [];
    // Pieces replace the arguments that came with the start.
    const args = readArguments(block.text.trim() === '' ? block.input : block.text);
    if (!args) {
      this.hasBrokenCall = true;
      return [];
    }
    this.partCount += 1;
    this.isInText = false;
    const { id, name } = block;
    return this.respond({ functionCall: { ...(id !== '' && { id }), name: this.options.readName(name), args } });
  }

  private noteEnd({ stop_reason: reason, stop_details: details }: Fields, usage: Fields): GenerateContentResponse[] {
    if (typeof reason === 'string') this.stopReason = reason;
    this.stopDetails = details;
    this.noteUsage(usage);
    return [];
  }

  /** Counts are cumulative; a field that is null keeps what the start of the message said. */
  private noteUsage(usage: Fields): void {
    for (const [name, value] of Object.entries(usage)) if (value !== null) this.usage[name] = value;
  }

  private close(): GenerateContentResponse[] {
    if (this.isClosed) return [];
    this.isClosed = true;
    const { category, explanation } = fieldsOf(this.stopDetails);
    if (this.stopReason === 'refusal') {
      const words = typeof explanation === 'string' ? explanation : undefined;
      throw refusedAnswer(typeof category === 'string' ? category : 'refusal', words);
    }
    // A call that the limit cut off has no stop of its own; it is left out, not run.
    const isCut = [...this.blocks.values()].some(({ type }) => type === 'tool_use');
    const content = withOrigin({ role: 'model', parts: [] }, this.origin());
    const usageMetadata = toUsage(this.usage);
    const warning = this.options.onUsage(usageMetadata);
    return [
      this.stamp.mark({
        candidates: [{ content, finishReason: this.finishReason(isCut), index: 0 }],
        ...(usageMetadata && { usageMetadata }),
        ...(warning !== undefined && { notices: [warning] }),
      }),
    ];
  }

  private origin() {
    return this.thinking.length === 0 ? undefined : { ...this.options.origin, blocks: this.thinking };
  }

  private finishReason(isCut: boolean): FinishReason {
    const { stopReason = '' } = this;
    const reason = FINISH_REASONS[stopReason] ?? stopReason.toUpperCase();
    if (reason === 'MAX_TOKENS') return reason;
    const isEmpty = this.partCount === 0 || (!this.hasText && this.partCount === 0);
    return this.hasBrokenCall || isCut || (stopReason === 'tool_use' && isEmpty) ? 'MALFORMED_FUNCTION_CALL' : reason;
  }

  private respond(part: Part): GenerateContentResponse[] {
    return this.stamp.respond([part]);
  }
}

/**
 * The prompt is what was read, what was written to the cache and what came from it. Gateways that count nothing send
 * zeros: no prompt has none, so the usage is unknown.
 */
function toUsage(usage: Fields): UsageMetadata | undefined {
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : 0);
  const cached = count('cache_read_input_tokens');
  const written = count('cache_creation_input_tokens');
  const details = fieldsOf(usage['output_tokens_details']);
  const thoughts = typeof details['thinking_tokens'] === 'number' ? details['thinking_tokens'] : 0;
  const promptTokenCount = count('input_tokens') + cached + written;
  const candidatesTokenCount = Math.max(0, count('output_tokens') - thoughts);
  if (promptTokenCount === 0) return undefined;
  return {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount + thoughts,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(written > 0 && { cacheWriteTokenCount: written }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
