import { Agent, request as httpRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { fakeModel } from './fake-model.ts';
import type { FakeModel } from './fake-model.ts';
import { fault } from './faults.ts';
import { googleError } from './google-errors.ts';
import { exchange, framesOf, HELLO, startExchange, STREAM_PATH, textsOf } from './raw-client.ts';
import { answer, bigFrame, call, DEFAULT_USAGE, dialect, gate, say, text } from './script.ts';

const UNARY_PATH = '/v1beta/models/gemini-2.5-flash:generateContent';
const STAMP = { modelVersion: 'gemini-2.5-flash', responseId: 'response-1' };
const SAID_HI = [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, index: 0 }], ...STAMP },
  { candidates: [{ finishReason: 'STOP', index: 0 }], usageMetadata: DEFAULT_USAGE, ...STAMP },
];

describe('playing a script', () => {
  it('answers as the service streams', async () => {
    await using model = await fakeModel([say('hi')]);
    const met = await exchange(model.url);
    expect({ status: met.status, type: met.headers['content-type'], frames: framesOf(met.body) }).toEqual({
      status: 200,
      type: 'text/event-stream',
      frames: SAID_HI,
    });
    model.assertDone();
  });

  it('plays one step per request, in order', async () => {
    await using model = await fakeModel([say('one'), text('two'), call('three'), say(['four', 'five'])]);
    const bodies = [];
    for (let count = 0; count < 4; count++) bodies.push((await exchange(model.url)).body);
    expect(bodies.map(textsOf)).toEqual([['one'], ['two'], [], ['four', 'five']]);
    expect(bodies[2]).toContain('"functionCall":{"name":"three","args":{}}');
    model.assertDone();
  });

  it('sends one chunk per frame', async () => {
    await using model = await fakeModel([say(['a', 'b'])]);
    const { chunks } = await exchange(model.url);
    expect(chunks.map((chunk) => framesOf(chunk.toString()).length)).toEqual([1, 1, 1]);
  });

  it('lets a step depend on the request, and wait', async () => {
    const ready = Promise.withResolvers<void>();
    await using model = await fakeModel([
      async (request) => {
        await ready.promise;
        return () => say(request.body.contents[0].parts[0].text);
      },
    ]);
    const client = startExchange(model.url);
    await model.waitForRequest(1);
    ready.resolve();
    expect(textsOf((await client.done).body)).toEqual(['hello']);
  });

  it('lets one function answer everybody', async () => {
    await using model = await fakeModel((request) => say(`answer${request.index}`));
    const bodies = await Promise.all(Array.from({ length: 50 }, () => exchange(model.url)));
    const expected = Array.from({ length: 50 }, (_, index) => `answer${index}`);
    expect(new Set(bodies.flatMap(({ body }) => textsOf(body)))).toEqual(new Set(expected));
    model.assertDone();
  });

  it('repeats its last step when asked to', async () => {
    await using model = await fakeModel([say('first'), say('again')], { repeatLast: true });
    const bodies = [];
    for (let count = 0; count < 3; count++) bodies.push((await exchange(model.url)).body);
    expect(bodies.flatMap(textsOf)).toEqual(['first', 'again', 'again']);
    model.assertDone();
  });

  it('holds what stands behind a gate until it is released', async () => {
    const [first, second] = [gate(), gate()];
    await using model = await fakeModel([answer(first, text('a'), second, text('b'))]);
    const client = startExchange(model.url);
    await first.reached;
    await client.waitFor('200 OK');
    first.release();
    await second.reached;
    await client.waitFor('"a"');
    second.release();
    expect(textsOf((await client.done).body)).toEqual(['a', 'b']);
  });

  it('lets all bytes before a gate out, however they are cut', async () => {
    const hold = gate();
    await using model = await fakeModel([answer(text('a'), hold, text('b'))], { chunking: 100_000 });
    const client = startExchange(model.url);
    await hold.reached;
    await client.waitFor('"a"');
    hold.release();
    expect(textsOf((await client.done).body)).toEqual(['a', 'b']);
  });

  it('sends a frame of 20 MB whole', { tags: 'wide' }, async () => {
    await using model = await fakeModel([bigFrame(20_000_000)]);
    const { body, isWhole } = await exchange(model.url);
    const [frame] = framesOf(body) as { candidates: { content: { parts: { text: string }[] } }[] }[];
    expect({ isWhole, length: frame?.candidates[0]?.content.parts[0]?.text.length }).toEqual({
      isWhole: true,
      length: 20_000_000,
    });
  });
});

describe('unstreamed and other calls', () => {
  it('gives the same script in one response', async () => {
    await using model = await fakeModel([answer(text('a'), text('b'), call('c'))]);
    const met = await exchange(model.url, { path: UNARY_PATH });
    const parts = [{ text: 'ab' }, { functionCall: { name: 'c', args: {} } }];
    expect({ type: met.headers['content-type'], body: JSON.parse(met.body) }).toEqual({
      type: 'application/json; charset=UTF-8',
      body: {
        candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
        usageMetadata: DEFAULT_USAGE,
        ...STAMP,
      },
    });
  });

  it('counts tokens by rule or as told, without using up a step', async () => {
    const path = '/v1beta/models/gemini-2.5-flash:countTokens';
    await using byRule = await fakeModel([]);
    const length = JSON.stringify(HELLO).length;
    expect(JSON.parse((await exchange(byRule.url, { path })).body)).toEqual({ totalTokens: Math.ceil(length / 4) });
    await using asTold = await fakeModel([], { countTokens: ({ model }) => (model === 'gemini-2.5-flash' ? 42 : 0) });
    expect(JSON.parse((await exchange(asTold.url, { path })).body)).toEqual({ totalTokens: 42 });
    await using failing = await fakeModel([], { countTokens: () => fault(503) });
    expect((await exchange(failing.url, { path })).status).toBe(503);
    byRule.assertDone();
  });

  it('embeds by rule or as told', async () => {
    const path = '/v1beta/models/embedding-001:batchEmbedContents';
    const body = { requests: [{ content: HELLO.contents[0] }, { content: HELLO.contents[0] }] };
    await using byRule = await fakeModel([]);
    expect(JSON.parse((await exchange(byRule.url, { path, body })).body)).toEqual({
      embeddings: [{ values: [0, 0, 1] }, { values: [1, 0, 1] }],
    });
    await using asTold = await fakeModel([], { embed: () => [[5]] });
    expect(JSON.parse((await exchange(asTold.url, { path, body })).body)).toEqual({ embeddings: [{ values: [5] }] });
  });
});

describe('keeping the record', () => {
  it('keeps each request as it came', async () => {
    await using model = await fakeModel([say('hi')]);
    await exchange(model.url, { headers: { Authorization: 'Bearer token' }, path: `/gateway${STREAM_PATH}` });
    expect(model.requests).toEqual([
      {
        index: 0,
        method: 'POST',
        path: `/gateway${STREAM_PATH}`,
        model: 'gemini-2.5-flash',
        action: 'streamGenerateContent',
        headers: {
          host: '127.0.0.1',
          connection: 'close',
          'content-length': String(JSON.stringify(HELLO).length),
          authorization: 'Bearer token',
        },
        body: HELLO,
        byteLength: JSON.stringify(HELLO).length,
        connection: 1,
      },
    ]);
  });

  it('shows that a connection was used again', async () => {
    await using model = await fakeModel([say('a'), fault(503), say('b'), say('c')]);
    const agent = new Agent({ keepAlive: true });
    for (let count = 0; count < 3; count++) await post(model, agent);
    await exchange(model.url);
    agent.destroy();
    expect({ connections: model.connections, of: model.requests.map(({ connection }) => connection) }).toEqual({
      connections: 2,
      of: [1, 1, 1, 2],
    });
  });

  it('counts a client that leaves before the end', async () => {
    await using model = await fakeModel([answer(text('a'), gate()), say('b')]);
    const client = startExchange(model.url);
    await client.waitFor('"a"');
    expect(model.openStreams).toBe(1);
    client.leave();
    await model.waitForIdle();
    await exchange(model.url);
    await model.waitForIdle();
    expect({ disconnects: model.disconnects, openStreams: model.openStreams }).toEqual({
      disconnects: 1,
      openStreams: 0,
    });
  });

  it('resolves a wait for a request that came already and one that is to come', async () => {
    await using model = await fakeModel([say('a'), say('b')]);
    const second = model.waitForRequest(2);
    await exchange(model.url);
    expect((await model.waitForRequest(1)).index).toBe(0);
    await exchange(model.url);
    expect((await second).index).toBe(1);
  });

  it('leaves no wait hanging when it is closed', async () => {
    const model = await fakeModel([]);
    const never = expect(model.waitForRequest(1)).rejects.toThrow('The fake model was closed after 0 requests.');
    await model.close();
    await model.close();
    await never;
    await model.waitForIdle();
  });

  it('destroys idle connections on close', async () => {
    const model = await fakeModel([say('a')]);
    const agent = new Agent({ keepAlive: true });
    await post(model, agent);
    const [socket] = Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
    const closed = new Promise<void>((resolve) => socket?.once('close', () => resolve()));
    await model.close();
    await closed;
    agent.destroy();
  });
});

describe('assertDone', () => {
  it('complains about steps that were not requested', async () => {
    await using model = await fakeModel([say('a'), say('b')]);
    await exchange(model.url);
    expect(model.stepsLeft).toBe(1);
    expect(() => model.assertDone()).toThrow(/^1 of the script's steps were never asked for\.$/);
  });

  it('complains about requests beyond the script, which get a 500 that says so', async () => {
    await using model = await fakeModel([say('a')]);
    await exchange(model.url);
    const met = await exchange(model.url);
    const message = "The fake model's script has 1 steps and this is request 2.";
    expect({ status: met.status, body: JSON.parse(met.body) }).toEqual({
      status: 500,
      body: googleError(500, { message }),
    });
    expect(() => model.assertDone()).toThrow(`Request 2 (${STREAM_PATH}) came after the script's end.`);
  });

  it('complains about a script that throws', async () => {
    await using model = await fakeModel([
      () => {
        throw new Error('oops');
      },
    ]);
    expect((await exchange(model.url)).status).toBe(500);
    expect(() => model.assertDone()).toThrow('The script itself failed: Error: oops');
  });

  it('complains about a script that cannot be played', async () => {
    await using model = await fakeModel([dialect(text('a'), { chunking: -1 })]);
    expect((await exchange(model.url)).isWhole).toBe(false);
    expect(() => model.assertDone()).toThrow('The script itself failed: RangeError');
  });
});

async function post(model: FakeModel, agent: Agent): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { 'x-goog-api-key': 'key' };
  const request = httpRequest(model.url + STREAM_PATH, { method: 'POST', agent, headers }, (response) => {
    readText(response).then(resolve, reject);
  });
  request.on('error', reject);
  request.end(JSON.stringify(HELLO));
  return promise;
}
