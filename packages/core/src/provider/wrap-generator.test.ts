/** The contract every decorator of a generator keeps, over real HTTP, and what a decorator is told of a request. */

import { answer, createFakeClock, ending, fakeModel, fault, finish, gate, say, text } from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { GenerateContentResponse } from '../protocol/content.ts';
import { createBudgetedGenerator } from '../spending/budgeted-generator.ts';
import { createMeteredGenerator } from '../spending/metered-generator.ts';
import { createTelemetryPort } from '../telemetry/telemetry-port.ts';
import type { ContentGenerator } from './content-generator.ts';
import { createGeminiGenerator } from './gemini/generator.ts';
import { createRecordingGenerator } from '../recordings/recorded-answers.ts';
import { wrapGenerator } from './wrap-generator.ts';

const clock = createFakeClock();
const telemetry = createTelemetryPort({
  sink: { write: async () => undefined },
  clock,
  common: {},
  logPrompts: true,
  traces: true,
  provider: 'test',
  server: {},
});

/** What a decorator was told, in order. */
function createSpy(told: string[]) {
  return <G extends ContentGenerator>(inner: G): G =>
    wrapGenerator(inner, {
      before: ({ method, role }) => {
        told.push(`${method} for ${role}`);
        return {
          responded: () => void told.push('response'),
          ended: () => void told.push('ended'),
          failed: (error) => void told.push(`failed: ${(error as Error).name}`),
          abandoned: () => void told.push('abandoned'),
        };
      },
      counted: () => void told.push('counted'),
      embedded: () => void told.push('embedded'),
    });
}

const DECORATORS: Record<string, <G extends ContentGenerator>(inner: G) => G> = {
  spy: createSpy([]),
  metered: (inner) => createMeteredGenerator(inner, { record: () => undefined }, clock),
  budgeted: (inner) => createBudgetedGenerator(inner, { assertOpen: () => undefined }),
  logged: (inner) => telemetry.watch(inner),
  recording: (inner) => createRecordingGenerator(inner, () => undefined),
};

const request = (abortSignal?: AbortSignal) => ({
  model: 'gemini-2.5-flash',
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
  ...(abortSignal && { config: { abortSignal } }),
});

async function setUp(script: Script, decorate: <G extends ContentGenerator>(inner: G) => G = (inner) => inner) {
  const model = await fakeModel(script);
  const inner = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  const generator = decorate(inner);
  const stream = (signal?: AbortSignal) => generator.generateContentStream(request(signal), 'p', 'main');
  return { model, inner, generator, stream, [Symbol.asyncDispose]: () => model.close() };
}

async function readAll(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const responses: GenerateContentResponse[] = [];
  for await (const response of stream) responses.push(response);
  return responses;
}

describe.each(Object.entries(DECORATORS))('a %s generator', (_name, decorate) => {
  it('passes a stream and a whole answer on unchanged', async () => {
    const script = () => [say(['a', 'b']), say('c')];
    await using plain = await setUp(script());
    await using env = await setUp(script(), decorate);
    expect(await readAll(await env.stream())).toEqual(await readAll(await plain.stream()));
    const whole = await plain.generator.generateContent(request(), 'p', 'main');
    expect(await env.generator.generateContent(request(), 'p', 'main')).toEqual(whole);
  });

  it.each([true, false])('closes the connection when its reader leaves (after a first response: %s)', async (began) => {
    const held = gate();
    await using env = await setUp([answer(text('a'), held, text('b'), finish('STOP'))], decorate);
    const stream = await env.stream();
    if (began) await stream.next();
    await stream.return(undefined);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await env.model.waitForDisconnects(1);
  });

  it('rejects with the abort, before the answer and inside it', async () => {
    const held = gate();
    await using env = await setUp([answer(text('a'), held, finish('STOP'))], decorate);
    await expect(env.stream(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    const controller = new AbortController();
    const stream = await env.stream(controller.signal);
    await stream.next();
    const next = stream.next();
    controller.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('rejects with the failure of the service, before the answer and inside it', async () => {
    await using env = await setUp([fault(400), fault(400), answer(text('a'), ending('reset'))], decorate);
    await expect(env.stream()).rejects.toMatchObject({ status: 400 });
    await expect(env.generator.generateContent(request(), 'p', 'main')).rejects.toMatchObject({ status: 400 });
    await expect(readAll(await env.stream())).rejects.toMatchObject({ name: 'ApiError' });
  });

  it('counts tokens and embeds', async () => {
    await using plain = await setUp([]);
    await using env = await setUp([], decorate);
    expect(await env.generator.countTokens(request())).toEqual(await plain.generator.countTokens(request()));
    const texts = { model: 'm', contents: ['x'] };
    expect(await env.generator.embedContent(texts)).toEqual(await plain.generator.embedContent(texts));
  });

  it('keeps what else the generator has, with its private state', () => {
    class Counting {
      #closed = 0;
      readonly label = 'mine';
      generateContent = async () => ({});
      generateContentStream = async () => (async function* () {})();
      countTokens = async () => ({});
      embedContent = async () => ({});
      close(): number {
        this.#closed += 1;
        return this.#closed;
      }
      get closed(): number {
        return this.#closed;
      }
    }
    const decorated = decorate(decorate(Object.freeze(new Counting())));
    expect([decorated.label, decorated.close(), decorated.close(), decorated.closed]).toEqual(['mine', 1, 2, 2]);
    expect({ ...decorated }).toHaveProperty('label', 'mine');
  });
});

describe('wrapGenerator', () => {
  it('tells each request from its sending to its one end', async () => {
    const told: string[] = [];
    const held = gate();
    const script = [say('a'), say('b'), fault(400), answer(text('c'), held, finish('STOP')), answer(ending('reset'))];
    await using env = await setUp(script, createSpy(told));
    await readAll(await env.stream());
    await env.generator.generateContent(request(), 'p', 'utility_tool');
    await expect(env.stream()).rejects.toThrow();
    const left = await env.stream();
    await left.next();
    await left.return(undefined);
    await left.return(undefined);
    await expect(readAll(await env.stream())).rejects.toThrow();
    await env.generator.countTokens(request());
    await env.generator.embedContent({ model: 'm', contents: ['x'] });
    expect(told.filter((line) => line !== 'response')).toEqual([
      ...['generateContentStream for main', 'ended', 'generateContent for utility_tool', 'ended'],
      ...['generateContentStream for main', 'failed: ApiError'],
      ...['generateContentStream for main', 'abandoned'],
      ...['generateContentStream for main', 'failed: ApiError', 'counted', 'embedded'],
    ]);
  });

  it('sends nothing that a decorator refuses', async () => {
    const refuse = <G extends ContentGenerator>(inner: G): G =>
      wrapGenerator(inner, {
        before: () => {
          throw new Error('refused');
        },
      });
    await using env = await setUp([], refuse);
    await expect(env.stream()).rejects.toThrow('refused');
    await expect(env.generator.generateContent(request(), 'p', 'main')).rejects.toThrow('refused');
    expect(env.model.requests).toEqual([]);
  });
});
