import { describe, expect, it } from 'vitest';
import { fakeModel } from './fake-model.ts';
import { googleError } from './google-errors.ts';
import { exchange, HELLO, startExchange, STREAM_PATH, textsOf } from './raw-client.ts';
import { say } from './script.ts';

describe('refusing', () => {
  const turn = (role: string, ...parts: object[]) => ({ role, parts });
  const illegal = {
    contents: [...HELLO.contents, turn('model', { functionCall: { name: 'a', args: {} } }), HELLO.contents[0]],
  };
  const illegalMessage = 'turn 2: 1 calls are followed by 0 responses';

  it('refuses an illegal conversation and keeps its step for a legal one', async () => {
    await using model = await fakeModel([say('hi')]);
    const met = await exchange(model.url, { body: illegal });
    expect({ status: met.status, body: JSON.parse(met.body) }).toEqual({
      status: 400,
      body: googleError(400, { message: `Illegal request: ${illegalMessage}.` }),
    });
    expect(model.violations).toEqual([{ request: model.requests[0], messages: [illegalMessage] }]);
    expect(() => model.assertDone()).toThrow(`Request 1 was refused: ${illegalMessage}.`);
    expect(textsOf((await exchange(model.url)).body)).toEqual(['hi']);
  });

  it('takes anything when it is not strict', async () => {
    await using model = await fakeModel([say('hi')], { strict: false });
    expect((await exchange(model.url, { body: illegal })).status).toBe(200);
    model.assertDone();
  });

  it('demands a signature where the model of the path does', async () => {
    await using model = await fakeModel([]);
    const contents = [
      ...HELLO.contents,
      turn('model', { functionCall: { name: 'a', args: {} } }),
      turn('user', { functionResponse: { name: 'a', response: {} } }),
    ];
    const path = STREAM_PATH.replace('gemini-2.5-flash', 'gemini-3-pro-preview');
    await exchange(model.url, { body: { contents }, path });
    expect(model.violations[0]?.messages).toEqual([
      'turn 2: the first call of a step of the current turn has no thoughtSignature',
    ]);
  });

  it.each<[title: string, request: Parameters<typeof exchange>[1], status: number, message: string]>([
    ['a request without a key', { headers: {} }, 401, 'The request carries neither an API key nor a bearer token.'],
    [
      'an empty key',
      { headers: { 'x-goog-api-key': '' } },
      401,
      'The request carries neither an API key nor a bearer token.',
    ],
    ['a body that is no JSON', { body: '{"contents":' }, 400, 'Illegal request: the body is not JSON.'],
    [
      'an unknown field',
      { body: { ...HELLO, model: 'x' } },
      400,
      'Illegal request: the body has the unknown field "model".',
    ],
    ['another path', { path: '/v1beta/models' }, 404, 'POST /v1beta/models is not part of this API.'],
    ['another method', { method: 'PUT' }, 404, `PUT ${STREAM_PATH} is not part of this API.`],
    [
      'another dialect of streaming',
      { path: STREAM_PATH.replace('?alt=sse', '') },
      400,
      'The fake model streams server-sent events only: ask with alt=sse.',
    ],
  ])('refuses %s', async (_title, request, status, message) => {
    await using model = await fakeModel([say('hi')]);
    const met = await exchange(model.url, request);
    expect(met.status).toBe(status);
    expect(JSON.parse(met.body)).toMatchObject({ error: { code: status, message } });
    expect(model.stepsLeft).toBe(1);
  });

  it('refuses a wrong key as the service does, by header or bearer', async () => {
    await using model = await fakeModel([say('a'), say('b')], { key: 'right' });
    const wrong = await exchange(model.url, { headers: { 'x-goog-api-key': 'wrong' } });
    const errorInfo = { reason: 'API_KEY_INVALID', metadata: { service: 'generativelanguage.googleapis.com' } };
    expect({ status: wrong.status, body: JSON.parse(wrong.body) }).toEqual({
      status: 400,
      body: googleError(400, { message: 'API key not valid. Please pass a valid API key.', errorInfo }),
    });
    expect((await exchange(model.url, { headers: { 'x-goog-api-key': 'right' } })).status).toBe(200);
    expect((await exchange(model.url, { headers: { authorization: 'Bearer right' } })).status).toBe(200);
  });

  it('records no request of a client that left in the middle of it', async () => {
    await using model = await fakeModel([say('hi')]);
    const client = startExchange(model.url, {
      headers: { 'x-goog-api-key': 'key', expect: '100-continue' },
      cutBodyAt: 5,
    });
    await client.waitFor('100 Continue');
    client.leave();
    await exchange(model.url);
    await model.waitForIdle();
    expect({ requests: model.requests.length, disconnects: model.disconnects }).toEqual({
      requests: 1,
      disconnects: 0,
    });
  });
});
