import { describe, expect, it } from 'vitest';
import { fakeModel } from '../fake-model.ts';
import { fault, FAULTS } from '../faults.ts';
import type { FaultName } from '../faults.ts';
import { PER_DAY_QUOTA } from '../google-errors.ts';
import { exchange, HELLO } from '../raw-client.ts';
import { answer, bytes, call, gate, raw, say, text } from '../script.ts';
import { Memory } from './memory.ts';
import type { ChatVendor } from './protocol.ts';
import { ask, QUESTIONS, WIRE_NAMES } from './wire.fixture.ts';
import type { WireName } from './wire.fixture.ts';

const LAST: Record<WireName, string> = {
  chat: '"finish_reason":"stop"',
  responses: 'response.completed',
  anthropic: 'message_stop',
  ollama: '"done":true',
};

describe.each(WIRE_NAMES)('a script over %s', (protocol) => {
  it('sends its pieces in order, and waits at a gate', async () => {
    const pause = gate();
    await using model = await fakeModel([answer(text('one'), pause, text('two'))], { protocol });
    const asked = ask(model.url, protocol);
    await pause.reached;
    pause.release();
    const { body } = await asked;
    expect(body.indexOf('one')).toBeLessThan(body.indexOf('two'));
    expect(body).toContain(LAST[protocol]);
  });

  it('says the same in chunks of one byte', async () => {
    await using model = await fakeModel([say(['hé', '🦫'])], { protocol, chunking: 1 });
    const cut = await ask(model.url, protocol);
    await using whole = await fakeModel([say(['hé', '🦫'])], { protocol });
    expect(cut.body).toBe((await ask(whole.url, protocol)).body);
    expect(cut.chunks.length).toBeGreaterThan(100);
  });

  it('sends bytes and frames of the protocol verbatim', async () => {
    const frame = { type: 'response.completed', done: true, choices: [{ finish_reason: 'x' }], odd: 'kept' };
    await using model = await fakeModel([answer(bytes(': OPENROUTER PROCESSING\n\n'), raw(frame))], { protocol });
    const { body, frames } = await ask(model.url, protocol);
    expect(body).toContain(': OPENROUTER PROCESSING\n\n');
    expect(frames.filter((sent) => sent['unparsed'] === undefined)).toEqual([frame]);
  });

  it.each(Object.keys(FAULTS).filter((name) => !name.startsWith('stall')) as FaultName[])(
    'plays the fault %s',
    async (name) => {
      await using model = await fakeModel([fault(name)], { protocol });
      const met = await ask(model.url, protocol);
      model.assertDone();
      expect(met.body).not.toContain('usageMetadata');
      const isWhole = ['split_every_byte', 'empty_answer', 'thought_only', 'malformed_call'].includes(name);
      if (isWhole) expect(met.body).toContain(LAST[protocol].replace('"stop"', ''));
      if (name.startsWith('end_') || name.startsWith('half_')) expect(met.body).not.toContain(LAST[protocol]);
    },
  );

  it('rejects a request without a key, unless it needs none', async () => {
    await using model = await fakeModel([say('hi')], { protocol, repeatLast: true });
    const headers = { 'anthropic-version': '2023-06-01' };
    const isFree = protocol === 'ollama';
    expect((await ask(model.url, protocol, {}, { headers })).status).toBe(isFree ? 200 : 401);
    await using open = await fakeModel([say('hi')], { protocol, key: null });
    expect((await ask(open.url, protocol, {}, { headers })).status).toBe(200);
    await using closed = await fakeModel([say('hi')], { protocol, key: 'secret' });
    expect((await ask(closed.url, protocol)).status).toBe(401);
  });

  it('rejects unknown paths and bodies that are not JSON', async () => {
    await using model = await fakeModel([], { protocol });
    expect((await ask(model.url, protocol, {}, { path: '/nowhere' })).status).toBe(404);
    const { path } = QUESTIONS[protocol];
    const headers = { authorization: 'Bearer key' };
    expect((await exchange(model.url, { path, headers, body: '{"model":' })).status).toBe(400);
    expect(model.violations).toHaveLength(2);
  });

  it('takes anything when it is not strict', async () => {
    await using model = await fakeModel([say('hi')], { protocol, strict: false });
    expect((await ask(model.url, protocol, { messages: [], input: [], odd: 1 })).status).toBe(200);
  });
});

describe('errors', () => {
  const bodyOf = async (protocol: WireName, step: ReturnType<typeof fault>, vendor?: ChatVendor) => {
    await using model = await fakeModel([step], { protocol, ...(vendor && { vendor }) });
    const { json, headers, status } = await ask(model.url, protocol);
    return { status, json, retryAfter: headers['retry-after'] };
  };

  it.each<[vendor: ChatVendor, body: unknown]>([
    ['openai', { error: { message: 'm', type: 'server_error', param: null, code: 'server_is_overloaded' } }],
    [
      'openrouter',
      { error: { code: 503, message: 'm', metadata: { provider_name: 'Fake', raw: 'm' } }, user_id: 'user_1' },
    ],
    ['mistral', { object: 'error', message: 'm', type: 'server_error', param: null, code: null, raw_status_code: 503 }],
    ['vllm', { error: { message: 'm', type: 'server_error', param: null, code: 503 } }],
    ['llamacpp', { error: { code: 503, message: 'm', type: 'unavailable_error' } }],
    ['xai', { code: 'server_is_overloaded', error: 'm' }],
    ['google', [{ error: { code: 503, message: 'm', status: 'UNAVAILABLE' } }]],
  ])('are written as %s writes them', async (vendor, body) => {
    expect((await bodyOf('chat', fault(503, { message: 'm' }), vendor)).json).toEqual(body);
  });

  it('say in a header when to come back', async () => {
    for (const protocol of WIRE_NAMES) {
      expect((await bodyOf(protocol, fault(429, { retryDelay: '2.5s' }))).retryAfter).toBe('2.5');
      expect((await bodyOf(protocol, fault(429, { retryAfter: 17 }))).retryAfter).toBe('17');
    }
  });

  it('name a quota that is spent', async () => {
    const spent = fault(429, { quotaId: PER_DAY_QUOTA });
    expect((await bodyOf('chat', spent)).json['error'].code).toBe('insufficient_quota');
    expect((await bodyOf('responses', spent)).json['error'].type).toBe('insufficient_quota');
    expect((await bodyOf('anthropic', spent)).json['error'].type).toBe('billing_error');
  });

  it('have the type, code and body that a script gives', async () => {
    const named = fault(400, { message: 'm', type: 't', code: 'c', param: 'p' });
    expect((await bodyOf('chat', named)).json).toEqual({ error: { message: 'm', type: 't', code: 'c', param: 'p' } });
    expect((await bodyOf('ollama', fault(400, { body: { odd: 1 } }))).json).toEqual({ odd: 1 });
  });

  it('of llama.cpp look alike on all its surfaces', async () => {
    const { json } = await bodyOf('anthropic', fault(400, { message: 'm' }), 'llamacpp');
    expect(json).toEqual({ error: { code: 400, message: 'm', type: 'invalid_request_error' } });
  });
});

describe('side endpoints', () => {
  const get = { method: 'GET' };

  it('answer by rule and consume no step', async () => {
    await using model = await fakeModel([], {
      protocol: 'chat',
      models: [{ id: 'm', context_length: 8192 }],
      sides: {
        '/props': { default_generation_settings: { n_ctx: 4096 } },
        '/api/v0/models': () => fault(404),
      },
      embed: () => [[1, 2]],
    });
    const read = async (path: string, request: object = get) =>
      (await ask(model.url, 'chat', {}, { path, ...request })).json;
    expect(await read('/v1/models')).toEqual({ object: 'list', data: [{ id: 'm', context_length: 8192 }] });
    expect(await read('/props')).toEqual({ default_generation_settings: { n_ctx: 4096 } });
    expect(await read('/health', { ...get, headers: {} })).toEqual({ status: 'ok' });
    expect(await read('/v1/embeddings', {})).toMatchObject({ data: [{ index: 0, embedding: [1, 2] }] });
    expect((await ask(model.url, 'chat', {}, { path: '/api/v0/models', ...get })).status).toBe(404);
    model.assertDone();
  });
});

describe('signatures of Gemini', () => {
  const [asked] = HELLO.contents;
  const called = (thoughtSignature: string) => ({
    contents: [
      asked,
      { role: 'model', parts: [{ functionCall: { name: 'a', args: {} }, thoughtSignature }] },
      { role: 'user', parts: [{ functionResponse: { name: 'a', response: {} } }] },
    ],
  });

  it('are its own, if the test shares a memory', async () => {
    const memory = new Memory();
    await using model = await fakeModel([call('a', {}, { signature: 'own' }), say('done'), say('done')], { memory });
    await exchange(model.url);
    expect((await exchange(model.url, { body: called('own') })).status).toBe(200);
    expect((await exchange(model.url, { body: called('skip_thought_signature_validator') })).status).toBe(200);
    expect((await exchange(model.url, { body: called('foreign') })).status).toBe(400);
    expect(model.violations[0]?.messages).toEqual(['turn 2: Corrupted thought signature']);
  });

  it('are any, if it does not', async () => {
    await using model = await fakeModel([say('done')]);
    expect((await exchange(model.url, { body: called('foreign') })).status).toBe(200);
  });
});

describe('Gemini on Vertex', () => {
  const PROJECT = '/v1beta1/projects/p/locations/us-central1/publishers/google/models/gemini-2.5-flash';
  const EXPRESS = '/v1beta1/publishers/google/models/gemini-2.5-flash';
  const bearer = { authorization: 'Bearer token' };
  const key = { 'x-goog-api-key': 'key' };

  it('answers under a project with a token, and in express mode with a key', async () => {
    await using model = await fakeModel([say('one'), say('two')]);
    const path = `${PROJECT}:streamGenerateContent?alt=sse`;
    expect((await exchange(model.url, { path, headers: bearer, body: HELLO })).body).toContain('one');
    const express = `${EXPRESS}:streamGenerateContent?alt=sse`;
    expect((await exchange(model.url, { path: express, headers: key, body: HELLO })).body).toContain('two');
    expect(model.requests.map((request) => request.model)).toEqual(['gemini-2.5-flash', 'gemini-2.5-flash']);
    expect((await exchange(model.url, { path, headers: key, body: HELLO })).status).toBe(401);
  });

  it('embeds with predict and lists models', async () => {
    await using model = await fakeModel([], { embed: () => [[1, 2]], models: [{ name: 'models/m' }] });
    const embedded = await exchange(model.url, {
      path: `${PROJECT}:predict`,
      headers: bearer,
      body: { instances: [] },
    });
    expect(JSON.parse(embedded.body)).toEqual({ predictions: [{ embeddings: { values: [1, 2] } }] });
    const listed = await exchange(model.url, { method: 'GET', path: '/v1beta/models', headers: key, body: '' });
    expect(JSON.parse(listed.body)).toEqual({ models: [{ name: 'models/m' }] });
  });
});
