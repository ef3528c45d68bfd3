import { describe, expect, it } from 'vitest';
import { fakeModel } from '../fake-model.ts';
import { answer, call, dialect, finish, say, text, thought, together } from '../script.ts';
import type { ProtocolOptions } from './protocol.ts';
import type { Quirks } from './quirks.ts';
import { ask } from './wire.fixture.ts';

const USAGE = { promptTokenCount: 100, candidatesTokenCount: 7, thoughtsTokenCount: 3, cachedContentTokenCount: 60 };
const TWO_CALLS = answer(
  together(call('read_file', { path: 'a' }, { id: 'call_a' }), call('write_file', { path: 'b' }, { id: 'call_b' })),
);

const deltasOf = async (step: ReturnType<typeof answer>, quirks: Quirks = {}, options: ProtocolOptions = {}) => {
  await using model = await fakeModel([step], { protocol: 'chat', quirks, ...options });
  const { frames } = await ask(model.url, 'chat');
  return frames.flatMap((frame) => frame['choices']?.map((choice: { delta: object }) => choice.delta) ?? []);
};
const fragmentsOf = async (quirks: Quirks) =>
  (await deltasOf(TWO_CALLS, quirks)).flatMap(({ tool_calls: calls }) => calls ?? []);

describe('Chat Completions', () => {
  it('streams chunks that end with a reason and [DONE]', async () => {
    await using model = await fakeModel([say('hi')], { protocol: 'chat' });
    const { frames, events, headers } = await ask(model.url, 'chat');
    const frame = (delta: object, reason: string | null = null) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: 'gpt-4.1',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    });
    expect(frames).toEqual([
      frame({ role: 'assistant', content: '' }),
      frame({ content: 'hi' }),
      frame({}, 'stop'),
      { unparsed: '[DONE]' },
    ]);
    expect({ events, type: headers['content-type'] }).toEqual({ events: [], type: 'text/event-stream; charset=utf-8' });
    expect(model.requests[0]).toMatchObject({ model: 'gpt-4.1', action: 'streamGenerateContent' });
  });

  it('opens a call with its name and adds its arguments', async () => {
    expect(await fragmentsOf({})).toEqual([
      { index: 0, id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '' } },
      { index: 0, function: { arguments: '{"path":"a"}' } },
      { index: 1, id: 'call_b', type: 'function', function: { name: 'write_file', arguments: '' } },
      { index: 1, function: { arguments: '{"path":"b"}' } },
    ]);
  });

  it.each<[quirks: Quirks, expected: unknown]>([
    [{ argumentPieces: 5 }, ['', '{"pat', 'h":"a', '"}', '', '{"pat', 'h":"b', '"}']],
    [{ argumentsAs: 'whole' }, ['{"path":"a"}', '{"path":"b"}']],
    [{ argumentsAs: 'object' }, [{ path: 'a' }, { path: 'b' }]],
    [{ argumentsAs: 'omitted' }, [undefined, undefined]],
    [{ interleavedCalls: true }, ['', '', '{"path":"a"}', '{"path":"b"}']],
  ])('writes arguments as %o', async (quirks, expected) => {
    expect((await fragmentsOf(quirks)).map((fragment) => fragment.function.arguments)).toEqual(expected);
  });

  it.each<[quirks: Quirks, key: string, expected: unknown]>([
    [{ indexes: 'zero' }, 'index', [0, 0, 0, 0]],
    [{ indexes: 'none' }, 'index', [undefined, undefined, undefined, undefined]],
    [{ indexes: 'null' }, 'index', [null, null, null, null]],
    [{ interleavedCalls: true }, 'index', [0, 1, 0, 1]],
    [{ ids: 'none' }, 'id', [undefined, undefined, undefined, undefined]],
    [{ ids: 'late' }, 'id', [undefined, 'call_a', undefined, 'call_b']],
    [{ ids: 'every' }, 'id', ['call_a', 'call_a', 'call_b', 'call_b']],
    [{ ids: 'same' }, 'id', ['call_0', undefined, 'call_0', undefined]],
    [{ ids: 'empty' }, 'id', ['', undefined, '', undefined]],
  ])('writes %o', async (quirks, key, expected) => {
    expect((await fragmentsOf(quirks)).map((fragment) => fragment[key])).toEqual(expected);
  });

  it.each<[quirks: Quirks, expected: unknown]>([
    [{ names: 'repeated', argumentPieces: 6 }, ['read_file', 'read_file', 'write_file', 'write_file']],
    [{ names: 'pieces' }, ['read_', 'file', undefined, 'write', '_file', undefined]],
  ])('writes names as %o', async (quirks, expected) => {
    expect((await fragmentsOf(quirks)).map((fragment) => fragment.function.name)).toEqual(expected);
  });

  it.each<[reasoning: Quirks['reasoning'], expected: object[]]>([
    ['reasoning_content', [{ reasoning_content: 'a' }, { reasoning_content: 'b' }, { content: 'x' }]],
    ['reasoning', [{ reasoning: 'a' }, { reasoning: 'b' }, { content: 'x' }]],
    [
      'both',
      [{ reasoning: 'a', reasoning_content: 'a' }, { reasoning: 'b', reasoning_content: 'b' }, { content: 'x' }],
    ],
    ['think_tags', [{ content: '<think>a' }, { content: 'b</think>' }, { content: 'x' }]],
    ['closing_tag', [{ content: 'a' }, { content: 'b</think>' }, { content: 'x' }]],
    [
      'content_parts',
      [
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }] },
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'b' }] }] },
        { content: 'x' },
      ],
    ],
    [
      'reasoning_details',
      [
        {
          reasoning: 'a',
          reasoning_details: [{ type: 'reasoning.text', text: 'a', format: 'anthropic-claude-v1', index: 0 }],
        },
        {
          reasoning: 'b',
          reasoning_details: [
            { type: 'reasoning.text', text: 'b', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
          ],
        },
        { content: 'x' },
      ],
    ],
  ])('writes reasoning as %s', async (reasoning, expected) => {
    const step = answer(thought('a'), thought('b', { signature: 'sig' }), text('x'));
    expect((await deltasOf(step, { ...(reasoning && { reasoning }) })).slice(1, -1)).toEqual(expected);
  });

  it.each<[options: ProtocolOptions, message: object]>([
    [{}, { content: 'x', reasoning_content: 'a' }],
    [{ vendor: 'ollama' }, { content: 'x', reasoning: 'a' }],
    [
      { vendor: 'openrouter' },
      { content: 'x', reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'a' }] },
    ],
    [{ vendor: 'mistral' }, { content: [{ type: 'thinking' }, { type: 'text', text: 'x' }] }],
    [{ quirks: { reasoning: 'think_tags' } }, { content: '<think>a</think>x' }],
    [{ quirks: { reasoning: 'closing_tag' } }, { content: 'a</think>x' }],
  ])('answers unstreamed with the reasoning of %o', async (options, message) => {
    await using model = await fakeModel([answer(thought('a'), text('x'))], { protocol: 'chat', ...options });
    const { json } = await ask(model.url, 'chat', { stream: false });
    expect(json['choices'][0].message).toMatchObject(message);
  });

  it.each<[quirks: Quirks, expected: unknown]>([
    [{}, [undefined, undefined, undefined]],
    [{ usage: 'always' }, [undefined, undefined, undefined, 100]],
    [{ usage: 'finish' }, [undefined, undefined, 100]],
    [{ usage: 'every' }, [100, 100, 100]],
  ])('reports usage as %o', async (quirks, expected) => {
    await using model = await fakeModel([say('hi', { usage: USAGE })], { protocol: 'chat', quirks });
    const { frames } = await ask(model.url, 'chat');
    expect(frames.slice(0, -1).map((frame) => frame['usage']?.prompt_tokens)).toEqual(expected);
  });

  it.each<[options: ProtocolOptions, expected: object]>([
    [{ vendor: 'deepseek' }, { completion_tokens: 10, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }],
    [{ vendor: 'xai' }, { completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 3 } }],
  ])('counts as %o', async (options, expected) => {
    await using model = await fakeModel([say('hi', { usage: USAGE })], { protocol: 'chat', ...options });
    expect((await ask(model.url, 'chat', { stream: false })).json['usage']).toMatchObject(expected);
  });

  it.each<[quirks: Quirks, expected: unknown]>([
    [{ done: 'missing' }, ['stop']],
    [{ done: 'only' }, ['[DONE]']],
    [{ finishReason: 'tool_calls' }, ['tool_calls', '[DONE]']],
  ])('ends as %o', async (quirks, expected) => {
    await using model = await fakeModel([say('hi')], { protocol: 'chat', quirks });
    const { frames } = await ask(model.url, 'chat');
    const ends = frames.map((frame) => frame['unparsed'] ?? frame['choices'][0].finish_reason);
    expect(ends.filter((end) => end !== null)).toEqual(expected);
  });

  it.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'tool_calls'],
    ['insufficient_system_resource', 'insufficient_system_resource'],
  ])('writes %s as %s', async (reason, expected) => {
    await using model = await fakeModel([answer(text('x'), finish(reason))], { protocol: 'chat' });
    expect((await ask(model.url, 'chat', { stream: false })).json['choices'][0].finish_reason).toBe(expected);
  });

  it('explains a refusal', async () => {
    const deltas = await deltasOf(answer(finish('SAFETY', { message: 'I will not.' })));
    expect(deltas).toContainEqual({ refusal: 'I will not.' });
  });

  it('repeats the text so far, sends a first frame without choices and names another model', async () => {
    const quirks = { cumulativeText: true, emptyFirstChoices: true, reportedModel: 'alias' };
    await using model = await fakeModel([say(['He', 'llo'])], { protocol: 'chat', quirks });
    const { frames } = await ask(model.url, 'chat');
    expect(frames.slice(0, -1).map((frame) => frame['choices'][0]?.delta.content)).toEqual([
      undefined,
      '',
      'He',
      'Hello',
      undefined,
    ]);
    expect(frames[0]?.['model']).toBe('alias');
  });

  it("puts Gemini's signature beside the call", async () => {
    const [first] = (await deltasOf(answer(call('a', {}, { signature: 'sig' })))).flatMap(
      (delta) => delta.tool_calls ?? [],
    );
    expect(first.extra_content).toEqual({ google: { thought_signature: 'sig' } });
  });

  it('writes malformed arguments verbatim', async () => {
    const fragments = (await deltasOf(answer(call('a', '{"a":1}{"a":2}')))).flatMap((delta) => delta.tool_calls ?? []);
    expect(fragments.map((fragment) => fragment.function.arguments)).toEqual(['', '{"a":1}{"a":2}']);
  });

  it('lets a step have quirks of its own', async () => {
    await using model = await fakeModel([dialect(say('hi'), { quirks: { done: 'missing' } }), say('hi')], {
      protocol: 'chat',
    });
    expect((await ask(model.url, 'chat')).body).not.toContain('[DONE]');
    expect((await ask(model.url, 'chat')).body).toContain('[DONE]');
  });

  it('makes ids as its vendor does', async () => {
    const idOf = async (options: ProtocolOptions) =>
      (await deltasOf(answer(call('a')), {}, options)).flatMap((delta) => delta.tool_calls ?? [])[0].id as string;
    expect(await idOf({})).toMatch(/^call_[A-Za-z0-9]{24}$/);
    expect(await idOf({ vendor: 'mistral' })).toMatch(/^[A-Za-z0-9]{9}$/);
  });
});
