/** Answers with a `Content-Encoding`, as gateways and proxies send them without being asked. */

import {
  BODY_ENCODINGS,
  type BodyEncoding,
  type Step,
  answer,
  bytes,
  dialect,
  ending,
  fakeModel,
  fault,
  gate,
  say,
  text,
} from '@castor/testkit';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import type { GenerateContentResponse } from '../../protocol/content.ts';
import { type GeminiGenerator, createGeminiGenerator } from './generator.ts';

const REQUEST = { model: 'gemini-2.5-flash', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const textOf = (frame: GenerateContentResponse | undefined) => frame?.candidates?.[0]?.content?.parts?.[0]?.text;

async function exchange(script: readonly Step[], test: (generator: GeminiGenerator) => Promise<void>): Promise<void> {
  await using model = await fakeModel(script);
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'secret' });
  try {
    await test(generator);
    model.assertDone();
  } finally {
    generator.close();
  }
}

async function drain(generator: GeminiGenerator) {
  const texts: (string | undefined)[] = [];
  try {
    for await (const frame of await generator.generateContentStream(REQUEST, 'p', 'main')) texts.push(textOf(frame));
    return { texts };
  } catch (error) {
    return { texts, error };
  }
}

describe.each(BODY_ENCODINGS)('an answer encoded with %s', (encoding: BodyEncoding) => {
  it('is read whole and byte by byte, on one connection', async () => {
    await using model = await fakeModel([
      dialect(say(['héllo ', '🦫']), { encoding }),
      dialect(say(['héllo ', '🦫']), { encoding, chunking: 1 }),
      say('plain'),
    ]);
    const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'secret' });
    // Frames that arrive in one read are merged.
    const whole = async () => (await drain(generator)).texts.join('');
    expect(await whole()).toBe('héllo 🦫');
    expect(await whole()).toBe('héllo 🦫');
    expect(await whole()).toBe('plain');
    expect(model.connections).toBe(1);
    generator.close();
  });

  it('yields each frame when it arrives, while the body is still open', async () => {
    const hold = gate();
    await exchange([dialect(answer(text('first'), hold, text('second')), { encoding })], async (generator) => {
      const stream = await generator.generateContentStream(REQUEST, 'p', 'main');
      expect(textOf((await stream.next()).value as GenerateContentResponse)).toBe('first');
      hold.release();
      expect(textOf((await stream.next()).value as GenerateContentResponse)).toBe('second');
      await stream.return(undefined);
    });
  });

  it('is read unstreamed too', () =>
    exchange([dialect(say('whole'), { encoding })], async (generator) => {
      expect(textOf(await generator.generateContent(REQUEST, 'p', 'main'))).toBe('whole');
    }));

  it('reports an error with the words of the server', () =>
    exchange([dialect(fault(400, { message: 'Too many tools.' }), { encoding })], async (generator) => {
      expect(await drain(generator)).toMatchObject({
        error: { reason: 'invalid_request', status: 400, message: 'Too many tools.' },
      });
    }));

  it('fails as a network error that may be retried when the encoding is truncated or corrupt', () =>
    exchange(
      [fault('truncated_encoding', { encoding }), fault('corrupt_encoding', { encoding })],
      async (generator) => {
        const failed = { reason: 'network', code: 'BAD_ENCODING', retryable: true };
        const name = encoding === 'deflate-raw' ? 'deflate' : encoding;
        expect(await drain(generator)).toMatchObject({
          texts: ['frame 1 '],
          error: { ...failed, message: expect.stringMatching(`sent a ${name} body that is truncated`) as string },
        });
        expect(await drain(generator)).toMatchObject({
          error: { ...failed, message: expect.stringMatching(`sent a ${name} body that is corrupt`) as string },
        });
      },
    ));

  // Compressing 72 MB is slow; the limit does not depend on the encoding.
  it.runIf(inject('isEndurance') || encoding === 'gzip')(
    'is rejected when a small body would grow without measure',
    { tags: 'wide' },
    () => {
      const comment = bytes(`:${' '.repeat(8 * 1024 * 1024)}\n`);
      const bomb = answer(text('first'), ...Array.from({ length: 9 }, () => comment));
      return exchange([dialect(bomb, { encoding })], async (generator) => {
        expect(await drain(generator)).toMatchObject({
          texts: ['first'],
          error: {
            reason: 'network',
            code: 'BAD_ENCODING',
            message: expect.stringContaining('grows beyond') as string,
          },
        });
      });
    },
  );
});

describe('odd encodings', () => {
  const encodedAs = (header: string, body: Uint8Array): Step => ({
    ...answer(bytes(body), ending('end')),
    head: { status: 200, headers: { 'content-type': 'text/event-stream', 'content-encoding': header } },
  });
  const frame = Buffer.from('data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\n\n');

  it.each<[string, Step, string[]]>([
    ['identity', encodedAs('identity', frame), ['a']],
    ['an old name', encodedAs('X-GZip', gzipSync(frame)), ['a']],
    ['two, one after the other', encodedAs('gzip, gzip', gzipSync(gzipSync(frame))), ['a']],
    ['one that announces a body and sends none', encodedAs('gzip', Buffer.alloc(0)), []],
  ])('reads %s', (_name, step, texts) =>
    exchange([step], async (generator) => {
      expect(await drain(generator)).toEqual({ texts });
    }),
  );

  it('ends a waiting read with the abort', async () => {
    const hold = gate();
    await using model = await fakeModel([dialect(answer(text('first'), hold), { encoding: 'gzip' })]);
    const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'secret' });
    const controller = new AbortController();
    const request = { ...REQUEST, config: { abortSignal: controller.signal } };
    const stream = await generator.generateContentStream(request, 'p', 'main');
    await stream.next();
    const waiting = stream.next();
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await model.waitForDisconnects(1);
    generator.close();
  });
});
