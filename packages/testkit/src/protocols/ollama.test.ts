import { describe, expect, it } from 'vitest';
import { fakeModel } from '../fake-model.ts';
import { fault } from '../faults.ts';
import { exchange } from '../raw-client.ts';
import { answer, call, finish, text, thought, together } from '../script.ts';

const QUESTION = { model: 'qwen3-coder:30b', messages: [{ role: 'user', content: 'hello' }] };
const POST = { path: '/api/chat', headers: {}, body: QUESTION };
const STEP = answer(
  thought('hmm'),
  text('I '),
  text('read.'),
  together(call('read_file', { path: 'a' }, { id: 'call_a' }), call('read_file', {}, { id: 'call_b' })),
  finish('STOP', { usage: { promptTokenCount: 100, candidatesTokenCount: 7, thoughtsTokenCount: 3 } }),
);

const linesOf = (body: string) =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("Ollama's protocol", () => {
  it('writes one JSON object per line, calls whole, the end apart', async () => {
    await using model = await fakeModel([STEP], { protocol: 'ollama' });
    const met = await exchange(model.url, POST);
    const lines = linesOf(met.body);
    expect(met.headers['content-type']).toBe('application/x-ndjson');
    expect(lines.map(({ message, done }) => ({ message, done }))).toEqual([
      { message: { role: 'assistant', content: '', thinking: 'hmm' }, done: false },
      { message: { role: 'assistant', content: 'I ' }, done: false },
      { message: { role: 'assistant', content: 'read.' }, done: false },
      {
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_a', function: { index: 0, name: 'read_file', arguments: { path: 'a' } } }],
        },
        done: false,
      },
      {
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_b', function: { index: 1, name: 'read_file', arguments: {} } }],
        },
        done: false,
      },
      { message: { role: 'assistant', content: '' }, done: true },
    ]);
    expect(lines.at(-1)).toMatchObject({ done_reason: 'stop', prompt_eval_count: 100, eval_count: 10 });
    model.assertDone();
  });

  it('answers unstreamed with one object', async () => {
    await using model = await fakeModel([STEP], { protocol: 'ollama' });
    const met = await exchange(model.url, { ...POST, body: { ...QUESTION, stream: false } });
    expect(JSON.parse(met.body)).toMatchObject({
      message: { content: 'I read.', thinking: 'hmm', tool_calls: [{ id: 'call_a' }, { id: 'call_b' }] },
      done: true,
    });
  });

  it('writes errors as text, before and in the stream', async () => {
    await using model = await fakeModel([fault(404), fault('error_frame', { message: 'gone', after: 0 })], {
      protocol: 'ollama',
    });
    const refused = await exchange(model.url, POST);
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      404,
      { error: 'model "qwen3-coder:30b" not found, try pulling it first' },
    ]);
    expect(linesOf((await exchange(model.url, POST)).body)).toEqual([{ error: 'gone' }]);
  });

  it('answers what a test gives for a side endpoint, else a default', async () => {
    await using model = await fakeModel([], {
      protocol: 'ollama',
      models: [{ name: 'm' }],
      sides: { '/api/ps': { models: [{ name: 'm', context_length: 4096 }] } },
    });
    const read = async (method: string, path: string) =>
      JSON.parse((await exchange(model.url, { method, path, headers: {}, body: '{}' })).body) as unknown;
    expect(await read('GET', '/api/tags')).toEqual({ models: [{ name: 'm' }] });
    expect(await read('GET', '/api/ps')).toEqual({ models: [{ name: 'm', context_length: 4096 }] });
    expect(await read('POST', '/api/show')).toMatchObject({ capabilities: ['completion', 'tools', 'thinking'] });
  });
});
