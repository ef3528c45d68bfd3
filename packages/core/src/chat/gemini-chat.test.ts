import {
  answer,
  call,
  citation,
  createFakeClock,
  ending,
  fakeModel,
  fault,
  gate,
  say,
  text,
  thought,
} from '@castor/testkit';
import type { FakeModel, Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import type { Content, GenerateContentResponse, PartListUnion } from '../protocol/content.ts';
import type { ChatRecorder } from './chat-recorder.ts';
import { INTERRUPTED_ANSWER, INTERRUPTED_RESPONSE } from './conversation.ts';
import { GeminiChat } from './gemini-chat.ts';
import type { GeminiChatOptions } from './gemini-chat-options.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

const NEVER = new AbortController().signal;
const user = (value: string): Content => ({ role: 'user', parts: [{ text: value }] });
const modelTurn = (value: string): Content => ({ role: 'model', parts: [{ text: value }] });

async function setUp(script: Script, options: Partial<GeminiChatOptions> = {}) {
  const model = await fakeModel(script);
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  const chat = new GeminiChat({ generator, model: 'gemini-2.5-flash', clock: createFakeClock(), ...options });
  return { model, chat, [Symbol.asyncDispose]: () => model.close() };
}

async function* send(chat: GeminiChat, message: PartListUnion, signal = NEVER): AsyncGenerator<StreamEvent, void> {
  yield* await chat.sendMessageStream('gemini-2.5-flash', message, 'p', signal);
}

async function collect(stream: AsyncIterable<StreamEvent>): Promise<string[]> {
  const words: string[] = [];
  for await (const event of stream) words.push(event.type === StreamEventType.CHUNK ? textOf(event.value) : event.type);
  return words;
}

function textOf({ candidates }: GenerateContentResponse): string {
  const [candidate] = candidates ?? [];
  const [part] = candidate?.content?.parts ?? [];
  return part?.text ?? part?.functionCall?.name ?? candidate?.finishReason ?? '';
}

const contentsOf = (model: FakeModel, index: number) => (model.requests[index]?.body as { contents: unknown }).contents;

describe('GeminiChat', () => {
  it('adds the message once before any attempt and the answer once it is accepted', async () => {
    await using env = await setUp([fault(503), fault('reset_mid_stream'), say(['a', 'b'])]);
    expect(await collect(send(env.chat, 'hi'))).toEqual(['retry', 'frame 1 ', 'retry', 'ab', 'STOP']);
    expect(env.chat.getHistory()).toEqual([user('hi'), modelTurn('ab')]);
    expect(env.model.requests.map((_, index) => contentsOf(env.model, index))).toEqual([
      [user('hi')],
      [user('hi')],
      [user('hi')],
    ]);
  });

  it('makes one send at a time, in the order they were begun', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('one'), hold), say('two')]);
    const first = send(env.chat, '1');
    await first.next();
    const second = collect(send(env.chat, '2'));
    await hold.reached;
    expect(env.model.requests.length).toBe(1);
    hold.release();
    await collect(first);
    await second;
    expect(contentsOf(env.model, 1)).toEqual([user('1'), modelTurn('one'), user('2')]);
  });

  it('lets the next send in when one could not even begin', async () => {
    const recorder = {
      sent: () => {
        throw new Error('disk full');
      },
    } as unknown as ChatRecorder;
    for (const options of [{ recorder }, { retry: { maxAttempts: 0 } }]) {
      await using env = await setUp([], options);
      const failures = [send(env.chat, '1'), send(env.chat, '2')].map((stream) => collect(stream));
      for (const failure of failures) await expect(failure).rejects.toThrow(/disk full|must be a positive number/);
    }
  });

  it('gives up its place in the queue when it is aborted there', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('one'), hold), say('three')]);
    const first = send(env.chat, '1');
    await first.next();
    const controller = new AbortController();
    const second = send(env.chat, '2', controller.signal).next();
    controller.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    const third = collect(send(env.chat, '3'));
    hold.release();
    await collect(first);
    await third;
    expect(env.chat.getHistory().map((content) => content.parts?.[0]?.text)).toEqual(['1', 'one', '3', 'three']);
  });

  it('hands out no call of an attempt that broke off after it', async () => {
    await using env = await setUp([answer(text('a'), call('rm'), text('b'), ending('reset')), answer(call('ls'))]);
    expect(await collect(send(env.chat, 'hi'))).toEqual(['a', 'retry', 'ls', 'STOP']);
    expect(env.chat.getLastContent()?.parts?.map((part) => part.functionCall?.name)).toEqual(['ls']);
  });

  const CUT = { role: 'model', parts: [{ text: 'half ' }, { text: INTERRUPTED_ANSWER }] };

  it('keeps the message and what was shown of the answer after an abort, and goes on', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('ha'), text('lf '), hold, text('lost')), say('ok')]);
    const controller = new AbortController();
    const stream = send(env.chat, 'first', controller.signal);
    for (let words = ''; words !== 'half ';) {
      const { value } = (await stream.next()).value as { value: GenerateContentResponse };
      words += textOf(value);
    }
    controller.abort();
    await expect(stream.next()).rejects.toMatchObject({ name: 'AbortError' });
    expect(env.chat.getHistory()).toEqual([user('first'), CUT]);
    await collect(send(env.chat, 'second'));
    expect(contentsOf(env.model, 1)).toEqual([user('first'), CUT, user('second')]);
    expect(env.model.violations).toEqual([]);
  });

  it('keeps it also when its consumer leaves because of the abort', async () => {
    await using env = await setUp([answer(text('half '), gate())]);
    const controller = new AbortController();
    for await (const _event of send(env.chat, 'first', controller.signal)) {
      controller.abort();
      break;
    }
    expect(env.chat.getHistory()).toEqual([user('first'), CUT]);
  });

  it.each([
    ['no words were shown', [answer(thought('**Hm** so'), gate())], 1],
    ['a call was asked for that was not accepted', [answer(call('rm', {}), gate())], 0],
    ['the words were void', [fault('reset_mid_stream'), answer(thought('**Hm** so'), gate())], 3],
  ])('keeps the message alone after an abort when %s', async (_name, script, events) => {
    await using env = await setUp(script);
    const controller = new AbortController();
    const stream = send(env.chat, 'first', controller.signal);
    for (let count = 0; count < events; count++) await stream.next();
    const rest = stream.next();
    await env.model.waitForRequest(script.length);
    controller.abort();
    await expect(rest).rejects.toMatchObject({ name: 'AbortError' });
    expect(env.chat.getHistory()).toEqual([user('first')]);
  });

  it('ends the wait between attempts at once when aborted', async () => {
    const controller = new AbortController();
    const clock = createFakeClock({ onSleep: () => controller.abort() });
    await using env = await setUp([fault(503)], { clock });
    await expect(collect(send(env.chat, 'hi', controller.signal))).rejects.toMatchObject({ name: 'AbortError' });
    expect(env.model.requests.length).toBe(1);
  });

  it('closes the connection when its consumer leaves', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('a'), hold), say('b')]);
    for await (const _event of send(env.chat, 'hi')) break;
    await env.model.waitForDisconnects(1);
    await env.chat.sendPromise;
    expect(await collect(send(env.chat, 'again'))).toEqual(['b', 'STOP']);
  });

  it('answers every call before the next request, interrupted ones too', async () => {
    await using env = await setUp([answer(call('a', {}, { id: '1' }), call('b', {}, { id: '2' })), say('ok')]);
    await collect(send(env.chat, 'go'));
    await collect(send(env.chat, 'never mind'));
    const [, , answers] = contentsOf(env.model, 1) as Content[];
    expect(answers?.parts?.map((part) => part.functionResponse?.name ?? part.text)).toEqual(['a', 'b', 'never mind']);
    env.model.assertDone();
  });

  it('keeps a tool result whose answer failed, and says where the answer broke off', async () => {
    await using env = await setUp([answer(call('a', {}, { id: '1' })), fault(400), say('ok')]);
    await collect(send(env.chat, 'go'));
    const result = { functionResponse: { id: '1', name: 'a', response: { output: 'done' } } };
    await expect(collect(send(env.chat, [result]))).rejects.toMatchObject({ status: 400 });
    await collect(send(env.chat, 'what happened?'));
    expect((contentsOf(env.model, 2) as Content[]).slice(2)).toEqual([
      { role: 'user', parts: [result] },
      modelTurn(INTERRUPTED_RESPONSE),
      user('what happened?'),
    ]);
    env.model.assertDone();
  });

  it('asks for words after an answer without any', async () => {
    await using env = await setUp([fault('thought_only'), say('ok')], { systemInstruction: 'Be brief.' });
    await collect(send(env.chat, 'hi'));
    const instructions = env.model.requests.map(
      ({ body }) => (body as { systemInstruction: Content }).systemInstruction.parts?.[0]?.text,
    );
    expect(instructions).toEqual(['Be brief.', expect.stringMatching(/^Be brief\.\n\n\[System: /)]);
  });

  it('gives a call without an id one of its own, and keeps it in the history', async () => {
    await using env = await setUp([answer(call('a'), call('a'), call('b', {}, { id: 'given' }))]);
    await collect(send(env.chat, 'go'));
    const ids = env.chat.getLastContent()?.parts?.map((part) => part.functionCall?.id) ?? [];
    expect([new Set(ids).size, ids[0], ids[2]]).toEqual([3, expect.stringMatching(/^a-\d+-[0-9a-f]{12}$/), 'given']);
  });

  it('makes an id the model used twice unique, within a turn and over the session', async () => {
    await using env = await setUp([
      answer(call('a', {}, { id: 'x' }), call('b', {}, { id: 'x' })),
      answer(call('c', {}, { id: 'x' })),
    ]);
    await collect(send(env.chat, 'go'));
    await collect(send(env.chat, 'go on'));
    const ids = env.chat
      .getHistory()
      .flatMap((content) => content.parts?.flatMap((part) => part.functionCall?.id ?? []) ?? []);
    expect([ids.length, new Set(ids).size, ids[0]]).toEqual([3, 3, 'x']);
    env.model.assertDone();
  });

  it('records usage of the accepted attempt only', async () => {
    const usage = { promptTokenCount: 123 };
    await using env = await setUp([
      answer(
        text('x'),
        { kind: 'frame', frame: { usageMetadata: { promptTokenCount: 999 } } },
        { kind: 'ending', how: 'reset' },
      ),
      say('ok', { usage }),
    ]);
    await collect(send(env.chat, 'hi'));
    expect(env.chat.getLastPromptTokenCount()).toBe(123);
  });

  it('estimates the size of an uncounted history', () => {
    const generator = createGeminiGenerator({ apiKey: 'k' });
    const chat = new GeminiChat({ generator, model: 'm', history: [user('x'.repeat(400))] });
    expect(chat.getLastPromptTokenCount()).toBe(100);
  });

  it('tells its recorder what happens, in order', async () => {
    const told: string[] = [];
    const recorder: ChatRecorder = {
      sent: (content) => told.push(`sent ${content.parts?.[0]?.text}`),
      withdrawn: (content) => told.push(`withdrawn ${content.parts?.[0]?.text}`),
      answered: ({ content, thoughts, model, usageMetadata }) =>
        told.push(`answered ${content.parts?.[0]?.text} ${thoughts.length} ${model} ${usageMetadata?.totalTokenCount}`),
      added: () => told.push('added'),
      replaced: (history) => told.push(`replaced ${history.length}`),
    };
    await using env = await setUp([say('ok'), fault(400)], { recorder });
    await collect(send(env.chat, 'one'));
    await collect(send(env.chat, 'two')).catch(() => undefined);
    env.chat.addHistory(user('x'));
    env.chat.clearHistory();
    expect(told).toEqual([
      'sent one',
      'answered ok 0 gemini-2.5-flash 15',
      'sent two',
      'withdrawn two',
      'added',
      'replaced 0',
    ]);
  });

  it('forks into a chat that shares the past and not the future', async () => {
    await using env = await setUp([say('a'), say('b'), say('c')]);
    await collect(send(env.chat, '1'));
    const fork = env.chat.fork();
    await collect(send(fork, '2'));
    await collect(send(env.chat, '3'));
    expect([env.chat, fork].map((chat) => chat.getHistory().map((content) => content.parts?.[0]?.text))).toEqual([
      ['1', 'a', '3', 'c'],
      ['1', 'a', '2', 'b'],
    ]);
  });

  it('removes signatures when it is told to, and nothing else', () => {
    const generator = createGeminiGenerator({ apiKey: 'k' });
    const signed: Content = { role: 'model', parts: [{ text: 'a', thoughtSignature: 's' }, { text: 'b' }] };
    const chat = new GeminiChat({ generator, model: 'm', history: [user('x'), signed] });
    chat.stripThoughtsFromHistory();
    expect(chat.getHistory()).toEqual([user('x'), { role: 'model', parts: [{ text: 'a' }, { text: 'b' }] }]);
  });

  it('sends the citation frame on like any other', async () => {
    await using env = await setUp([answer(text('a'), citation('https://x.test', 'X'))]);
    expect(await collect(send(env.chat, 'hi'))).toEqual(['a', '', 'STOP']);
  });
});

describe('model hooks', () => {
  it('can replace the request, and what they send is checked', async () => {
    await using env = await setUp([say('ok')], {
      hooks: {
        beforeModel: async (request) => ({ kind: 'proceed', request: { ...request, contents: [user('other')] } }),
      },
    });
    await collect(send(env.chat, 'hi'));
    expect(contentsOf(env.model, 0)).toEqual([user('other')]);
  });

  it('never send a conversation the service would refuse', async () => {
    await using env = await setUp([], {
      hooks: {
        beforeModel: async (request) => ({ kind: 'proceed', request: { ...request, contents: [modelTurn('x')] } }),
      },
    });
    await expect(collect(send(env.chat, 'hi'))).rejects.toMatchObject({ name: 'IllegalConversationError' });
    expect(env.model.requests.length).toBe(0);
  });

  it('can stop a request, or block it with an answer of their own', async () => {
    await using env = await setUp([], {
      hooks: {
        beforeModel: async ({ contents }) =>
          contents.at(-1)?.parts?.at(-1)?.text === 'stop'
            ? { kind: 'stop', reason: 'no' }
            : { kind: 'block', reason: 'no', response: { candidates: [{ content: modelTurn('instead') }] } },
      },
    });
    expect(await collect(send(env.chat, 'stop'))).toEqual(['agent_execution_stopped']);
    expect(await collect(send(env.chat, 'block'))).toEqual(['agent_execution_blocked', 'instead']);
    expect(env.model.requests.length).toBe(0);
  });

  it('can change what is shown of an answer, not what is remembered', async () => {
    await using env = await setUp([say('secret')], {
      hooks: {
        afterModel: async (_request, response) =>
          response.candidates?.[0]?.content
            ? { kind: 'proceed', response: { candidates: [{ content: modelTurn('***') }] } }
            : { kind: 'proceed' },
      },
    });
    const shown: GenerateContentResponse[] = [];
    for await (const event of send(env.chat, 'hi')) if (event.type === StreamEventType.CHUNK) shown.push(event.value);
    expect(shown.map(({ candidates }) => candidates)).toEqual([[{ content: modelTurn('***'), finishReason: 'STOP' }]]);
    expect(env.chat.getLastContent()).toEqual(modelTurn('secret'));
  });

  it('can stop or block an answer, which then leaves the history', async () => {
    for (const kind of ['stop', 'block'] as const) {
      const hold = gate();
      await using env = await setUp([answer(text('a'), hold, text('b'))], {
        hooks: {
          afterModel: async (_request, response) =>
            response.candidates?.[0]?.content?.parts?.[0]?.text === 'b' ? { kind, reason: 'no' } : { kind: 'proceed' },
        },
      });
      const stream = send(env.chat, 'hi');
      const { value: first } = await stream.next();
      hold.release();
      expect([textOf((first as { value: GenerateContentResponse }).value), ...(await collect(stream))]).toEqual([
        'a',
        kind === 'stop' ? 'agent_execution_stopped' : 'agent_execution_blocked',
      ]);
      expect(env.chat.getHistory()).toEqual([user('hi')]);
    }
  });

  it('see what came before a failure, which is then retried', async () => {
    const seen: (string | undefined)[] = [];
    await using env = await setUp([fault('reset_mid_stream'), say('ok')], {
      hooks: {
        afterModel: async (_request, { candidates }) => {
          seen.push(candidates?.[0]?.content?.parts?.[0]?.text);
          return { kind: 'proceed' };
        },
      },
    });
    expect(await collect(send(env.chat, 'hi'))).toEqual(['frame 1 ', 'retry', 'ok', 'STOP']);
    expect(seen).toEqual(['frame 1 ', 'ok']);
  });

  it('leave no request open when they end an answer', async () => {
    await using env = await setUp([answer(text('a'), ending('stall')), say('next')], {
      hooks: {
        afterModel: async (_request, { candidates }) =>
          candidates?.[0]?.content?.parts?.[0]?.text === 'a' ? { kind: 'stop', reason: 'no' } : { kind: 'proceed' },
      },
    });
    expect(await collect(send(env.chat, 'hi'))).toEqual(['agent_execution_stopped']);
    await env.model.waitForDisconnects(1);
    expect(await collect(send(env.chat, 'again'))).toEqual(['next', 'STOP']);
  });

  it('go unheard when they throw', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('hook');
    };
    await using env = await setUp([say('x')], {
      hooks: { beforeModel: fail, beforeToolSelection: fail, afterModel: fail },
    });
    await collect(send(env.chat, 'hi'));
    expect(env.chat.getHistory()).toEqual([user('hi'), modelTurn('x')]);
    env.model.assertDone();
  });

  it('can choose the tools of a request', async () => {
    const tools = [
      { functionDeclarations: [{ name: 'a', description: '', parametersJsonSchema: { type: 'object' } }] },
    ];
    await using env = await setUp([say('ok')], {
      tools,
      hooks: { beforeToolSelection: async () => ({ toolConfig: { functionCallingConfig: { mode: 'NONE' } } }) },
    });
    await collect(send(env.chat, 'hi'));
    expect((env.model.requests[0]?.body as { toolConfig: unknown }).toolConfig).toEqual({
      functionCallingConfig: { mode: 'NONE' },
    });
  });
});
