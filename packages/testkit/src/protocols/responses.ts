/** OpenAI Responses: `POST …/responses`, named server-sent events that end with a terminal event. */

import { refusalOf, vendorReason } from './finish-reason.ts';
import { openaiAside } from './side-endpoints.ts';
import { judgeResponses } from './legal-responses.ts';
import { madeId } from './made-id.ts';
import { argumentsText } from './planned-turn.ts';
import type { Block, PlannedTurn, ScriptUsage, TurnEvent } from './planned-turn.ts';
import { bearerOf, field, modelOf } from './protocol.ts';
import type { Protocol, TurnWriter, WireFrame } from './protocol.ts';
import { inPieces } from './quirks.ts';
import { openaiError, openaiErrorBody } from './vendor-errors.ts';

const WORDS = { stop: 'completed', calls: 'completed', length: 'max_output_tokens', filter: 'content_filter' };
const CREATED = 1_790_000_000;

type Item = Record<string, unknown>;

export const responses: Protocol = {
  framing: 'sse',
  route(method, path, body) {
    const action = path.split('?')[0]!;
    const model = modelOf(body);
    if (method === 'POST' && action.endsWith('/responses/input_tokens')) return { model, action: 'countTokens' };
    if (method !== 'POST' || !action.endsWith('/responses')) return { model, action };
    return { model, action: field(body, 'stream') === true ? 'streamGenerateContent' : 'generateContent' };
  },
  keyOf: (request) => bearerOf(request) ?? request.headers['api-key'],
  judge: judgeResponses,
  writer: (turn) => new ResponsesWriter(turn),
  unary: (turn) => responseObject(turn),
  items: (turn) => [...turn.blocks.map((block) => itemOf(block, turn)), ...refusalItems(turn)],
  error: openaiError,
  aside: openaiAside,
};

class ResponsesWriter implements TurnWriter {
  private readonly turn: PlannedTurn;
  private sequence = 0;
  private open_: Block | undefined;

  constructor(turn: PlannedTurn) {
    this.turn = turn;
  }

  open(): WireFrame[] {
    const response = { ...responseObject(this.turn), status: 'in_progress', output: [], usage: null };
    return [this.event('response.created', { response }), this.event('response.in_progress', { response })];
  }

  write(event: TurnEvent): WireFrame[] {
    switch (event.kind) {
      case 'error':
        return this.fail(event);
      case 'finish':
        return this.refusal();
      case 'piece':
        return this.piece(event);
    }
  }

  close(): WireFrame[] {
    const response = responseObject(this.turn);
    return [...this.closeLate(), this.event(`response.${String(response['status'])}`, { response })];
  }

  private piece({ block, text, isFirst, isLast }: Extract<TurnEvent, { kind: 'piece' }>): WireFrame[] {
    const item = itemOf(block, this.turn);
    const place = { item_id: item['id'], ...this.at(block.index) };
    const frames = isFirst ? this.begin(block, item, place) : [];
    frames.push(...this.deltas(block, text, place));
    if (!isLast) return frames;
    // llama.cpp closes a message only after the call that follows it has begun.
    if (this.turn.quirks.noOutputIndex && block.kind === 'text') {
      this.open_ = block;
      return frames;
    }
    return [...frames, ...this.end(block, item, place)];
  }

  private begin(block: Block, item: Item, place: Item): WireFrame[] {
    const late = this.closeLate();
    const added = this.event('response.output_item.added', { ...this.at(block.index), item: begun(block, item) });
    switch (block.kind) {
      case 'call':
        return [added, ...late];
      case 'text': {
        const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
        return [...late, added, this.event('response.content_part.added', { ...place, content_index: 0, part })];
      }
      case 'thought': {
        const part = { type: 'summary_text', text: '' };
        const isVisible = block.redacted === undefined && block.text !== '';
        const frame = this.event('response.reasoning_summary_part.added', { ...place, summary_index: 0, part });
        return [...late, added, ...(isVisible ? [frame] : [])];
      }
    }
  }

  private deltas(block: Block, text: string, place: Item): WireFrame[] {
    switch (block.kind) {
      case 'call':
        return inPieces(argumentsText(block), this.turn.quirks.argumentPieces).map((delta) =>
          this.event('response.function_call_arguments.delta', { ...place, delta }),
        );
      case 'text':
        return [this.event('response.output_text.delta', { ...place, content_index: 0, delta: text, logprobs: [] })];
      case 'thought':
        if (text === '') return [];
        return [this.event('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta: text })];
    }
  }

  private end(block: Block, item: Item, place: Item): WireFrame[] {
    const done = this.doneEvents(block, place);
    return [...done, this.event('response.output_item.done', { ...this.at(block.index), item })];
  }

  private doneEvents(block: Block, place: Item): WireFrame[] {
    const { text } = block;
    switch (block.kind) {
      case 'call': {
        const whole = { ...place, name: block.call?.name, arguments: argumentsText(block) };
        return this.turn.quirks.noOutputIndex ? [] : [this.event('response.function_call_arguments.done', whole)];
      }
      case 'text': {
        const part = { type: 'output_text', text, annotations: [], logprobs: [] };
        return [
          this.event('response.output_text.done', { ...place, content_index: 0, text, logprobs: [] }),
          this.event('response.content_part.done', { ...place, content_index: 0, part }),
        ];
      }
      case 'thought': {
        if (text === '') return [];
        const part = { type: 'summary_text', text };
        return [
          this.event('response.reasoning_summary_text.done', { ...place, summary_index: 0, text }),
          this.event('response.reasoning_summary_part.done', { ...place, summary_index: 0, part }),
        ];
      }
    }
  }

  private closeLate(): WireFrame[] {
    const block = this.open_;
    if (!block) return [];
    this.open_ = undefined;
    const item = itemOf(block, this.turn);
    return this.end(block, item, { item_id: item['id'] });
  }

  private refusal(): WireFrame[] {
    const [item] = refusalItems(this.turn);
    if (!item) return [];
    const at = this.at(this.turn.blocks.length);
    const place = { item_id: item['id'], ...at, content_index: 0 };
    const refusal = refusalOf(this.turn);
    const part = { type: 'refusal', refusal: '' };
    return [
      this.event('response.output_item.added', { ...at, item: { ...item, status: 'in_progress', content: [] } }),
      this.event('response.content_part.added', { ...place, part }),
      this.event('response.refusal.delta', { ...place, delta: refusal }),
      this.event('response.refusal.done', { ...place, refusal }),
      this.event('response.content_part.done', { ...place, part: { ...part, refusal } }),
      this.event('response.output_item.done', { ...at, item }),
    ];
  }

  private fail({ status, content }: Extract<TurnEvent, { kind: 'error' }>): WireFrame[] {
    const { error } = openaiErrorBody({ status, options: content });
    const response = {
      ...responseObject(this.turn),
      status: 'failed',
      error: { code: error.code ?? error.type, message: error.message },
      usage: null,
    };
    return [this.event('response.failed', { response })];
  }

  private at(index: number): Item {
    return this.turn.quirks.noOutputIndex ? {} : { output_index: index };
  }

  private event(type: string, content: Item): WireFrame {
    const number = this.turn.quirks.noOutputIndex ? {} : { sequence_number: this.sequence++ };
    return { event: type, data: { type, ...number, ...content } };
  }
}

function itemOf(block: Block, turn: PlannedTurn): Item {
  const seed = [turn.request.model ?? '', turn.request.index, block.index];
  switch (block.kind) {
    case 'thought':
      return {
        type: 'reasoning',
        id: madeId('rs_', 32, ...seed),
        summary: block.text === '' ? [] : [{ type: 'summary_text', text: block.text }],
        encrypted_content: block.redacted ?? block.signature ?? madeId('gAAAAA', 64, ...seed),
      };
    case 'text':
      return {
        type: 'message',
        id: madeId('msg_', 32, ...seed),
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: block.text, annotations: [], logprobs: [] }],
        ...(turn.quirks.phase !== undefined && { phase: turn.quirks.phase }),
      };
    case 'call':
      return {
        type: 'function_call',
        id: madeId('fc_', 32, ...seed),
        call_id: turn.quirks.ids === 'same' ? 'call_0' : (block.call?.id ?? madeId('call_', 24, ...seed)),
        ...(block.call?.name !== undefined && { name: block.call.name }),
        arguments: argumentsText(block),
        status: 'completed',
      };
  }
}

/** The item as it is when its deltas have yet to come. */
function begun(block: Block, item: Item): Item {
  switch (block.kind) {
    case 'thought':
      return { ...item, summary: [], encrypted_content: '' };
    case 'text':
      return { ...item, status: 'in_progress', content: [] };
    case 'call':
      return { ...item, status: 'in_progress', arguments: '' };
  }
}

function refusalItems(turn: PlannedTurn): Item[] {
  const refusal = refusalOf(turn);
  if (refusal === undefined) return [];
  const id = madeId('msg_', 32, turn.request.index, 'refusal');
  return [{ type: 'message', id, status: 'completed', role: 'assistant', content: [{ type: 'refusal', refusal }] }];
}

function responseObject(turn: PlannedTurn): Item {
  const reason = vendorReason(turn, WORDS);
  const isWhole = reason === 'completed' || refusalOf(turn) !== undefined;
  return {
    id: madeId('resp_', 32, turn.request.index),
    object: 'response',
    created_at: CREATED,
    status: isWhole ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: isWhole ? null : { reason },
    instructions: null,
    metadata: {},
    model: turn.model,
    output: responses.items(turn, {}),
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    store: field(turn.request.body, 'store') ?? true,
    usage: turn.usage ? responsesUsage(turn.usage) : null,
  };
}

function responsesUsage(usage: ScriptUsage): object {
  const { promptTokenCount: input = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usage;
  const output = candidatesTokenCount + thoughtsTokenCount;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cachedContentTokenCount ?? 0,
      ...(usage.cacheWriteTokenCount !== undefined && { cache_write_tokens: usage.cacheWriteTokenCount }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thoughtsTokenCount },
    total_tokens: input + output,
  };
}
