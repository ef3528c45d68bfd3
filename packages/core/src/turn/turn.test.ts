import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { GeminiChat } from '../chat/gemini-chat.ts';
import type { StreamEvent } from '../chat/stream-events.ts';
import { createOfflineGenerator } from '../provider/offline/offline-generator.ts';
import type { GenerateContentResponse, Part, Tool } from '../protocol/content.ts';
import { ApiError, InvalidStreamError } from '../protocol/errors.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { OptimizedTurn } from './optimized-turn.ts';
import { Turn } from './turn.ts';
import type { TurnChat, TurnOptions } from './turn.ts';

type Item = StreamEvent | GenerateContentResponse | Error | (() => void);

/** A chat that yields what it is given; an error is thrown, a function called in passing. */
function chatOf(items: Item[], tools: Tool[] = []): TurnChat & { asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    model: 'default-model',
    async *sendMessageStream(model, message, prompt_id) {
      asked.push([model, message, prompt_id]);
      for (const item of items) {
        if (typeof item === 'function') item();
        else if (item instanceof Error) throw item;
        else yield item;
      }
    },
    getHistory: () => [{ role: 'user', parts: [{ text: 'earlier' }] }],
    maybeIncludeSchemaDepthContext: (error) =>
      new GeminiChat({ generator: createOfflineGenerator(), model: 'm', tools }).maybeIncludeSchemaDepthContext(error),
  };
}

const frame = (parts: Part[], rest: object = {}): GenerateContentResponse => ({
  candidates: [{ content: { role: 'model', parts }, ...rest }],
});

async function run(items: Item[], options: TurnOptions & { signal?: AbortSignal; tools?: Tool[] } = {}) {
  const turn = new Turn(chatOf(items, options.tools), 'prompt-1', { clock: createFakeClock(), ...options });
  const events: ServerGeminiStreamEvent[] = [];
  for await (const event of turn.run('hi', options.signal ?? new AbortController().signal)) events.push(event);
  return { turn, events };
}

describe('Turn', () => {
  it('gives thoughts, text, calls, citations and the end of one frame in that order', async () => {
    const usageMetadata = { totalTokenCount: 3 };
    const all: GenerateContentResponse = {
      responseId: 'r1',
      usageMetadata,
      ...frame(
        [
          { text: 'hello' },
          { functionCall: { id: 'c1', name: 't', args: { a: 1 } } },
          { text: '**S** d', thought: true },
        ],
        {
          finishReason: 'STOP',
          citationMetadata: { citations: [{ uri: 'u2' }, { uri: 'u1', title: 'T' }, { uri: 'u2' }, {}] },
        },
      ),
    };
    const request = {
      callId: 'c1',
      name: 't',
      args: { a: 1 },
      isClientInitiated: false,
      prompt_id: 'prompt-1',
      traceId: 'r1',
    };
    const { turn, events } = await run([all]);
    expect(events).toEqual([
      { type: 'thought', value: { subject: 'S', description: 'd' }, traceId: 'r1' },
      { type: 'content', value: 'hello', traceId: 'r1' },
      { type: 'tool_call_request', value: request },
      { type: 'citation', value: 'Citations:\n(T) u1\nu2' },
      { type: 'finished', value: { reason: 'STOP', usageMetadata } },
    ]);
    expect([turn.pendingToolCalls, turn.finishReason, turn.getDebugResponses()]).toEqual([[request], 'STOP', [all]]);
  });

  it('understands bare responses and stream events alike', async () => {
    const bare = frame([{ text: 'a' }]);
    const { events } = await run([bare, { type: 'chunk', value: bare } as StreamEvent, { type: 'chunk' } as never]);
    expect(events).toEqual([
      { type: 'content', value: 'a' },
      { type: 'content', value: 'a' },
    ]);
  });

  it('takes calls from SDK response objects too', async () => {
    const { turn } = await run([{ functionCalls: [{ id: 'x', name: 'n', args: {} }] }]);
    expect(turn.pendingToolCalls.map(({ callId, name }) => [callId, name])).toEqual([['x', 'n']]);
  });

  it('fills in what a call lacks', async () => {
    const { turn } = await run([
      frame([
        { functionCall: { name: 'n' } },
        { functionCall: {} },
        { functionCall: { id: 'd', name: 'a' } },
        { functionCall: { id: 'd', name: 'b' } },
      ]),
    ]);
    expect(turn.pendingToolCalls.map(({ callId, name, args }) => [callId, name, args])).toEqual([
      [expect.stringMatching(/^n-\d+-[0-9a-f]{12}$/), 'n', {}],
      [expect.stringMatching(/^undefined_tool_name-\d+-[0-9a-f]{12}$/), 'undefined_tool_name', {}],
      ['d', 'a', {}],
      [expect.stringMatching(/^b-\d+-/), 'b', {}],
    ]);
  });

  it('forgets what a failed attempt said', async () => {
    const { turn, events } = await run([
      frame([{ text: 'void' }, { functionCall: { name: 'n' } }], { citationMetadata: { citations: [{ uri: 'u' }] } }),
      { type: 'retry' } as StreamEvent,
      frame([{ text: 'answer' }], { finishReason: 'STOP' }),
    ]);
    expect(events.map(({ type }) => type)).toEqual(['content', 'tool_call_request', 'retry', 'content', 'finished']);
    expect([turn.pendingToolCalls, turn.getResponseText()]).toEqual([[], 'answer']);
  });

  it('passes on what hooks decided, and ends when one stopped it', async () => {
    const { events } = await run([
      { type: 'agent_execution_blocked', reason: 'b' } as StreamEvent,
      frame([{ text: 'synthetic' }]),
      { type: 'agent_execution_stopped', reason: 's' } as StreamEvent,
      frame([{ text: 'never' }]),
    ]);
    expect(events).toEqual([
      { type: 'agent_execution_blocked', value: { reason: 'b' } },
      { type: 'content', value: 'synthetic' },
      { type: 'agent_execution_stopped', value: { reason: 's' } },
    ]);
  });

  it('has two ways to be run', async () => {
    const chat = chatOf([]);
    const { signal } = new AbortController();
    for await (const _ of new Turn(chat, 'p').run('hi', signal));
    for await (const _ of new Turn(chat, 'p').run('other-model', ['hi'], signal));
    for await (const _ of new Turn(chat, 'p').run({ model: 'key' }, [{ text: 'hi' }], signal));
    expect(chat.asked).toEqual([
      ['default-model', 'hi', 'p'],
      ['other-model', ['hi'], 'p'],
      [{ model: 'key' }, [{ text: 'hi' }], 'p'],
    ]);
  });

  it('gives its text as it was streamed', async () => {
    const { turn } = await run([
      frame([{ text: 'a' }]),
      frame([{ functionCall: { name: 'n' } }]),
      frame([{ text: 'b' }]),
    ]);
    expect(turn.getResponseText()).toBe('ab');
  });

  describe('when something goes wrong', () => {
    it('is cancelled by an abort, whatever else failed', async () => {
      const controller = new AbortController();
      const items: Item[] = [frame([{ text: 'a' }]), () => controller.abort(), new Error('socket')];
      expect((await run(items, { signal: controller.signal })).events).toEqual([
        { type: 'content', value: 'a' },
        { type: 'user_cancelled' },
      ]);
    });

    it('does not look at a frame that arrives after the abort', async () => {
      const controller = new AbortController();
      const { turn, events } = await run([() => controller.abort(), frame([{ text: 'late' }])], {
        signal: controller.signal,
      });
      expect([events, turn.getDebugResponses()]).toEqual([[{ type: 'user_cancelled' }], []]);
    });

    it('names an unusable stream', async () => {
      const { events } = await run([new InvalidStreamError('empty', 'NO_RESPONSE_TEXT')]);
      expect(events).toEqual([{ type: 'invalid_stream', value: { type: 'NO_RESPONSE_TEXT', message: 'empty' } }]);
    });

    it('counts the attempts of an unusable stream', async () => {
      const retry = { type: 'retry' } as StreamEvent;
      const { events } = await run([retry, retry, new InvalidStreamError('empty', 'NO_RESPONSE_TEXT')]);
      expect(events.at(-1)).toEqual({
        type: 'invalid_stream',
        value: { type: 'NO_RESPONSE_TEXT', message: 'empty', attempts: 3 },
      });
    });

    it('throws for refused credentials, also those of a foreign client', async () => {
      const foreign = Object.assign(new Error('x'), {
        response: { data: { error: { code: 401, message: 'no key' } } },
      });
      await expect(run([foreign])).rejects.toMatchObject({ name: 'UnauthorizedError', message: 'no key' });
    });

    it('reports any other error with its context and ends with an error event', async () => {
      const reports: unknown[][] = [];
      const error = new ApiError('busy', { reason: 'server', status: 503 });
      const { events } = await run([error], { reportError: async (...report) => void reports.push(report) });
      expect(events).toEqual([
        { type: 'error', value: { error: { message: 'busy', status: 503, reason: 'server', retryable: true } } },
      ]);
      expect(reports).toEqual([
        [
          error,
          'Error when talking to Gemini API',
          [
            { role: 'user', parts: [{ text: 'earlier' }] },
            { role: 'user', parts: [{ text: 'hi' }] },
          ],
          'Turn.run-sendMessageStream',
        ],
      ]);
    });

    it('names the tools whose schema may be at fault', async () => {
      const cyclic = { type: 'object', properties: { child: { $ref: '#' } } };
      const tools = [
        {
          functionDeclarations: [
            { name: 'tree', parametersJsonSchema: cyclic },
            { name: 'plain', parametersJsonSchema: { type: 'object' } },
          ],
        },
      ];
      const { events } = await run([new Error('maximum schema depth exceeded')], { tools });
      expect(events).toEqual([
        {
          type: 'error',
          value: { error: { message: expect.stringMatching(/^maximum schema depth exceeded\n.*: tree\. /) as string } },
        },
      ]);
    });
  });
});

describe('a subclass that keeps fewer responses, as the documents write one', () => {
  class ShortMemory extends Turn {
    private responseBuffer: GenerateContentResponse[] = [];

    override getDebugResponses(): GenerateContentResponse[] {
      return [...this.responseBuffer];
    }

    protected override addDebugResponse(response: GenerateContentResponse): void {
      this.responseBuffer = [response];
    }
  }

  it('has the whole text, and nothing of a failed attempt', async () => {
    const turn = new ShortMemory(
      chatOf([frame([{ text: 'void' }]), { type: 'retry' }, frame([{ text: 'a' }]), frame([{ text: 'b' }])] as never),
      'p',
    );
    for await (const _ of turn.run('hi', new AbortController().signal));
    expect([turn.getDebugResponses().length, turn.getResponseText()]).toEqual([1, 'ab']);
  });
});

describe('OptimizedTurn', () => {
  it('keeps the last hundred responses, and all of the text', async () => {
    const frames = Array.from({ length: 250 }, (_, index) => frame([{ text: String(index) }]));
    const turn = new OptimizedTurn(chatOf(frames), 'p');
    for await (const _ of turn.run('hi', new AbortController().signal));
    expect([turn.getDebugResponses(), turn.getResponseText()]).toEqual([
      frames.slice(150),
      Array.from({ length: 250 }, (_, index) => index).join(''),
    ]);
    turn.cleanup();
    expect([turn.getDebugResponses(), turn.getResponseText()]).toEqual([[], '']);
  });
});
