/** What the documents on the source of `Turn` and on streaming show (docs/documents.md, documents 003 and 004). */

import {
  ApiError,
  applyModelSelection,
  checkNextSpeaker,
  createFallback,
  createGeminiGenerator,
  DEFAULT_GEMINI_FLASH_MODEL,
  debugLogger,
  GeminiEventType,
  getResponseText,
  handleFlashFallback,
  mergePartListUnions,
  ModelAvailability,
  policyChain,
  retryWithBackoff,
  ServerGeminiEventType,
  StreamEventType,
  ToolCallStatus,
  Turn,
} from '@castor/core';
import type { Content, GeminiEvent, PartListUnion, SendMessageParameters, StructuredError } from '@castor/core';
import { createFakeClock, fault, say } from '@castor/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { collect, MODEL, NEVER, openChat } from './document-fixture.ts';

describe('the older forms of GeminiChat.sendMessageStream', () => {
  it.each<[string, (parameters: SendMessageParameters) => unknown[]]>([
    ['(model, {message, config}, prompt_id)', (parameters) => ['gemini-2.5-pro', parameters, 'p']],
    ['({message, config}, prompt_id)', (parameters) => [parameters, 'p']],
  ])('sendMessageStream%s sends the message with its config and yields stream events', async (form, args) => {
    await using env = await openChat([say('hi')]);
    const send = env.chat.sendMessageStream.bind(env.chat) as (
      ...args: unknown[]
    ) => ReturnType<typeof env.chat.sendMessageStream>;
    const config = { abortSignal: NEVER, temperature: 0.25 };
    const events = await collect(await send(...args({ message: [{ text: 'question' }], config })));
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set([StreamEventType.CHUNK]));
    const [sent] = env.model.requests;
    expect(sent?.path).toContain(form.startsWith('(model') ? 'gemini-2.5-pro' : MODEL);
    expect(sent?.body).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: 'question' }] }],
      generationConfig: { temperature: 0.25 },
    });
  });

  it('are cancelled by config.abortSignal', async () => {
    await using env = await openChat([say('hi')]);
    const stream = await env.chat.sendMessageStream(
      { message: 'x', config: { abortSignal: AbortSignal.abort() } },
      'p',
    );
    await expect(collect(stream)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it.each<[string, unknown[]]>([
    ['no signal', [MODEL, 'x', 'p']],
    ['no prompt_id', [{ message: 'x' }]],
    ['no model', [undefined, 'x', 'p', NEVER]],
    ['a model that is not a name', [{ model: 5 }, 'x', 'p', NEVER]],
    ['no message', [MODEL, undefined, 'p', NEVER]],
    ['parameters without a message', [{ message: undefined }, 'p']],
    ['an abortSignal of another kind', [{ message: 'x', config: { abortSignal: 5 } }, 'p']],
  ])('are named when a call has %s', async (_name, args) => {
    await using env = await openChat([]);
    const send = env.chat.sendMessageStream.bind(env.chat) as (...args: unknown[]) => Promise<unknown>;
    await expect(send(...args)).rejects.toThrow('sendMessageStream(model, {message, config}, prompt_id)');
  });
});

describe('chat.maybeIncludeSchemaDepthContext', () => {
  const tree = { type: 'object', properties: { child: { $ref: '#' } } };
  const tools = [{ functionDeclarations: [{ name: 'tree', parametersJsonSchema: tree }] }];

  it.each([
    ['names the tools at fault', 'maximum schema depth exceeded', true],
    ['leaves any other error alone', 'something else', false],
  ])('%s', async (_name, message, isExplained) => {
    await using env = await openChat([], { tools });
    const error: StructuredError = { message };
    await env.chat.maybeIncludeSchemaDepthContext(error);
    expect(error.message.includes('tree')).toBe(isExplained);
  });

  it('is asked of any chat that has one', async () => {
    const turn = new Turn(
      {
        sendMessageStream: async () => Promise.reject(new Error('refused')),
        getHistory: () => [],
        maybeIncludeSchemaDepthContext: async (error) => void (error.message += ', and why'),
      },
      'p',
      { reportError: async () => undefined },
    );
    expect(await collect(turn.run('x', NEVER))).toEqual([
      { type: 'error', value: { error: { message: 'refused, and why' } } },
    ]);
  });
});

describe('debugLogger', () => {
  let disconnect = () => {};
  afterEach(() => disconnect());

  it('tells of a failed turn: request, attempts, status and body, and never the key', async () => {
    const lines: string[] = [];
    disconnect = debugLogger.connect((level, message) => lines.push(`${level}: ${message}`));
    await using env = await openChat([fault(503), fault(400)]);
    await collect(new Turn(env.chat, 'p-7', { reportError: async () => undefined }).run('my question', NEVER));
    const log = lines.join('\n');
    expect(lines[0]).toBe(`debug: request of p-7 to ${MODEL}: "my question"`);
    expect(log).toMatch(/warn: status 503, body: \{/);
    expect(log).toMatch(/error: The turn failed after 2 attempts, status 400: .* request to .*my question/);
    expect(log).not.toContain('key-of-the-user');
  });

  it('is silent while no sink is connected', async () => {
    expect(debugLogger.isEnabled).toBe(false);
  });
});

describe('retryWithBackoff with shouldRetry', () => {
  it.each([
    ['true', true, 3],
    ['false', false, 1],
  ])('calls again while it says %s', async (_name, again, calls) => {
    let made = 0;
    const options = { shouldRetry: (error: Error) => error.message.includes('429') && again, clock: createFakeClock() };
    const result = retryWithBackoff(async () => {
      if (++made < 3) throw new Error('429');
      return 'ok';
    }, options);
    await (again ? expect(result).resolves.toBe('ok') : expect(result).rejects.toThrow('429'));
    expect(made).toBe(calls);
  });
});

describe('retryWithBackoff, with the conditions of the document', () => {
  const shouldRetry = ({ message }: Error) => message.includes('429') || /5\d{2}/.test(message);

  it('tells shouldRetry the status of a refusal in the message', async () => {
    await using env = await openChat([fault(429), fault(503), say('ok')]);
    const generator = createGeminiGenerator({ baseUrl: env.model.url, apiKey: 'key-of-the-user' });
    const contents = [{ role: 'user', parts: [{ text: 'x' }] }] satisfies Content[];
    const response = await retryWithBackoff(() => generator.generateContent({ model: MODEL, contents }, 'p', 'main'), {
      shouldRetry: (error) => error instanceof ApiError && shouldRetry(error),
      clock: createFakeClock(),
    });
    expect([getResponseText(response), env.model.requests.length]).toEqual(['ok', 3]);
  });

  it('asks onPersistent429 about a plain error that says 429', async () => {
    const asked: unknown[] = [];
    const result = await retryWithBackoff(
      async () => {
        if (asked.length > 0) return 'from flash';
        throw new Error('got status: 429 Too Many Requests');
      },
      {
        shouldRetry,
        authType: 'oauth-personal',
        clock: createFakeClock(),
        onPersistent429: async (authType) => {
          asked.push(authType);
          return DEFAULT_GEMINI_FLASH_MODEL;
        },
      },
    );
    expect([result, asked]).toEqual(['from flash', ['oauth-personal']]);
  });
});

describe('mergePartListUnions', () => {
  const [a, b] = [{ text: 'a' }, { text: 'b' }];
  it.each<[string, unknown[]]>([
    ['one list of lists', [[[a], [b]]]],
    ['one list of mixed members', [[[a], 'b']]],
    ['lists one by one', [[a], [b]]],
    ['one list of parts', [[a, b]]],
  ])('gives one flat list for %s', (_name, lists) => {
    expect(mergePartListUnions(...(lists as PartListUnion[]))).toEqual([a, b]);
  });
});

describe('handleFlashFallback', () => {
  it('answers onPersistent429 with the model to go on with', async () => {
    const availability = new ModelAvailability();
    const fallback = createFallback({
      availability,
      chainFor: (model) => policyChain(model, { requestedModel: 'auto-gemini-2.5', plan: true }),
      interactive: false,
    });
    const clock = createFakeClock();
    let model = 'gemini-2.5-pro';
    const answer = await retryWithBackoff(
      async () => {
        if (model !== DEFAULT_GEMINI_FLASH_MODEL) throw Object.assign(new Error('too many'), { status: 429 });
        return model;
      },
      {
        maxAttempts: 2,
        clock,
        authType: 'oauth-personal',
        onPersistent429: async (authType, error) => {
          const next = await handleFlashFallback(authType, error, { fallback, failedModel: model, signal: NEVER });
          model = next ?? model;
          return next;
        },
      },
    );
    expect(answer).toBe('gemini-2.5-flash');
  });
});

describe('the documents’ calls with their whole Config', () => {
  it.each<[string, () => unknown, string]>([
    [
      'handleFlashFallback(authType, error)',
      () => (handleFlashFallback as (...args: unknown[]) => unknown)('oauth-personal', new Error('429')),
      'handleFlashFallback(authType, error, {fallback, failedModel, signal})',
    ],
    [
      'applyModelSelection(config, key)',
      () => applyModelSelection({ getModel: () => MODEL } as never, { model: MODEL }),
      'applyModelSelection({availability, chainFor}, {model}',
    ],
    [
      'checkNextSpeaker(chat, llmClient, signal, prompt_id) with another client',
      async () => checkNextSpeaker({ getHistory: () => [] }, {} as never, NEVER, 'p'),
      'checkNextSpeaker(chat, llmClient, signal, prompt_id)',
    ],
  ])('%s: the error names the supported form', async (_name, call, form) => {
    await expect((async () => call())()).rejects.toThrow(form);
  });
});

describe('names of the documents’ UI', () => {
  it('exist as values where the document uses them as values', () => {
    expect(ToolCallStatus.Executing).toBe('executing');
    expect(ServerGeminiEventType).toBe(GeminiEventType);
    const event: GeminiEvent = { type: ServerGeminiEventType.Content, value: 'x' };
    expect(event.type).toBe('content');
  });
});
