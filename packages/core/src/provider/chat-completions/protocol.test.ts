import {
  type FakeModelOptions,
  type Script,
  answer,
  call,
  fakeModel,
  finish,
  say,
  text,
  thought,
} from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { Content, GenerateContentConfig, GenerateContentResponse, Part } from '../../protocol/content.ts';
import { originOf } from '../../protocol/origin.ts';
import { type ProviderAccess, openProvider } from '../open-provider.ts';
import { createEndpoint } from '../wire/endpoint.ts';

const user = (words: string): Content => ({ role: 'user', parts: [{ text: words }] });
const TOOLS: GenerateContentConfig = {
  systemInstruction: 'Be brief.',
  tools: [
    {
      functionDeclarations: [
        {
          name: 'read_file',
          description: 'Reads.',
          parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        },
      ],
    },
  ],
};

async function open(script: Script, options: FakeModelOptions = {}, access: Partial<ProviderAccess> = {}) {
  const model = await fakeModel(script, { protocol: 'chat', ...options });
  const endpoint = createEndpoint({
    baseUrl: `${model.url}/v1`,
    key: { value: 'test-key-123', header: 'authorization', source: 'TEST_KEY' },
  });
  const provider = await openProvider({ id: 'test', name: 'Test', protocol: 'chat', endpoint, ...access });
  return { model, provider, [Symbol.asyncDispose]: () => model.close() };
}

async function send(
  { provider }: Awaited<ReturnType<typeof open>>,
  contents: readonly Content[],
  config: GenerateContentConfig = TOOLS,
): Promise<GenerateContentResponse[]> {
  const frames: GenerateContentResponse[] = [];
  const stream = await provider.generator.generateContentStream({ model: 'm', contents, config }, 'p', 'main');
  for await (const frame of stream) frames.push(frame);
  return frames;
}

const partsOf = (frames: readonly GenerateContentResponse[]): Part[] =>
  frames.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
const textOf = (frames: readonly GenerateContentResponse[]): string =>
  partsOf(frames)
    .filter(({ thought: isThought }) => !isThought)
    .map((part) => part.text ?? '')
    .join('');

describe('Chat Completions', () => {
  it('sends a conversation and reads an answer', async () => {
    await using it = await open([say(['Hel', 'lo'])]);
    const frames = await send(it, [user('hi')]);
    expect(textOf(frames)).toBe('Hello');
    expect(frames.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    });
    const [request] = it.model.requests;
    expect(request?.headers['authorization']).toBe('Bearer test-key-123');
    expect(request?.body).toMatchObject({
      model: 'm',
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    });
    expect(request?.body).not.toHaveProperty('temperature');
    it.model.assertDone();
  });

  it('carries a tool loop, the reasoning included where it must come back', async () => {
    await using it = await open(
      [answer(thought('I read.'), call('read_file', { path: 'a "b" }' }, { id: 'call_1' }), finish()), say('done')],
      {},
      { quirks: { reasoning: { field: 'reasoning_content', echo: 'always' } } },
    );
    const frames = await send(it, [user('go')]);
    const last = frames.at(-1)!.candidates![0]!.content!;
    const parts = partsOf(frames);
    expect(parts).toEqual([
      { text: 'I read.', thought: true },
      { functionCall: { id: 'call_1', name: 'read_file', args: { path: 'a "b" }' } } },
    ]);
    const turn = { ...last, parts: parts.filter(({ functionCall }) => functionCall) };
    expect(originOf(turn)).toMatchObject({ provider: 'test', protocol: 'chat', model: 'm' });
    const result: Content = {
      role: 'user',
      parts: [{ functionResponse: { id: 'call_1', name: 'read_file', response: { output: 'text' } } }],
    };
    expect(textOf(await send(it, [user('go'), turn, result]))).toBe('done');
    expect(it.model.requests[1]?.body.messages.slice(1)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I read.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a \\"b\\" }"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'text' },
    ]);
    it.model.assertDone();
  });

  it('ends without a finish reason when the stream does', async () => {
    await using it = await open([answer(text('half'), { kind: 'ending', how: 'end' })]);
    const frames = await send(it, [user('hi')]);
    expect(textOf(frames)).toBe('half');
    expect(frames.some(({ candidates }) => candidates?.[0]?.finishReason !== undefined)).toBe(false);
  });
});
