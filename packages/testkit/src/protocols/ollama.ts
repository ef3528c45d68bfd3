/** Ollama's own protocol: `POST /api/chat`, one JSON object per line, calls whole and with object arguments. */

import { jsonAnswer } from '../status-faults.ts';
import { vendorReason } from './finish-reason.ts';
import { judgeOllama } from './legal-ollama.ts';
import { madeId } from './made-id.ts';
import { callsOf } from './planned-turn.ts';
import type { Block, PlannedTurn, TurnEvent } from './planned-turn.ts';
import { bearerOf, field, modelOf } from './protocol.ts';
import type { Protocol, ProtocolOptions, TurnWriter, WireFrame } from './protocol.ts';
import { ollamaError } from './vendor-errors.ts';
import { sideAnswer } from './side-endpoints.ts';

const WORDS = { stop: 'stop', calls: 'stop', length: 'length', filter: 'content_filter' };
const CREATED_AT = '2026-11-17T00:00:00.000000Z';

type Item = Record<string, unknown>;

export const ollama: Protocol = {
  framing: 'ndjson',
  isKeyless: true,
  route(method, path, body) {
    const action = path.split('?')[0]!;
    const model = modelOf(body);
    if (method !== 'POST' || !action.endsWith('/api/chat')) return { model, action };
    return { model, action: field(body, 'stream') === false ? 'generateContent' : 'streamGenerateContent' };
  },
  keyOf: bearerOf,
  judge: judgeOllama,
  writer: (turn) => new OllamaWriter(turn),
  unary: (turn) => ({ ...lastLine(turn), message: ollama.items(turn, {})[0] }),
  items(turn) {
    const joined = (kind: Block['kind']) =>
      turn.blocks
        .filter((block) => block.kind === kind)
        .map((block) => block.text)
        .join('');
    const thinking = joined('thought');
    const calls = callsOf(turn).map((block) => callOf(block, turn));
    return [
      {
        role: 'assistant',
        content: joined('text'),
        ...(thinking !== '' && { thinking }),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    ];
  },
  error: ollamaError,
  aside(request, options) {
    const side = sideAnswer(request, options);
    if (side !== undefined) return side;
    const { method, action = '' } = request;
    if (method === 'GET' && action.endsWith('/api/tags')) return jsonAnswer(200, { models: tags(options) });
    if (method === 'GET' && action.endsWith('/api/ps')) return jsonAnswer(200, { models: [] });
    if (method === 'GET' && action.endsWith('/api/version')) return jsonAnswer(200, { version: '0.14.0' });
    if (method === 'POST' && action.endsWith('/api/show')) {
      const architecture = { 'general.architecture': 'qwen3', 'qwen3.context_length': 262_144 };
      return jsonAnswer(200, { capabilities: ['completion', 'tools', 'thinking'], model_info: architecture });
    }
    return undefined;
  },
};

class OllamaWriter implements TurnWriter {
  private readonly turn: PlannedTurn;

  constructor(turn: PlannedTurn) {
    this.turn = turn;
  }

  open(): WireFrame[] {
    return [];
  }

  write(event: TurnEvent): WireFrame[] {
    switch (event.kind) {
      case 'error': {
        const failure = { status: event.status, options: event.content };
        return [{ data: ollamaError(failure, this.turn.request, {}).body as object }];
      }
      case 'finish':
        return [];
      case 'piece':
        return [this.line(event.block, event.text)];
    }
  }

  close(): WireFrame[] {
    return [{ data: lastLine(this.turn) }];
  }

  private line(block: Block, text: string): WireFrame {
    const message = { role: 'assistant', content: block.kind === 'text' ? text : '' };
    const more =
      block.kind === 'call'
        ? { tool_calls: [callOf(block, this.turn)] }
        : block.kind === 'thought'
          ? { thinking: text }
          : {};
    return { data: { model: this.turn.model, created_at: CREATED_AT, message: { ...message, ...more }, done: false } };
  }
}

function callOf(block: Block, { quirks, request }: PlannedTurn): Item {
  const id =
    quirks.ids === 'same'
      ? 'call_0'
      : (block.call?.id ?? madeId('call_', 8, request.model ?? '', request.index, block.index));
  const index = quirks.indexes === 'zero' ? 0 : block.callIndex;
  return {
    ...(quirks.ids !== 'none' && { id }),
    function: {
      ...(quirks.indexes !== 'none' && { index }),
      ...(block.call?.name !== undefined && { name: block.call.name }),
      ...(quirks.argumentsAs !== 'omitted' && { arguments: block.call?.args ?? {} }),
    },
  };
}

function lastLine(turn: PlannedTurn): Item {
  const { usage } = turn;
  return {
    model: turn.model,
    created_at: CREATED_AT,
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: vendorReason(turn, WORDS),
    total_duration: 3_000_000,
    load_duration: 1_000_000,
    ...(usage &&
      turn.quirks.usage !== 'none' && {
        prompt_eval_count: usage.promptTokenCount ?? 0,
        prompt_eval_duration: 1_000_000,
        eval_count: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
        eval_duration: 1_000_000,
      }),
  };
}

function tags({ models }: ProtocolOptions): readonly object[] {
  return models ?? [{ name: 'qwen3-coder:30b', model: 'qwen3-coder:30b', size: 1, details: { family: 'qwen3' } }];
}
