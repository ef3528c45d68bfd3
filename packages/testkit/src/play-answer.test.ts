import { describe, expect, it } from 'vitest';
import { fakeModel } from './fake-model.ts';
import { exchange, framesOf } from './raw-client.ts';
import { answer, bytes, DEFAULT_USAGE, dialect, say, text } from './script.ts';
import { DIALECTS, sseBody } from './sse-body.ts';

const STAMP = { modelVersion: 'gemini-2.5-flash', responseId: 'response-1' };
const SAID_HI = [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, index: 0 }], ...STAMP },
  { candidates: [{ finishReason: 'STOP', index: 0 }], usageMetadata: DEFAULT_USAGE, ...STAMP },
];

describe('writing the stream', () => {
  it.each(Object.entries(DIALECTS))('speaks the dialect %s', async (_name, wire) => {
    await using model = await fakeModel([dialect(say('hi'), wire)]);
    expect((await exchange(model.url)).body).toBe(Buffer.from(sseBody(SAID_HI, wire)).toString());
  });

  it.each([
    [1, [1]],
    [7, [7]],
  ])('cuts every answer into chunks of %i bytes', async (chunking, sizes) => {
    await using model = await fakeModel([say('hi')], { chunking });
    const { body, chunks } = await exchange(model.url);
    expect(framesOf(body)).toEqual(SAID_HI);
    expect([...new Set(chunks.slice(0, -1).map((chunk) => chunk.length))]).toEqual(sizes);
  });

  it('cuts by a seed in the same places each time', async () => {
    const cut = async () => {
      await using model = await fakeModel([say('hi')], { chunking: { seed: 11, max: 20 } });
      const { body, chunks } = await exchange(model.url);
      expect(framesOf(body)).toEqual(SAID_HI);
      return chunks.map((chunk) => chunk.length);
    };
    expect(await cut()).toEqual(await cut());
  });

  it('sends bytes to the letter', async () => {
    await using model = await fakeModel([answer(bytes(': hello\n\n'), text('a'))]);
    expect((await exchange(model.url)).body).toMatch(/^: hello\n\ndata: /);
  });
});
