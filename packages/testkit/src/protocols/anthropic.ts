/**
 * Anthropic Messages: `POST …/v1/messages` and Claude on Vertex (`…:streamRawPredict`), named server-sent events around
 * indexed blocks.
 */

import { jsonAnswer } from '../status-faults.ts';
import { refusalOf, vendorReason } from './finish-reason.ts';
import { judgeAnthropic } from './legal-anthropic.ts';
import { countOf, listModels } from './side-endpoints.ts';
import { madeId } from './made-id.ts';
import { argumentsText } from './planned-turn.ts';
import type { Block, PlannedTurn, ScriptUsage, TurnEvent } from './planned-turn.ts';
import { bearerOf, field, modelOf } from './protocol.ts';
import type { Protocol, TurnWriter, WireFrame } from './protocol.ts';
import { inPieces } from './quirks.ts';
import { anthropicError } from './vendor-errors.ts';

const WORDS = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', filter: 'refusal' };
const VERTEX_PATH = /\/publishers\/anthropic\/models\/([^/:]+):(streamRawPredict|rawPredict)$/;

type Item = Record<string, unknown>;

export const anthropic: Protocol = {
  framing: 'sse',
  route(method, path, body) {
    const action = path.split('?')[0]!;
    const [, vertexModel, vertexAction] = VERTEX_PATH.exec(action) ?? [];
    const model = vertexModel === undefined ? modelOf(body) : decodeURIComponent(vertexModel);
    if (method !== 'POST') return { model, action };
    if (vertexModel === 'count-tokens') return { model: modelOf(body), action: 'countTokens' };
    if (action.endsWith('/messages/count_tokens')) return { model, action: 'countTokens' };
    if (vertexAction === undefined && !action.endsWith('/messages')) return { model, action };
    return { model, action: field(body, 'stream') === true ? 'streamGenerateContent' : 'generateContent' };
  },
  keyOf(request) {
    const isVertex = VERTEX_PATH.test(request.path.split('?')[0]!);
    return bearerOf(request) ?? (isVertex ? undefined : request.headers['x-api-key']);
  },
  judge: judgeAnthropic,
  writer: (turn) => new AnthropicWriter(turn),
  unary: (turn) => ({
    ...envelope(turn),
    content: anthropic.items(turn, {}),
    ...stopOf(turn),
    usage: { ...inputUsage(turn.usage), ...outputUsage(turn.usage) },
  }),
  items: (turn) => turn.blocks.map((block) => blockOf(block, turn)),
  error: anthropicError,
  aside(request, options) {
    if (request.action === 'countTokens') {
      const count = countOf(request, options);
      return typeof count === 'number' ? jsonAnswer(200, { input_tokens: count }) : count;
    }
    return listModels(request, options, (data) => ({
      data,
      has_more: false,
      first_id: data[0]?.['id'] ?? null,
      last_id: data.at(-1)?.['id'] ?? null,
    }));
  },
};

class AnthropicWriter implements TurnWriter {
  private readonly turn: PlannedTurn;
  private readonly unstopped: Block[] = [];

  constructor(turn: PlannedTurn) {
    this.turn = turn;
  }

  open(): WireFrame[] {
    const message = { ...envelope(this.turn), content: [], stop_reason: null, stop_sequence: null };
    const usage = { ...inputUsage(this.turn.usage), output_tokens: 1 };
    return [this.event('message_start', { message: { ...message, usage } }), this.event('ping', {})];
  }

  write(event: TurnEvent): WireFrame[] {
    const frames = this.framesOf(event);
    return this.turn.quirks.pings && frames.length > 0 ? [this.event('ping', {}), ...frames] : frames;
  }

  close(): WireFrame[] {
    const usage = outputUsage(this.turn.usage);
    return [
      this.event('message_delta', { delta: stopOf(this.turn), ...(this.turn.usage ? { usage } : {}) }),
      this.event('message_stop', {}),
    ];
  }

  private framesOf(event: TurnEvent): WireFrame[] {
    switch (event.kind) {
      case 'error': {
        const { body } = anthropicError({ status: event.status, options: event.content }, this.turn.request, {});
        return [{ event: 'error', data: body as object }];
      }
      case 'finish':
        return this.unstopped.splice(0).map((block) => this.stop(block));
      case 'piece':
        return this.piece(event);
    }
  }

  private piece({ block, text, isFirst, isLast }: Extract<TurnEvent, { kind: 'piece' }>): WireFrame[] {
    const start = this.event('content_block_start', { index: block.index, content_block: this.begun(block) });
    const frames = [...(isFirst ? [start] : []), ...this.deltas(block, text, isLast)];
    if (!isLast) return frames;
    if (!this.turn.quirks.overlappingBlocks) return [...frames, this.stop(block)];
    this.unstopped.push(block);
    return frames;
  }

  private begun(block: Block): Item {
    const whole = blockOf(block, this.turn);
    switch (whole['type']) {
      case 'thinking':
        return { type: 'thinking', thinking: '', signature: '' };
      case 'text':
        return { type: 'text', text: '' };
      case 'tool_use': {
        const { input: _input, ...start } = whole;
        return this.turn.quirks.overlappingBlocks ? start : { ...start, input: {} };
      }
      default:
        return whole;
    }
  }

  private deltas(block: Block, text: string, isLast: boolean): WireFrame[] {
    const delta = (content: Item) => this.event('content_block_delta', { index: block.index, delta: content });
    const whole = blockOf(block, this.turn);
    switch (whole['type']) {
      case 'text':
        return [delta({ type: 'text_delta', text })];
      case 'tool_use': {
        if (this.turn.quirks.argumentsAs === 'omitted') return [];
        const pieces = inPieces(argumentsText(block), this.turn.quirks.argumentPieces);
        return ['', ...pieces].map((piece) => delta({ type: 'input_json_delta', partial_json: piece }));
      }
      case 'thinking': {
        const isShown = this.turn.quirks.thinking !== 'omitted' && text !== '';
        const { signature } = whole;
        return [
          ...(isShown ? [delta({ type: 'thinking_delta', thinking: text })] : []),
          ...(isLast && signature !== '' ? [delta({ type: 'signature_delta', signature })] : []),
        ];
      }
      default:
        return [];
    }
  }

  private stop({ index }: Block): WireFrame {
    return this.event('content_block_stop', { index });
  }

  private event(type: string, content: Item): WireFrame {
    return { event: type, data: { type, ...content } };
  }
}

function envelope({ request, model }: PlannedTurn): Item {
  return { id: madeId('msg_01', 22, request.index), type: 'message', role: 'assistant', model };
}

function blockOf(block: Block, { request, quirks }: PlannedTurn): Item {
  const seed = [request.model ?? '', request.index, block.index];
  switch (block.kind) {
    case 'thought': {
      if (block.redacted !== undefined) return { type: 'redacted_thinking', data: block.redacted };
      const thinking = quirks.thinking === 'omitted' ? '' : block.text;
      return { type: 'thinking', thinking, signature: block.signature ?? madeId('Er', 96, ...seed) };
    }
    case 'text':
      return { type: 'text', text: block.text };
    case 'call':
      return {
        type: 'tool_use',
        id: quirks.ids === 'same' ? 'call_0' : (block.call?.id ?? madeId('toolu_01', 22, ...seed)),
        ...(block.call?.name !== undefined && { name: block.call.name }),
        input: block.call?.args ?? {},
      };
  }
}

function stopOf(turn: PlannedTurn): Item {
  const reason = vendorReason(turn, WORDS);
  const explanation = refusalOf(turn);
  return {
    stop_reason: reason,
    stop_sequence: null,
    ...(reason === 'refusal' && {
      stop_details: { type: 'refusal', category: null, explanation: explanation ?? null },
    }),
  };
}

function inputUsage(usage: ScriptUsage = {}): Item {
  const { promptTokenCount = 0, cachedContentTokenCount: read = 0, cacheWriteTokenCount: written = 0 } = usage;
  return {
    input_tokens: promptTokenCount - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
  };
}

function outputUsage(usage: ScriptUsage = {}): Item {
  const { candidatesTokenCount = 0, thoughtsTokenCount } = usage;
  return {
    output_tokens: candidatesTokenCount + (thoughtsTokenCount ?? 0),
    ...(thoughtsTokenCount !== undefined && { output_tokens_details: { thinking_tokens: thoughtsTokenCount } }),
  };
}
