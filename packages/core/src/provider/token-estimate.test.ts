import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { CountTokensParameters, Part } from '../protocol/content.ts';
import { withOrigin } from '../protocol/origin.ts';
import { calculateRequestTokenCount, estimateHistoryTokenCount, estimateTokenCount } from './token-estimate.ts';

const image: Part = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
const pdf: Part = { fileData: { mimeType: 'application/pdf', fileUri: 'files/1' } };

describe('estimateTokenCount', () => {
  it.each<[string, Part[], number]>([
    ['nothing', [], 0],
    ['ASCII, a quarter each', [{ text: 'x'.repeat(8) }], 2],
    ['other characters, one and a half each', [{ text: '世界' }], 3],
    ['a character of two units once', [{ text: '😀😀' }], 3],
    ['a sum, rounded down once', [{ text: 'abc' }, { text: 'abc' }], 1],
    ['a long text by its length alone', [{ text: '世'.repeat(100_001) }], 25_000],
    ['an image', [image], 3_000],
    ['a PDF', [pdf], 25_800],
    ['another part by its JSON', [{ functionCall: { name: 'f', args: { a: 1 } } }], 11],
    ['a response by its name and its JSON', [{ functionResponse: { name: 'abcd', response: { output: '1234' } } }], 5],
    ['a response with media', [{ functionResponse: { name: 'abcd', response: {}, parts: [image] } }], 3_001],
  ])('counts %s', (_name, parts, expected) => {
    expect(estimateTokenCount(parts)).toBe(expected);
  });
});

describe('estimateHistoryTokenCount', () => {
  const turn = (provider: string, data = '') =>
    withOrigin(
      { role: 'model', parts: [{ text: 'abcd' }] },
      { provider, protocol: 'p', model: 'm', endpoint: 'e', blocks: [{ before: 0, type: 'redacted', data }] },
    );
  const plain = { role: 'model', parts: [{ text: 'abcd' }] };
  const question = { role: 'user', parts: [{ text: 'abcd' }] };

  it("counts a provider's state while that provider answers", () => {
    const without = estimateHistoryTokenCount([question, turn('a'), question, turn('a'), question]);
    const history = [question, turn('a', 'x'.repeat(400)), question, turn('a'), question];
    expect(estimateHistoryTokenCount(history) - without).toBe(100);
  });

  it.each([
    ['another one', turn('b')],
    ['one without state', plain],
  ])('counts none of it once %s answers', (_, answer) => {
    const counted = (data: string) => estimateHistoryTokenCount([question, turn('a', data), question, answer]);
    expect(counted('x'.repeat(400))).toBe(counted(''));
  });

  it('counts the parts alone where no turn has a state', () => {
    expect(estimateHistoryTokenCount([question, plain])).toBe(2);
  });
});

describe('calculateRequestTokenCount', () => {
  function counter(answer: () => { totalTokens?: number }) {
    const requests: CountTokensParameters[] = [];
    return {
      requests,
      countTokens: async (request: CountTokensParameters) => {
        requests.push(request);
        return answer();
      },
    };
  }

  it('asks no server about text', async () => {
    const generator = counter(() => ({ totalTokens: 99 }));
    expect(await calculateRequestTokenCount('12345678', generator, 'm')).toBe(2);
    expect(await calculateRequestTokenCount(['1234', { text: '5678' }], generator, 'm')).toBe(2);
    expect(generator.requests).toEqual([]);
  });

  it('asks the service about media', async () => {
    const generator = counter(() => ({ totalTokens: 99 }));
    expect(await calculateRequestTokenCount(['look', image], generator, 'm')).toBe(99);
    expect(generator.requests).toEqual([
      {
        model: 'm',
        contents: [{ role: 'user', parts: [{ text: 'look' }, image] }],
        config: { abortSignal: expect.any(AbortSignal) },
      },
    ]);
  });

  it('does not wait for a service that takes its time', async () => {
    const silent = { countTokens: () => new Promise<never>(() => {}) };
    const clock = createFakeClock();
    expect(await calculateRequestTokenCount([image], silent, 'm', { clock })).toBe(3_000);
    expect(clock.sleeps).toEqual([5_000]);
  });

  it('ends with the signal', async () => {
    const silent = { countTokens: () => new Promise<never>(() => {}) };
    const controller = new AbortController();
    const counting = calculateRequestTokenCount([image], silent, 'm', { signal: controller.signal });
    controller.abort();
    await expect(counting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('estimates when the service does not answer', async () => {
    const failing = counter(() => {
      throw new Error('down');
    });
    expect(await calculateRequestTokenCount([image], failing, 'm')).toBe(3_000);
    expect(
      await calculateRequestTokenCount(
        [image],
        counter(() => ({})),
        'm',
      ),
    ).toBe(3_000);
  });
});
