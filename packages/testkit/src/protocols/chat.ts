/** OpenAI Chat Completions: `POST …/chat/completions`, server-sent events that end with `[DONE]`. */

import { chatCall, chatFragments } from './chat-call.ts';
import { reasoningDelta, reasoningField, reasoningMessage } from './chat-reasoning.ts';
import { refusalOf, vendorReason } from './finish-reason.ts';
import type { FinishWords } from './finish-reason.ts';
import { openaiAside } from './side-endpoints.ts';
import { judgeChat } from './legal-chat.ts';
import { madeId } from './made-id.ts';
import { callsOf } from './planned-turn.ts';
import type { Block, PlannedTurn, ScriptUsage, TurnEvent } from './planned-turn.ts';
import { bearerOf, field, modelOf } from './protocol.ts';
import type { Protocol, ProtocolOptions, TurnWriter, WireFrame } from './protocol.ts';
import { chatError, chatErrorFrame } from './vendor-errors.ts';

const WORDS: FinishWords = { stop: 'stop', calls: 'tool_calls', length: 'length', filter: 'content_filter' };
const CREATED = 1_790_000_000;

export const chat: Protocol = {
  framing: 'sse',
  route(method, path, body) {
    const action = path.split('?')[0]!;
    // Azure's older form names the deployment in the path.
    const model = modelOf(body) ?? /\/deployments\/([^/]+)\//.exec(action)?.[1];
    if (method !== 'POST' || !action.endsWith('/chat/completions')) return { model, action };
    return { model, action: field(body, 'stream') === true ? 'streamGenerateContent' : 'generateContent' };
  },
  keyOf: (request) => bearerOf(request) ?? request.headers['api-key'],
  judge: judgeChat,
  writer: (turn, options) => new ChatWriter(turn, options),
  unary(turn, options) {
    const [message] = chat.items(turn, options);
    const choice = { index: 0, message, logprobs: null, finish_reason: vendorReason(turn, WORDS) };
    return {
      ...envelope(turn, 'chat.completion'),
      choices: [choice],
      ...(turn.usage && turn.quirks.usage !== 'none' && { usage: chatUsage(turn.usage, options) }),
    };
  },
  items(turn, options) {
    const said = turn.blocks.filter((block) => block.kind === 'text').map((block) => block.text);
    const calls = callsOf(turn);
    const refusal = refusalOf(turn);
    return [
      {
        role: 'assistant',
        ...reasoningMessage(turn.blocks, said.join(''), reasoningField(turn, options)),
        ...(refusal !== undefined && { refusal }),
        ...(calls.length > 0 && {
          tool_calls: calls.map((block) => chatCall(block, callId(block, turn, options), turn.quirks)),
        }),
      },
    ];
  },
  error: chatError,
  aside: openaiAside,
};

class ChatWriter implements TurnWriter {
  private readonly turn: PlannedTurn;
  private readonly options: ProtocolOptions;
  private readonly queues: Record<string, unknown>[][] = [];
  private readonly sent = new Map<Block, string>();

  constructor(turn: PlannedTurn, options: ProtocolOptions) {
    this.turn = turn;
    this.options = options;
  }

  open(): WireFrame[] {
    const first = this.turn.quirks.emptyFirstChoices
      ? [{ data: { ...envelope(this.turn, 'chat.completion.chunk'), choices: [], prompt_filter_results: [] } }]
      : [];
    return [...first, this.chunk({ role: 'assistant', content: '' })];
  }

  write(event: TurnEvent): WireFrame[] {
    switch (event.kind) {
      case 'error':
        return chatErrorFrame(event, this.turn, this.options);
      case 'finish':
        return this.finish();
      case 'piece':
        return this.piece(event);
    }
  }

  close(): WireFrame[] {
    const { usage, quirks, request } = this.turn;
    const isAsked = field(field(request.body, 'stream_options'), 'include_usage') === true;
    const isSent = quirks.usage === 'always' || (quirks.usage === undefined && isAsked);
    const last = {
      ...envelope(this.turn, 'chat.completion.chunk'),
      choices: [],
      usage: usage && chatUsage(usage, this.options),
    };
    return [...(usage && isSent ? [{ data: last }] : []), ...(quirks.done === 'missing' ? [] : [{ data: '[DONE]' }])];
  }

  private finish(): WireFrame[] {
    const { usage, quirks } = this.turn;
    const interleaved = roundRobin(this.queues).map((fragment) => this.chunk({ tool_calls: [fragment] }));
    if (quirks.done === 'only') return interleaved;
    const refused = refusalOf(this.turn);
    const refusal = refused === undefined ? [] : [this.chunk({ refusal: refused })];
    const counted = usage && chatUsage(usage, this.options);
    const end = this.chunk({}, vendorReason(this.turn, WORDS), quirks.usage === 'choice' ? { usage: counted } : {});
    const withUsage = quirks.usage === 'finish' ? { data: { ...(end.data as object), usage: counted } } : end;
    return [...interleaved, ...refusal, withUsage];
  }

  private piece({ block, text, isFirst, isLast }: Extract<TurnEvent, { kind: 'piece' }>): WireFrame[] {
    const { quirks } = this.turn;
    if (block.kind === 'call') return this.call(block);
    if (block.kind === 'text') return [this.chunk({ content: quirks.cumulativeText ? this.soFar(block, text) : text })];
    const field = reasoningField(this.turn, this.options);
    return [this.chunk(reasoningDelta(block, text, { isFirst, isLast }, field))];
  }

  private soFar(block: Block, text: string): string {
    const known = this.sent.get(block) ?? '';
    this.sent.set(block, known + text);
    return known + text;
  }

  private call(block: Block): WireFrame[] {
    const fragments = chatFragments(block, callId(block, this.turn, this.options), this.turn.quirks);
    if (!this.turn.quirks.interleavedCalls) return fragments.map((fragment) => this.chunk({ tool_calls: [fragment] }));
    this.queues.push(fragments);
    return [];
  }

  private chunk(delta: object, finish: string | null = null, inChoice: object = {}): WireFrame {
    const { usage, quirks } = this.turn;
    return {
      data: {
        ...envelope(this.turn, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, ...inChoice }],
        ...(usage && quirks.usage === 'every' && { usage: chatUsage(usage, this.options) }),
      },
    };
  }
}

function envelope(turn: PlannedTurn, object: string): Record<string, unknown> {
  return { id: `chatcmpl-${turn.request.index + 1}`, object, created: CREATED, model: turn.model };
}

function callId(block: Block, { quirks, request }: PlannedTurn, { vendor }: ProtocolOptions): string {
  if (quirks.ids === 'same') return 'call_0';
  if (block.call?.id !== undefined) return block.call.id;
  const seed = [request.model ?? '', request.index, block.index];
  return vendor === 'mistral' ? madeId('', 9, ...seed) : madeId('call_', 24, ...seed);
}

function chatUsage(usage: ScriptUsage, { vendor }: ProtocolOptions): object {
  const { promptTokenCount: prompt = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usage;
  // xAI counts reasoning beside the completion.
  const completion = vendor === 'xai' ? candidatesTokenCount : candidatesTokenCount + thoughtsTokenCount;
  const cached = usage.cachedContentTokenCount ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cached,
      ...(usage.cacheWriteTokenCount !== undefined && { cache_write_tokens: usage.cacheWriteTokenCount }),
    },
    completion_tokens_details: { reasoning_tokens: thoughtsTokenCount },
    ...(vendor === 'deepseek' && { prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: prompt - cached }),
  };
}

function roundRobin<T>(queues: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, round) => queues.flatMap((queue) => queue.slice(round, round + 1))).flat();
}
