import { answer, createFakeClock, ending, fakeModel, fault, finish, gate, say, text, usage } from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import type { GenerateContentResponse } from '../protocol/content.ts';
import { Ledger } from './ledger.ts';
import { createMeteredGenerator } from './metered-generator.ts';
import { NO_TOKENS } from './session-metrics.ts';

const MODEL = 'gemini-2.5-flash';
const ANSWERED = { ...NO_TOKENS, input: 10, prompt: 10, candidates: 5, total: 15 };
const request = (abortSignal?: AbortSignal) => ({
  model: MODEL,
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
  ...(abortSignal && { config: { abortSignal } }),
});

async function setUp(script: Script) {
  const model = await fakeModel(script);
  const clock = createFakeClock();
  const ledger = new Ledger({ clock });
  const inner = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  const metered = createMeteredGenerator(inner, ledger, clock);
  const numbers = () => ledger.metrics().models[MODEL];
  return { model, clock, ledger, inner, metered, numbers, [Symbol.asyncDispose]: () => model.close() };
}

async function readAll(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const responses: GenerateContentResponse[] = [];
  for await (const response of stream) responses.push(response);
  return responses;
}

describe('createMeteredGenerator', () => {
  it('enters a streamed answer at its end, with the last usage and the whole latency', async () => {
    const reported = (count: number) => usage({ promptTokenCount: 10, candidatesTokenCount: count });
    await using env = await setUp([answer(text('a'), reported(1), text('b'), finish('STOP'))]);
    env.clock.advance(5);
    const stream = await env.metered.generateContentStream(request(), 'p', 'main');
    env.clock.advance(20);
    expect(env.numbers()).toBeUndefined();
    for await (const _response of stream) env.clock.advance(100);
    expect(env.numbers()).toEqual({
      api: { totalRequests: 1, totalErrors: 0, totalLatencyMs: 420 },
      tokens: ANSWERED,
      roles: { main: { totalRequests: 1, totalErrors: 0, totalLatencyMs: 420, tokens: ANSWERED } },
      cost_usd: expect.any(Number) as number,
    });
  });

  it('passes everything through unchanged', async () => {
    await using plain = await setUp([say(['a', 'b']), say('c')]);
    await using env = await setUp([say(['a', 'b']), say('c')]);
    const expected = await readAll(await plain.inner.generateContentStream(request(), 'p', 'main'));
    expect(await readAll(await env.metered.generateContentStream(request(), 'p', 'main'))).toEqual(expected);
    const whole = await plain.inner.generateContent(request(), 'p', 'main');
    expect(await env.metered.generateContent(request(), 'p', 'main')).toEqual(whole);
  });

  it('enters questions beside the conversation under their role', async () => {
    await using env = await setUp([say('yes')]);
    await env.metered.generateContent(request(), 'p', 'utility_next_speaker');
    expect(env.numbers()?.roles).toEqual({
      utility_next_speaker: { totalRequests: 1, totalErrors: 0, totalLatencyMs: 0, tokens: ANSWERED },
    });
  });

  it('enters refused requests with their kind', async () => {
    await using env = await setUp([fault(429), fault(503), fault(400)]);
    const { metered } = env;
    await expect(metered.generateContentStream(request(), 'p', 'main')).rejects.toMatchObject({ status: 429 });
    await expect(metered.generateContent(request(), 'p', 'main')).rejects.toMatchObject({ status: 503 });
    await expect(metered.generateContent(request(), 'p', 'main')).rejects.toMatchObject({ status: 400 });
    expect(env.numbers()?.api).toEqual({
      totalRequests: 3,
      totalErrors: 3,
      totalLatencyMs: 0,
      errorsByType: { rate_limited: 1, server: 1, invalid_request: 1 },
    });
  });

  it('enters an answer that breaks as an error; its tokens are spent but not counted', async () => {
    const half = answer(text('a'), usage({ promptTokenCount: 1_000_000 }), ending('reset'));
    await using env = await setUp([half]);
    const stream = await env.metered.generateContentStream(request(), 'p', 'main');
    await expect(readAll(stream)).rejects.toMatchObject({ reason: 'network' });
    expect(env.numbers()).toMatchObject({ api: { totalErrors: 1, errorsByType: { network: 1 } }, tokens: NO_TOKENS });
    expect(env.ledger.cost()).toEqual({ usd: 0.3, byModel: { [MODEL]: 0.3 } });
  });

  it('enters an answer whose reader leaves, once, and lets the connection go', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('a'), hold, text('b'))]);
    const stream = await env.metered.generateContentStream(request(), 'p', 'main');
    for await (const _response of stream) break;
    await env.model.waitForDisconnects(1);
    await stream.return(undefined);
    expect(env.numbers()?.api).toEqual({
      totalRequests: 1,
      totalErrors: 1,
      totalLatencyMs: 0,
      errorsByType: { abandoned: 1 },
    });
  });

  it.each(['before it is read', 'while a caller waits for it'])('lets go of an answer left %s', async (when) => {
    const hold = gate();
    await using env = await setUp([answer(hold, text('a'))]);
    const stream = await env.metered.generateContentStream(request(), 'p', 'main');
    const waiting = when === 'before it is read' ? undefined : stream.next();
    await stream.return(undefined);
    await waiting;
    await env.model.waitForDisconnects(1);
    expect(env.numbers()?.api.errorsByType).toEqual({ abandoned: 1 });
  });

  it('enters a cancelled request as aborted', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('a'), hold)]);
    const controller = new AbortController();
    const stream = await env.metered.generateContentStream(request(controller.signal), 'p', 'main');
    await stream.next();
    const next = stream.next();
    controller.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
    expect(env.numbers()?.api.errorsByType).toEqual({ aborted: 1 });
  });

  it('lets the counting of tokens pass uncounted', async () => {
    await using env = await setUp([]);
    await env.metered.countTokens(request());
    expect(env.numbers()).toBeUndefined();
  });
});
