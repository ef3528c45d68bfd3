/**
 * Our adapters against a server of another author: llama.cpp's, with a model whose answers are known. It runs in
 * `npm run endurance` where a server can be had; else the test is skipped and says why.
 */

import { ApiError } from '@castor/core';
import type { Content, GenerateContentConfig, Part } from '@castor/core';
import { createEndpoint, openProvider } from '@castor/core/program';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type LlamaServer, findLlamaServer, startLlamaServer } from './llama-server.fixture.ts';
import { AFTER_RESULT, BEFORE_CALL, CALLED, ENDLESS, WITHOUT_TOOLS, writeTableModel } from './table-model.fixture.ts';

const BASES = { chat: '/v1', responses: '/v1', anthropic: '' } as const;
const PROTOCOLS = Object.keys(BASES) as (keyof typeof BASES)[];
/** The server writes without an end unless it is told where to stop. */
const BOUNDED: GenerateContentConfig = { maxOutputTokens: 200 };
const WITH_TOOL: GenerateContentConfig = {
  ...BOUNDED,
  tools: [
    {
      functionDeclarations: [
        {
          name: CALLED.name,
          description: 'Reads a file.',
          parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        },
      ],
    },
  ],
};
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const found = inject('isEndurance')
  ? await findLlamaServer()
  : { missing: 'a real llama-server runs in npm run endurance' };
const command = 'missing' in found ? undefined : found;
const reason = 'missing' in found ? ` (skipped: ${found.missing})` : '';

let server: LlamaServer | undefined;

beforeAll(async () => {
  if (command) server = await startLlamaServer(command, writeTableModel());
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

const user = (...parts: Part[]): Content => ({ role: 'user', parts });

function open(protocol: keyof typeof BASES) {
  return openProvider({
    id: 'llamacpp',
    name: 'llama.cpp',
    protocol,
    endpoint: createEndpoint({ baseUrl: `${server!.url}${BASES[protocol]}` }),
    // As if the user had said so: the server's own rejection is what is tested.
    models: { table: { images: true } },
  });
}

async function ask(protocol: keyof typeof BASES, contents: readonly Content[], config: GenerateContentConfig) {
  const { generator } = await open(protocol);
  const parts: Part[] = [];
  let finishReason: string | undefined;
  let usage;
  const request = { model: 'table', contents: [...contents], config };
  for await (const { candidates: [candidate] = [], usageMetadata } of await generator.generateContentStream(
    request,
    'p',
    'main',
  )) {
    parts.push(...(candidate?.content?.parts ?? []));
    finishReason = candidate?.finishReason ?? finishReason;
    usage = usageMetadata ?? usage;
  }
  generator.close();
  const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
  return {
    parts,
    calls,
    finishReason,
    usage,
    text: parts.map(({ text = '', thought }) => (thought ? '' : text)).join(''),
  };
}

describe.skipIf(!command).each(PROTOCOLS)(`a real llama-server over %s${reason}`, (protocol) => {
  it('answers in words, with its own count of tokens', async () => {
    const { text, finishReason, usage } = await ask(protocol, [user({ text: 'hi' })], BOUNDED);
    expect({ text, finishReason }).toEqual({ text: WITHOUT_TOOLS, finishReason: 'STOP' });
    expect(usage?.promptTokenCount).toBeGreaterThan(0);
    expect(usage?.candidatesTokenCount).toBeGreaterThan(0);
  });

  it('calls a tool in pieces and answers after its result', async () => {
    const asked = user({ text: 'read' });
    const first = await ask(protocol, [asked], WITH_TOOL);
    expect(first.text.trim()).toBe(BEFORE_CALL);
    expect(first.calls).toEqual([{ id: expect.any(String), ...CALLED }]);
    expect(first.finishReason).toBe('STOP');
    const [call] = first.calls;
    const turn: Content = { role: 'model', parts: [{ text: first.text }, { functionCall: call! }] };
    const result = user({ functionResponse: { id: call!.id!, name: call!.name!, response: { output: 'hello' } } });
    const second = await ask(protocol, [asked, turn, result], WITH_TOOL);
    expect(second).toMatchObject({ text: AFTER_RESULT, calls: [], finishReason: 'STOP' });
  });

  it('stops at the limit of its output', async () => {
    const { text, finishReason } = await ask(protocol, [user({ text: ENDLESS })], { maxOutputTokens: 20 });
    expect(text).toMatch(/^On and on/);
    expect(finishReason).toBe('MAX_TOKENS');
  });

  it('rejects a prompt that exceeds its window as an overflow', async () => {
    const failure = await ask(protocol, [user({ text: 'word '.repeat(2000) })], BOUNDED).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ reason: 'context_overflow', status: 400 });
  });

  it('reports a failure that will repeat itself as one', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: PIXEL } };
    const failure = await ask(protocol, [user({ text: 'look' }, image)], BOUNDED).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect((failure as ApiError).message).toMatch(/image/i);
    expect(failure).toMatchObject({ status: 500, attempts: 2 });
  });

  it('is cancelled in the middle of an answer, and answers the next request', async () => {
    const cancel = new AbortController();
    const { generator } = await open(protocol);
    const config = { maxOutputTokens: 3500, abortSignal: cancel.signal };
    const request = { model: 'table', contents: [user({ text: ENDLESS })], config };
    const read = async () => {
      for await (const _ of await generator.generateContentStream(request, 'p', 'main')) cancel.abort();
    };
    await expect(read()).rejects.toMatchObject({ name: 'AbortError' });
    generator.close();
    expect((await ask(protocol, [user({ text: 'hi' })], BOUNDED)).text).toBe(WITHOUT_TOOLS);
  });
});
