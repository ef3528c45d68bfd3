/**
 * Splits a stream into lines, numbered from 1, and buffers no more of a line than a prompt can hold. A longer line is
 * dropped and marked as such; the content is not judged.
 */

import { StringDecoder } from 'node:string_decoder';

const MAX_LINE_LENGTH = 8 * 1024 * 1024;

export interface InputLine {
  number: number;
  /** Undefined when the line was too long. */
  text: string | undefined;
}

export async function* readLines(
  chunks: AsyncIterable<Buffer | string>,
  maxLength = MAX_LINE_LENGTH,
): AsyncGenerator<InputLine> {
  const decoder = new StringDecoder('utf8');
  let number = 1;
  let pieces: string[] = [];
  let length = 0;

  const take = (piece: string) => {
    length += piece.length;
    if (length <= maxLength) pieces.push(piece);
  };
  const finish = (): InputLine => {
    const line = { number, text: length <= maxLength ? pieces.join('').replace(/\r$/, '') : undefined };
    number += 1;
    pieces = [];
    length = 0;
    return line;
  };

  for await (const chunk of chunks) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      take(part);
      yield finish();
    }
    take(last);
  }
  take(decoder.end());
  if (length > 0) yield finish();
}
