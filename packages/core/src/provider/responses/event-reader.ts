/**
 * Reads the events of a streamed response. A finished item is authoritative: arguments and encrypted reasoning are taken
 * from it. Items are known by their id, since some servers send no index.
 */

import type { FinishReason, GenerateContentResponse, Part, UsageMetadata } from '../../protocol/content.ts';
import { type Origin, type OriginBlock, withOrigin } from '../../protocol/origin.ts';
import { isRecord } from '../../util/is-record.ts';
import { parseObject } from '../wire/answer.ts';
import { readArguments } from '../wire/call-arguments.ts';
import { AnswerStamp } from '../wire/answer-stamp.ts';
import { findReportedError, judgeStreamError } from '../wire/judge-failure.ts';
import type { OriginKey } from '../wire/own-origin.ts';
import { refusedAnswer } from '../wire/refused-answer.ts';
import { TextFrames } from '../wire/text-frames.ts';
import type { AnswerReader, WireFrame } from '../wire/wire-protocol.ts';

type Fields = Record<string, unknown>;

/** How events begin from which nothing is read; the last two repeat the whole answer. */
export const UNREAD = [
  '{"type":"response.in_progress"',
  '{"type":"response.content_part.added"',
  '{"type":"response.output_text.done"',
  '{"type":"response.content_part.done"',
];

export interface EventReaderOptions {
  origin: OriginKey;
  /** The declared name of a spelled one. */
  readName(spelled: string): string;
  /** What was counted; returns a warning. */
  onUsage(usage: UsageMetadata | undefined): string | undefined;
  /** The limit of the request, if it has one. */
  maxOutputTokens?: number | undefined;
}

export class EventReader implements AnswerReader {
  private readonly options: EventReaderOptions;
  private readonly blocks: OriginBlock[] = [];
  private readonly calls: Record<string, { itemId: string }> = {};
  /** Items that have begun, by id, with the place where they stand. */
  private readonly begun = new Map<unknown, OriginBlock>();
  /** Messages whose text has come in deltas. */
  private readonly streamed = new Set<unknown>();
  private readonly stamp = new AnswerStamp();
  readonly runs = new TextFrames({ counter: 'sequence_number', event: 'response.output_text.delta' });
  private refusal = '';
  private partCount = 0;
  private isInText = false;
  private hasText = false;
  private hasBrokenCall = false;
  private hasCalls = false;

  constructor(options: EventReaderOptions) {
    this.options = options;
  }

  read({ data, run }: WireFrame): readonly GenerateContentResponse[] {
    if (run) return this.addText(run.owner, run.text);
    const text = this.runs.textOf(data);
    if (text !== undefined) return this.addText(this.runs.noted, text);
    const event = parseObject(data);
    const { type, item_id: itemId, delta } = event;
    switch (type) {
      case 'response.created':
        return this.start(fieldsOf(event['response']));
      case 'response.output_item.added':
        return this.beginItem(fieldsOf(event['item']));
      case 'response.output_text.delta':
        if (typeof delta === 'string') this.runs.note(data, delta, itemId);
        return this.addText(itemId, delta);
      case 'response.refusal.delta':
        if (typeof delta === 'string') this.refusal += delta;
        return [];
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return typeof delta === 'string' && delta !== '' ? this.respond({ text: delta, thought: true }) : [];
      case 'response.output_item.done':
        return this.endItem(fieldsOf(event['item']));
      case 'response.completed':
      case 'response.incomplete':
        return this.close(fieldsOf(event['response']));
      case 'response.failed':
        throw judgeStreamError(findReportedError(event['response']) ?? { types: [] });
      default:
        if (event['object'] === 'response') return this.readWhole(event);
        if (type === 'error' || (typeof type !== 'string' && event['error'] !== undefined)) {
          throw judgeStreamError(
            findReportedError(event['error'] === undefined ? { error: event } : event) ?? { types: [] },
          );
        }
        return [];
    }
  }

  /** A close before the terminal event is a broken stream: the answer has no finish reason. */
  end(): readonly GenerateContentResponse[] {
    return [];
  }

  /** A gateway that does not stream answers with the response itself. */
  private readWhole(response: Fields): GenerateContentResponse[] {
    if (isRecord(response['error'])) throw judgeStreamError(findReportedError(response) ?? { types: [] });
    this.start(response);
    const items = Array.isArray(response['output']) ? response['output'].filter(isRecord) : [];
    const frames = items.flatMap((item) => [...this.endItem(item), ...this.readSummary(item)]);
    return [...frames, ...this.close(response)];
  }

  private readSummary({ type, summary }: Fields): GenerateContentResponse[] {
    if (type !== 'reasoning' || !Array.isArray(summary)) return [];
    const texts = summary.filter(isRecord).map(({ text }) => text);
    return texts.flatMap((text) =>
      typeof text === 'string' && text !== '' ? this.respond({ text, thought: true }) : [],
    );
  }

  private start({ id, model }: Fields): GenerateContentResponse[] {
    if (typeof id === 'string') this.stamp.id = id;
    if (typeof model === 'string' && model !== '') this.stamp.model = model;
    return [];
  }

  private beginItem({ id, type }: Fields): GenerateContentResponse[] {
    if (type !== 'reasoning' && type !== 'message') return [];
    const isAfterText = this.isInText;
    const block: OriginBlock = { before: this.partCount, type, id };
    this.begun.set(id, block);
    this.blocks.push(block);
    // Two messages in a row, and reasoning between two texts, must stay apart.
    this.isInText = false;
    return type === 'reasoning' || isAfterText ? this.respond({ thought: true }) : [];
  }

  private addText(itemId: unknown, text: unknown): GenerateContentResponse[] {
    if (typeof text !== 'string' || text === '') return [];
    this.streamed.add(itemId);
    if (!this.isInText) this.partCount += 1;
    this.isInText = true;
    if (!this.hasText) this.hasText = text.trim() !== '';
    return this.respond({ text });
  }

  private endItem(item: Fields): GenerateContentResponse[] {
    switch (item['type']) {
      case 'function_call':
        return this.addCall(item);
      case 'reasoning':
        return this.endReasoning(item);
      case 'message':
        return this.endMessage(item);
      default:
        return [];
    }
  }

  private addCall({ id, call_id: callId, name, arguments: text }: Fields): GenerateContentResponse[] {
    const args = readArguments(text);
    this.isInText = false;
    if (typeof name !== 'string' || !args) {
      this.hasBrokenCall = true;
      return [];
    }
    this.partCount += 1;
    this.hasCalls = true;
    const known = typeof callId === 'string' && callId !== '' ? { id: callId } : {};
    if (known.id !== undefined && typeof id === 'string') this.calls[known.id] = { itemId: id };
    return this.respond({ functionCall: { ...known, name: this.options.readName(name), args } });
  }

  private endReasoning({ id, summary, encrypted_content: encrypted }: Fields): GenerateContentResponse[] {
    const frames = this.begun.has(id) ? [] : this.beginItem({ id, type: 'reasoning' });
    const block = this.begun.get(id);
    if (block) Object.assign(block, { summary: summary ?? [], encrypted_content: encrypted });
    return frames;
  }

  private endMessage({ id, phase, content }: Fields): GenerateContentResponse[] {
    const frames = this.begun.has(id) ? [] : this.beginItem({ id, type: 'message' });
    const block = this.begun.get(id);
    if (block && typeof phase === 'string') block['phase'] = phase;
    if (this.streamed.has(id) || !Array.isArray(content)) return frames;
    const pieces = content.filter(isRecord);
    for (const { refusal } of pieces) if (this.refusal === '' && typeof refusal === 'string') this.refusal = refusal;
    return [...frames, ...pieces.flatMap(({ text }) => this.addText(id, text))];
  }

  private close(response: Fields): GenerateContentResponse[] {
    const { reason } = fieldsOf(response['incomplete_details']);
    if (typeof response['model'] === 'string' && response['model'] !== '') this.stamp.model = response['model'];
    if (this.refusal !== '' || reason === 'content_filter') {
      throw refusedAnswer(reason === 'content_filter' ? 'content_filter' : 'refusal', this.refusal);
    }
    const content = withOrigin({ role: 'model', parts: [] }, this.origin());
    const usageMetadata = toUsage(response['usage']);
    const warning = this.options.onUsage(usageMetadata);
    return [
      this.stamp.mark({
        candidates: [{ content, finishReason: this.finishReason(response, reason), index: 0 }],
        ...(usageMetadata && { usageMetadata }),
        ...(warning !== undefined && { notices: [warning] }),
      }),
    ];
  }

  private finishReason({ status, usage }: Fields, reason: unknown): FinishReason {
    // llama.cpp calls an answer completed that its limit cut off.
    const { maxOutputTokens } = this.options;
    const written = fieldsOf(usage)['output_tokens'];
    const isAtLimit = maxOutputTokens !== undefined && typeof written === 'number' && written >= maxOutputTokens;
    if (reason === 'max_output_tokens' || (reason === undefined && isAtLimit)) return 'MAX_TOKENS';
    if (typeof reason === 'string') return reason.toUpperCase();
    if (this.hasBrokenCall) return 'MALFORMED_FUNCTION_CALL';
    return status === 'completed' || status === undefined || this.hasText || this.hasCalls ? 'STOP' : 'OTHER';
  }

  /** Reasoning that cannot be sent back without its content is left out, and then every id with it. */
  private origin(): Origin | undefined {
    const isKept = this.blocks.every(({ type, encrypted_content: encrypted }) => type !== 'reasoning' || encrypted);
    if (!isKept || (this.blocks.length === 0 && !this.hasCalls)) return undefined;
    return { ...this.options.origin, blocks: this.blocks, calls: this.calls };
  }

  private respond(part: Part): GenerateContentResponse[] {
    return this.stamp.respond([part]);
  }
}

function toUsage(value: unknown): UsageMetadata | undefined {
  if (!isRecord(value)) return undefined;
  const count = (fields: Fields, name: string) => (typeof fields[name] === 'number' ? fields[name] : undefined);
  const ofInput = fieldsOf(value['input_tokens_details']);
  const cached = count(ofInput, 'cached_tokens');
  const written = count(ofInput, 'cache_write_tokens');
  const thoughts = count(fieldsOf(value['output_tokens_details']), 'reasoning_tokens');
  const promptTokenCount = count(value, 'input_tokens') ?? 0;
  const candidatesTokenCount = Math.max(0, (count(value, 'output_tokens') ?? 0) - (thoughts ?? 0));
  return {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount + (thoughts ?? 0),
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    ...(written !== undefined && { cacheWriteTokenCount: written }),
    ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
  };
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
