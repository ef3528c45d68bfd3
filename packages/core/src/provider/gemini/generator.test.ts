import {
  DIALECTS,
  type Dialect,
  type FakeModel,
  type Step,
  answer,
  bigFrame,
  bytes,
  call,
  dialect,
  ending,
  fakeModel,
  fault,
  finish,
  gate,
  jsonAnswer,
  raw,
  refusedUrl,
  say,
  text,
  thought,
} from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { GenerateContentParameters, GenerateContentResponse } from '../../protocol/content.ts';
import { ApiError, UnauthorizedError } from '../../protocol/errors.ts';
import { type GeminiGenerator, type GeminiGeneratorOptions, createGeminiGenerator } from './generator.ts';

const request = (config?: GenerateContentParameters['config']): GenerateContentParameters => ({
  model: 'gemini-2.5-flash',
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
  ...(config && { config }),
});

interface Exchange {
  model: FakeModel;
  generator: GeminiGenerator;
}

async function exchange(
  script: readonly Step[],
  options: GeminiGeneratorOptions,
  test: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  await using model = await fakeModel(script);
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'secret', ...options });
  try {
    await test({ model, generator });
  } finally {
    generator.close();
  }
}

const open = (generator: GeminiGenerator, config?: GenerateContentParameters['config']) =>
  generator.generateContentStream(request(config), 'p', 'main');

/** What arrived before the stream ended, and how it ended. */
async function drain(generator: GeminiGenerator, config?: GenerateContentParameters['config']) {
  const texts: (string | undefined)[] = [];
  try {
    for await (const frame of await open(generator, config)) texts.push(textOf(frame));
    return { texts };
  } catch (error) {
    return { texts, error };
  }
}

const textOf = (frame: GenerateContentResponse | undefined) => frame?.candidates?.[0]?.content?.parts?.[0]?.text;

describe('GeminiGenerator', () => {
  it('streams the frames of an answer and sends what was asked', () =>
    exchange([answer(text('héllo '), call('f', { a: 1 }), finish('STOP'))], {}, async ({ model, generator }) => {
      const frames: GenerateContentResponse[] = [];
      const config = { temperature: 0.5, systemInstruction: 'Be brief.', abortSignal: new AbortController().signal };
      for await (const frame of await open(generator, config)) frames.push(frame);
      expect(frames.map((frame) => frame.candidates?.[0]?.content?.parts?.[0])).toEqual([
        { text: 'héllo ' },
        { functionCall: { name: 'f', args: { a: 1 } } },
        undefined,
      ]);
      expect(frames.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
      const [sent] = model.requests;
      expect(sent).toMatchObject({
        method: 'POST',
        path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        headers: { 'x-goog-api-key': 'secret', 'content-type': 'application/json' },
      });
      expect(sent!.body).toEqual({
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        generationConfig: { temperature: 0.5 },
      });
      model.assertDone();
    }));

  it.each(Object.entries<Dialect>(DIALECTS))('reads the dialect %s, whole and byte by byte', (_name, wire) =>
    exchange(
      [dialect(say('héllo 🦫'), wire), dialect(say('héllo 🦫'), { ...wire, chunking: 1 })],
      {},
      async ({ generator }) => {
        for (let round = 0; round < 2; round++)
          expect(await drain(generator)).toEqual({ texts: ['héllo 🦫', undefined] });
      },
    ),
  );

  describe('with frames that arrive together', () => {
    const frame = (words: string) =>
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: words, thoughtSignature: words }] } }] })}\n\n`;
    const plain = (words: string) =>
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: words }] } }] })}\n\n`;

    it('merges text that stands side by side, and nothing else', () =>
      exchange(
        [answer(bytes(`${plain('a')}${plain('b')}${frame('signed')}${plain('c')}${plain('d')}`), finish())],
        {},
        async ({ generator }) => {
          expect(await drain(generator)).toEqual({ texts: ['ab', 'signed', 'cd', undefined] });
        },
      ));

    it('hands out those before a broken one, then says what is wrong', () =>
      exchange(
        [answer(bytes(`${frame('a')}${frame('b')}data: {"broken\n\n${frame('c')}`))],
        {},
        async ({ generator }) => {
          expect(await drain(generator)).toMatchObject({ texts: ['a', 'b'], error: { code: 'MALFORMED_FRAME' } });
        },
      ));

    it('hands out none after an abort, and ends with it', () =>
      exchange([answer(bytes(`${frame('a')}${frame('b')}${frame('c')}`), finish())], {}, async ({ generator }) => {
        const controller = new AbortController();
        const texts: unknown[] = [];
        const read = async () => {
          for await (const each of await open(generator, { abortSignal: controller.signal })) {
            texts.push(textOf(each));
            controller.abort();
          }
        };
        await expect(read()).rejects.toMatchObject({ name: 'AbortError' });
        expect(texts).toEqual(['a']);
      }));
  });

  it('answers unstreamed calls, counts and embeds', () =>
    exchange([say('whole')], {}, async ({ model, generator }) => {
      expect(textOf(await generator.generateContent(request(), 'p', 'main'))).toBe('whole');
      expect(await generator.countTokens(request())).toMatchObject({ totalTokens: expect.any(Number) });
      const { embeddings } = await generator.embedContent({ model: 'e', contents: ['a', 'b'] });
      expect(embeddings).toHaveLength(2);
      expect(model.requests.map(({ path }) => path)).toEqual([
        '/v1beta/models/gemini-2.5-flash:generateContent',
        '/v1beta/models/gemini-2.5-flash:countTokens',
        '/v1beta/models/e:batchEmbedContents',
      ]);
    }));

  it('uses one connection for answers that follow each other, failed ones too', () =>
    exchange([say('a'), fault(503), fault('html_body'), say('b')], {}, async ({ model, generator }) => {
      await drain(generator);
      expect(await drain(generator)).toMatchObject({ error: { reason: 'server' } });
      expect(await drain(generator)).toMatchObject({ error: { reason: 'server' } });
      expect(await drain(generator)).toEqual({ texts: ['b', undefined] });
      expect(model.connections).toBe(1);
    }));

  it('reads a frame of 20 MB', { tags: 'wide' }, () =>
    exchange([answer(bigFrame(20_000_000), finish('STOP'))], {}, async ({ generator }) => {
      const { texts } = await drain(generator);
      expect(texts[0]?.length).toBeGreaterThan(19_000_000);
    }),
  );

  it('refuses what is larger than its limit, streamed or not', () =>
    exchange([say('x'.repeat(5_000)), say('x'.repeat(5_000))], { maxFrameBytes: 1_000 }, async ({ generator }) => {
      const expected = { reason: 'network', code: 'FRAME_TOO_LARGE' };
      expect(await drain(generator)).toMatchObject({ texts: [], error: expected });
      await expect(generator.generateContent(request(), 'p', 'main')).rejects.toMatchObject(expected);
    }));
});

describe('GeminiGenerator and failures', () => {
  it.each<[string, Step, object]>([
    [
      'a bad request',
      fault(400),
      { reason: 'invalid_request', status: 400, message: 'Request contains an invalid argument.' },
    ],
    ['a refusal', fault(403), { reason: 'forbidden', status: 403 }],
    ['a missing model', fault(404), { reason: 'not_found', status: 404 }],
    ['an overflow', fault(413), { reason: 'context_overflow', status: 413 }],
    ['a rate limit', fault(429, { retryDelay: '3s' }), { reason: 'rate_limited', status: 429, retryAfterMs: 3_000 }],
    ['a rate limit by header', fault(429, { retryAfter: 7 }), { reason: 'rate_limited', retryAfterMs: 7_000 }],
    ['no quota', fault(429, { limit: 0 }), { reason: 'quota' }],
    ['a server error', fault(500), { reason: 'server', status: 500 }],
    ['a web page', fault('html_body'), { reason: 'server', status: 502, message: 'HTTP 502 Bad Gateway: Error 502' }],
    [
      'a status alone',
      fault('no_body', { status: 503 }),
      { reason: 'server', status: 503, message: 'HTTP 503 Service Unavailable' },
    ],
    [
      'a web page for an answer',
      fault('html_body', { status: 200 }),
      { reason: 'network', code: 'UNEXPECTED_FORMAT', attempts: 4 },
    ],
    [
      'a body with an unknown encoding',
      jsonAnswer(200, {}, { 'content-encoding': 'zstd' }),
      {
        reason: 'network',
        code: 'UNEXPECTED_FORMAT',
        attempts: 2,
        message:
          'The answer has the unsupported Content-Encoding zstd; let the proxy or gateway send gzip, deflate, br or none.',
      },
    ],
    [
      'an error body with an unknown encoding',
      jsonAnswer(503, {}, { 'content-encoding': 'zstd' }),
      { reason: 'server', status: 503, message: 'HTTP 503 Service Unavailable' },
    ],
    [
      'a redirect',
      jsonAnswer(307, {}, { location: 'http://127.0.0.1:1/steal?x=1' }),
      {
        reason: 'invalid_request',
        status: 307,
        message: 'HTTP 307 Temporary Redirect: redirect to http://127.0.0.1:1/steal not followed',
      },
    ],
    ['a reset before headers', fault('reset_before_headers'), { reason: 'network', code: 'ECONNRESET' }],
  ])('reports %s when the stream is asked for', (_name, step, expected) =>
    exchange([step], {}, async ({ model, generator }) => {
      const failure = await open(generator).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ApiError);
      expect(failure).toMatchObject(expected);
      expect(JSON.stringify(failure)).not.toContain('secret');
      expect(model.requests).toHaveLength(1);
    }),
  );

  it('names models like a missing one, and the address if it is not Google’s', () =>
    exchange([fault(404, { message: 'models/gemini-2.5-flahs is not found.' })], {}, async ({ model, generator }) => {
      const missing = { ...request(), model: 'gemini-2.5-flahs' };
      await expect(generator.generateContentStream(missing, 'p', 'main')).rejects.toThrow(
        `models/gemini-2.5-flahs is not found. (The request went to ${model.url}/v1beta/models/gemini-2.5-flahs:streamGenerateContent.) Known models with a similar name: gemini-2.5-flash,`,
      );
    }));

  it('leaves out a tool whose declaration is rejected by its place, once for all later requests', () => {
    const rejected = { message: '* GenerateContentRequest.tools[0].function_declarations[1].parameters: bad' };
    const declare = (name: string) => ({ name, parametersJsonSchema: { type: 'object', properties: {} } });
    const config = { tools: [{ functionDeclarations: ['one', 'two', 'three'].map(declare) }] };
    return exchange([fault(400, rejected), say('fine'), say('fine')], {}, async ({ model, generator }) => {
      const frames: GenerateContentResponse[] = [];
      for await (const frame of await open(generator, config)) frames.push(frame);
      expect(frames[0]?.notices?.join()).toContain('rejects the schema of the tool two');
      await drain(generator, config);
      expect(
        model.requests.map(({ body }) =>
          body.tools[0].functionDeclarations.map(({ name }: { name: string }) => name).join(),
        ),
      ).toEqual(['one,two,three', 'one,three', 'one,three']);
    });
  });

  it.each(['mcp_3', 'mcp_0', 'none'])('searches the tool that a rejection does not name: %s', async (bad) => {
    const namesIn = (body: { tools?: { functionDeclarations: { name: string }[] }[] }) =>
      body.tools?.[0]?.functionDeclarations.map(({ name }) => name) ?? [];
    const isBad = (names: readonly string[]) => (bad === 'none' ? names.length > 0 : names.includes(bad));
    await using model = await fakeModel(({ body }) =>
      isBad(namesIn(body)) ? fault(400, { message: 'Request contains an invalid argument.' }) : say('fine'),
    );
    const generator = createGeminiGenerator({ apiKey: 'k', baseUrl: model.url });
    const names = ['own', 'mcp_0', 'mcp_1', 'mcp_2', 'mcp_3', 'mcp_4', 'mcp_5', 'mcp_6'];
    const declare = (name: string) => ({ name, parametersJsonSchema: { type: 'object', properties: {} } });
    const config = { tools: [{ functionDeclarations: names.map(declare) }] };
    if (bad === 'none') {
      await expect(open(generator, config)).rejects.toThrow('Request contains an invalid argument.');
      expect(model.requests).toHaveLength(3);
      return;
    }
    const frames: GenerateContentResponse[] = [];
    for await (const frame of await open(generator, config)) frames.push(frame);
    expect(frames[0]?.notices?.join()).toContain(`rejects the schema of the tool ${bad}`);
    expect(namesIn(model.requests.at(-1)!.body)).toEqual(names.filter((name) => name !== bad));
    expect(model.requests.length).toBeLessThanOrEqual(8);
  });

  it('reports refused credentials as their own error', () =>
    exchange([fault(401), fault(400, { errorInfo: { reason: 'API_KEY_INVALID' } })], {}, async ({ generator }) => {
      for (let round = 0; round < 2; round++) await expect(open(generator)).rejects.toBeInstanceOf(UnauthorizedError);
    }));

  it('reports a port without a listener', async () => {
    const generator = createGeminiGenerator({ baseUrl: await refusedUrl() });
    await expect(open(generator)).rejects.toMatchObject({ reason: 'network', code: 'ECONNREFUSED' });
  });

  it.each<[string, Step, object]>([
    ['a reset', answer(text('word'), gate(), ending('reset')), { reason: 'network', code: 'ECONNRESET' }],
    ['a close', fault('close_mid_stream'), { reason: 'network', code: 'ECONNRESET' }],
    ['a frame that is no JSON', fault('malformed_json_frame'), { reason: 'network', code: 'MALFORMED_FRAME' }],
    ['half a frame', fault('half_frame_then_end'), { reason: 'network', code: 'TRUNCATED_FRAME' }],
    [
      'an error frame',
      fault('error_frame', { status: 429, retryDelay: '2s' }),
      { reason: 'rate_limited', status: 429, retryAfterMs: 2_000 },
    ],
    [
      'a bare error object',
      fault('bare_error_object'),
      { reason: 'server', status: 503, message: 'The model is overloaded.' },
    ],
    [
      'a frame that is no object',
      answer(text('word'), bytes('data: 7\n\n')),
      { reason: 'network', code: 'MALFORMED_FRAME' },
    ],
    [
      'an error frame without a code',
      answer(text('word'), raw({ error: { message: 'oops' } })),
      { reason: 'server', status: 500, message: 'oops' },
    ],
    [
      'bare JSON that is nothing we know',
      answer(text('word'), bytes('{"message":"hello"}\n')),
      { reason: 'network', code: 'MALFORMED_FRAME' },
    ],
  ])('reports %s after the frames before it', (_name, step, expected) =>
    exchange([step], {}, async ({ generator }) => {
      const stream = await open(generator);
      expect(textOf((await stream.next()).value as GenerateContentResponse)).toEqual(expect.any(String));
      for (const piece of 'pieces' in step ? step.pieces : []) if (piece.kind === 'gate') piece.release();
      const failure = await stream.next().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ApiError);
      expect(failure).toMatchObject(expected);
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    }),
  );

  it('leaves an end without a finish reason, or without anything, to the chat', () =>
    exchange(
      [fault('end_without_finish'), fault('empty_body'), answer(bytes('data:\n\n: ping\n\n'), ending('end'))],
      {},
      async ({ generator }) => {
        expect(await drain(generator)).toEqual({ texts: [expect.any(String)] });
        expect(await drain(generator)).toEqual({ texts: [] });
        expect(await drain(generator)).toEqual({ texts: [] });
      },
    ));

  it('gives up on headers and on streams that fall silent', () =>
    exchange(
      [fault('stall_before_headers'), fault('stall_mid_stream')],
      { headersTimeoutMs: 50, idleTimeoutMs: 50 },
      async ({ model, generator }) => {
        expect(await drain(generator)).toMatchObject({ texts: [], error: { reason: 'timeout', retryable: true } });
        expect(await drain(generator)).toMatchObject({ texts: [expect.any(String)], error: { reason: 'timeout' } });
        await model.waitForDisconnects(2);
      },
    ));

  it('keeps the status when the words of an error break off', () =>
    exchange(
      [{ ...answer(bytes('{"error":'), ending('close')), head: { status: 429, headers: {} } }],
      {},
      async ({ generator }) => {
        await expect(open(generator)).rejects.toMatchObject({ reason: 'rate_limited', status: 429 });
      },
    ));
});

describe('GeminiGenerator and those who leave', () => {
  it.each<[string, (generator: GeminiGenerator) => Promise<unknown>]>([
    [
      'a consumer breaks out',
      async (generator) => {
        for await (const _frame of await open(generator)) break;
      },
    ],
    [
      'a consumer throws',
      async (generator) => {
        for await (const _frame of await open(generator)) await Promise.reject(new Error('bug'));
      },
    ],
    ['a stream is given up before it was begun', async (generator) => (await open(generator)).return(undefined)],
  ])('ends the connection when %s', (_name, leave) =>
    exchange([answer(text('a'), gate())], {}, async ({ model, generator }) => {
      await leave(generator).catch((error: unknown) => expect(error).toEqual(new Error('bug')));
      await model.waitForDisconnects(1);
    }),
  );

  it('ends a read that is waiting when the stream is given up', () =>
    exchange([answer(text('a'), bytes('data: {"half'), gate())], {}, async ({ model, generator }) => {
      const stream = await open(generator);
      await stream.next();
      const waiting = stream.next();
      await stream.return(undefined);
      expect(await waiting).toEqual({ done: true, value: undefined });
      await model.waitForDisconnects(1);
    }));

  it('ends with the signal before, while it waits for headers, and in the middle', () =>
    exchange([fault('stall_before_headers'), answer(text('a'), gate())], {}, async ({ model, generator }) => {
      const aborted = { texts: [], error: { name: 'AbortError' } };
      expect(await drain(generator, { abortSignal: AbortSignal.abort() })).toMatchObject(aborted);
      expect(model.requests).toHaveLength(0);

      const first = new AbortController();
      const waiting = drain(generator, { abortSignal: first.signal });
      await model.waitForRequest(1);
      first.abort();
      expect(await waiting).toMatchObject(aborted);

      const second = new AbortController();
      const stream = await open(generator, { abortSignal: second.signal });
      expect(textOf((await stream.next()).value as GenerateContentResponse)).toBe('a');
      const rest = stream.next();
      second.abort();
      await expect(rest).rejects.toMatchObject({ name: 'AbortError' });
      await model.waitForDisconnects(2);
    }));

  it('hands out no frame after an abort, although it has arrived', () =>
    exchange([dialect(answer(thought('a'), text('b'), finish()), { chunking: 100_000 })], {}, async ({ generator }) => {
      const controller = new AbortController();
      const stream = await open(generator, { abortSignal: controller.signal });
      await stream.next();
      controller.abort();
      await expect(stream.next()).rejects.toMatchObject({ name: 'AbortError' });
    }));
});
