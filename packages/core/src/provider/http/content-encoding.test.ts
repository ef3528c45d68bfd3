import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeBody } from './content-encoding.ts';

async function decode(chunks: readonly Buffer[]): Promise<string> {
  async function* body(): AsyncGenerator<Buffer, void> {
    for (const chunk of chunks) yield chunk;
  }
  const about = { headers: { 'content-encoding': 'gzip' }, peer: 'host', isClosed: () => false };
  const pieces: Buffer[] = [];
  for await (const piece of decodeBody(body(), about)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('a gzip body', () => {
  const whole = gzipSync('a complete answer');
  const garbage = Buffer.from('\r\ntrailing garbage');

  it.each<[string, Buffer[]]>([
    ['in the same chunk', [Buffer.concat([whole, garbage])]],
    ['in a later chunk', [whole, garbage]],
    ['after an answer in pieces', [whole.subarray(0, 20), Buffer.concat([whole.subarray(20), garbage]), garbage]],
  ])('with garbage after it is complete: %s', async (_, chunks) => {
    expect(await decode(chunks)).toBe('a complete answer');
  });

  it('of several members is decoded whole', async () => {
    expect(await decode([Buffer.concat([whole, gzipSync(' and more')])])).toBe('a complete answer and more');
  });

  it('that is not gzip, or cut off, is an error', async () => {
    await expect(decode([Buffer.from('plain text')])).rejects.toThrow('corrupt');
    await expect(decode([whole.subarray(0, 20)])).rejects.toThrow('truncated');
  });
});
