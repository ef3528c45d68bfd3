import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readPipedInput } from './stdin.ts';

function piped(...chunks: (string | Buffer)[]): PassThrough {
  const stream = new PassThrough();
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return stream;
}

describe('readPipedInput', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reads to the end, characters cut between chunks included', async () => {
    const euro = Buffer.from('€');
    const stream = piped('a', euro.subarray(0, 1), euro.subarray(1), 'b');
    expect(await readPipedInput(stream)).toEqual({ text: 'a€b', isCut: false });
  });

  it('gives up on a stream that stays silent', async () => {
    const stream = new PassThrough();
    expect(await readPipedInput(stream, { firstChunkMs: 1 })).toEqual({ text: '', isCut: false });
    expect(stream.destroyed).toBe(true);
  });

  it('waits for the rest once something has arrived', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stream = new PassThrough();
    const reading = readPipedInput(stream);
    stream.write('first ');
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(60_000);
    stream.end('second');
    expect(await reading).toEqual({ text: 'first second', isCut: false });
  });

  it('ends with the abort', async () => {
    const controller = new AbortController();
    const reading = readPipedInput(new PassThrough(), { firstChunkMs: 60_000, signal: controller.signal });
    controller.abort();
    expect(await reading).toEqual({ text: '', isCut: false });
  });

  it.each([
    ['abcd', 'abcd', false],
    ['abcde', 'abcd', true],
    ['ab€', 'ab', true],
    ['a€é', 'a€', true],
    ['👍👍', '👍', true],
    ['abc👍', 'abc', true],
  ])('cuts %j at a whole character', async (input, text, isCut) => {
    expect(await readPipedInput(piped(input), { maxBytes: 4 })).toEqual({ text, isCut });
    const bytes = [...Buffer.from(input)].map((byte) => Buffer.from([byte]));
    expect(await readPipedInput(piped(...bytes), { maxBytes: 4 })).toEqual({ text, isCut });
  });
});
