import { describe, expect, it } from 'vitest';
import { readLines } from './input-lines.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function lines(text: string | Buffer, size: number, maxLength?: number) {
  const read = [];
  for await (const line of readLines(inPieces(Buffer.from(text), size), maxLength)) read.push(line);
  return read;
}

describe('readLines', () => {
  it.each([1, 2, 3, 100])('gives the same lines for pieces of %i bytes', async (size) => {
    expect(await lines('a€\r\n\nlast👍', size)).toEqual([
      { number: 1, text: 'a€' },
      { number: 2, text: '' },
      { number: 3, text: 'last👍' },
    ]);
  });

  it('gives no line for no input, nor after the last newline', async () => {
    expect(await lines('', 1)).toEqual([]);
    expect(await lines('a\n', 1)).toEqual([{ number: 1, text: 'a' }]);
  });

  it('leaves out a line that is too long, and reads on', async () => {
    expect(await lines('abcd\nabcde\nab\n', 2, 4)).toEqual([
      { number: 1, text: 'abcd' },
      { number: 2, text: undefined },
      { number: 3, text: 'ab' },
    ]);
  });

  it('keeps the line around bytes that are no UTF-8', async () => {
    expect(await lines(Buffer.from([0x61, 0xff, 0x62, 0x0a]), 1)).toEqual([{ number: 1, text: 'a\ufffdb' }]);
  });
});
