/**
 * Promises of every protocol about time, aborts, addresses and neighbours: slow and silent servers, a user who cancels,
 * a base URL in any form, utility requests and two providers at once (T42, T57–T59, T64–T66, T70, T72).
 */

import { setImmediate as nextLoop } from 'node:timers/promises';
import { answer, call, fakeModel, fault, finish, gate, refusedUrl, say, text, thought } from '@castor/testkit';
import type { Step } from '@castor/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { normaliseBaseUrl } from '../../packages/cli/src/providers/base-url.ts';
import { createEndpoint } from '../../packages/core/src/provider/wire/endpoint.ts';
import { openScene, PROTOCOLS, TEST_KEY } from './scene.fixture.ts';
import { sentIn } from './sent-request.fixture.ts';

const OK = say('fine');

afterEach(() => void vi.useRealTimers());

/** Timers of the HTTP client only: sockets and the scene's own clock go on. */
const holdTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

function heldBack(step: Step): { step: Step; release(): void } {
  const released = Promise.withResolvers<void>();
  const wait = async (): Promise<Step> => {
    await released.promise;
    return step;
  };
  return { step: wait, release: () => released.resolve() };
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  it('T57 Q28: waits ten minutes for the headers of a server on this machine', async () => {
    const slow = heldBack(OK);
    holdTimers();
    await using scene = await openScene(protocol, [slow.step], { isLocal: true });
    const asked = scene.ask('hello');
    await scene.waitForRequest(1);
    vi.advanceTimersByTime(590_000);
    slow.release();
    expect(await asked).toMatchObject({ text: 'fine', retries: [] });
  });

  it('T57 asks a hosted service again after a minute without headers', async () => {
    const slow = heldBack(OK);
    holdTimers();
    await using scene = await openScene(protocol, [slow.step, OK]);
    const asked = scene.ask('hello');
    await scene.waitForRequest(1);
    vi.advanceTimersByTime(61_000);
    const seen = await asked;
    slow.release();
    expect(seen).toMatchObject({ text: 'fine', outcome: 'completed' });
    expect(seen.retries[0]!.value?.error.reason).toBe('timeout');
  });

  it('T58 asks again after 301 s without a byte, and not while bytes come', async () => {
    const [first, second] = [gate(), gate()];
    const silent = answer(text('a'), first, text('b'), second, text('c'), finish());
    const pieces = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
    holdTimers();
    await using scene = await openScene(protocol, [silent, OK]);
    const { prompt } = scene.agent.session;
    scene.agent.session.prompt = async function* (...args) {
      for await (const event of prompt.apply(this, args)) {
        if (event.type === 'content') pieces[event.value as 'a' | 'b']?.resolve();
        yield event;
      }
    };
    const asked = scene.ask('hello');
    await pieces.a.promise;
    await nextLoop();
    vi.advanceTimersByTime(290_000);
    first.release();
    await pieces.b.promise;
    // The client has begun to wait for the next bytes.
    await nextLoop();
    vi.advanceTimersByTime(301_000);
    const seen = await asked;
    second.release();
    expect(seen).toMatchObject({ text: 'fine', outcome: 'completed' });
    expect(seen.retries).toHaveLength(1);
  });

  it.each(['before the headers', 'in the text', 'after a call'])('T59 an abort %s ends the request', async (where) => {
    const stop = gate();
    const step = {
      'before the headers': fault('stall_before_headers'),
      'in the text': answer(thought('hm'), text('half'), stop, text(' more'), finish()),
      'after a call': answer(text('half'), call('read_file', { path: 'a' }), stop, finish()),
    }[where]!;
    await using scene = await openScene(protocol, [step, OK]);
    const controller = new AbortController();
    const asked = scene.ask('hello', controller.signal);
    await (where === 'before the headers' ? scene.waitForRequest(1) : stop.reached);
    controller.abort();
    expect((await asked).outcome).toBe('cancelled');
    await scene.model.waitForDisconnects(1);
    expect(scene.ran).toEqual([]);
    expect(await scene.ask('again')).toMatchObject({ text: 'fine', outcome: 'completed' });
    expect(JSON.stringify(scene.requests().at(-1)!.body)).toContain('hello');
    scene.model.assertDone();
  });

  it.each(['', '/', '/v1', '/v1/', '?x=1'])('T65 Q51: reaches a base URL that ends in "%s"', async (ending) => {
    await using model = await fakeModel([OK], { protocol });
    const given = protocol === 'gemini' ? ending.replace('/v1', '/v1beta') : ending;
    const normal = normaliseBaseUrl(`${model.url}${given}`, protocol);
    // The Gemini API's version is part of its base here; its own endpoint adds it.
    const baseUrl = protocol === 'gemini' ? `${normal}/v1beta` : normal;
    const endpoint = createEndpoint({ baseUrl, key: { value: TEST_KEY, header: 'authorization' } });
    await using scene = await openScene(protocol, [], { access: { endpoint } });
    expect(await scene.ask('hello')).toMatchObject({ text: 'fine' });
    model.assertDone();
  });

  it('T65 Q52: reaches 127.0.0.1 under the name localhost', async () => {
    await using model = await fakeModel([OK], { protocol });
    const base = { gemini: '/v1beta', chat: '/v1', responses: '/v1', anthropic: '', ollama: '' }[protocol];
    const baseUrl = `${model.url.replace('127.0.0.1', 'localhost')}${base}`;
    const endpoint = createEndpoint({ baseUrl, key: { value: TEST_KEY, header: 'authorization' } });
    await using scene = await openScene(protocol, [], { access: { endpoint } });
    expect(await scene.ask('hello')).toMatchObject({ text: 'fine' });
  });

  it('T66 tells within four tries that nothing listens, and where', async () => {
    const url = await refusedUrl();
    const endpoint = createEndpoint({ baseUrl: url });
    await using scene = await openScene(protocol, [], { access: { endpoint } });
    const seen = await scene.ask('hello');
    expect(seen).toMatchObject({ outcome: 'failed', error: { reason: 'network' } });
    expect(seen.detail).toContain(new URL(url).host);
    expect(seen.detail).toContain(`${protocol} does not listen there: start it`);
    expect(seen.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(10_000);
  });

  it('gives one result of a tool a tenth of a small window', async () => {
    const path = 'x'.repeat(12_000);
    const access = { models: { m: { contextWindow: 16_000 } } };
    const script = [answer(call('read_file', { path }), finish()), OK];
    await using scene = await openScene(protocol, script, { access });
    expect(await scene.ask('hello')).toMatchObject({ text: 'fine', outcome: 'completed' });
    const sent = JSON.stringify(scene.requests()[1]!.body);
    // Whole in the arguments only; the result keeps its ends.
    expect(sent.split(path)).toHaveLength(2);
    expect(sent.length).toBeLessThan(12_000 + 6_400 + 4_000);
  });

  it('T70 asks the same provider for a summary', async () => {
    const snapshot = say('<state_snapshot>short</state_snapshot>');
    // Nothing is said twice in it: that would be taken for a loop.
    const long = Array.from({ length: 900 }, (_, index) => (index * index).toString(36)).join(' ');
    await using scene = await openScene(protocol, [say(long), say(long), snapshot, snapshot], {
      access: { smallModel: 'little' },
    });
    await scene.ask(`one ${long}`);
    await scene.ask(`two ${long}`);
    await scene.agent.client.tryCompressChat('p', true);
    const asked = scene.model.requests
      .filter(({ action }) => action?.includes('enerateContent'))
      .map(({ model }) => model);
    // The conversation asks its model, the summary the small one of the same provider.
    expect(asked.slice(0, 2)).toEqual(['m', 'm']);
    expect(new Set(asked.slice(2))).toEqual(new Set(['little']));
    scene.model.assertDone();
  });

  it('T70 asks the model itself for a summary where the provider does not have the small one', async () => {
    const snapshot = say('<state_snapshot>short</state_snapshot>');
    const long = Array.from({ length: 900 }, (_, index) => (index * index).toString(36)).join(' ');
    const script = [say(long), say(long), fault(404), snapshot, snapshot];
    await using scene = await openScene(protocol, script, { access: { smallModel: 'little' } });
    await scene.ask(`one ${long}`);
    await scene.ask(`two ${long}`);
    await scene.agent.client.tryCompressChat('p', true);
    const asked = scene.model.requests.filter(({ action }) => action?.includes('enerateContent'));
    expect(asked.map(({ model }) => model)).toEqual(['m', 'm', 'little', 'm', 'm']);
    scene.model.assertDone();
  });

  it('T72 two providers at once keep their keys, limits and conversations apart', async () => {
    const other = protocol === 'chat' ? 'anthropic' : 'chat';
    await using one = await openScene(protocol, [fault(429, { retryAfter: 7 }), OK]);
    await using two = await openScene(other, [say('other')], {
      server: { key: TEST_KEY },
    });
    const [first, second] = await Promise.all([one.ask('hello'), two.ask('hello')]);
    expect([first.text, second.text]).toEqual(['fine', 'other']);
    expect([first.retries.length, second.retries.length]).toEqual([1, 0]);
    expect([one.requests().length, two.requests().length]).toEqual([2, 1]);
  });

  it('T63 a resent request has the same bytes, and no state of the process', async () => {
    const script = [answer(text('a'), call('read_file', { path: 'a' }, { id: 'call_1' }), finish()), OK];
    await using one = await openScene(protocol, script);
    await using two = await openScene(protocol, script);
    await one.ask('hello');
    await two.ask('hello');
    const bodies = [one, two].map((scene) => scene.requests().map((request) => sentIn(protocol, request).json));
    expect(bodies[0]).toEqual(bodies[1]);
  });
});

describe('anthropic', () => {
  it('T64 marks the turn before a step of more than twenty blocks', async () => {
    const many = answer(
      ...Array.from({ length: 11 }, (_, index) => call('read_file', { path: `f${index}` }, { id: `toolu_${index}` })),
      finish(),
    );
    await using scene = await openScene('anthropic', [many, OK]);
    await scene.ask('hello');
    const [before, , results] = scene.requests()[1]!.body.messages;
    expect(before.content.at(-1)).toHaveProperty('cache_control');
    expect(results.content.at(-1)).toHaveProperty('cache_control');
    scene.model.assertDone();
  });
});
