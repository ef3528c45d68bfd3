/**
 * The protocol's messages over stdin and stdout, one JSON value on each line. A line that is not JSON, or too long, gets
 * an error and the next line is read; the library judges everything else.
 */

import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { readLines } from '../headless/input-lines.ts';

/** A prompt may hold images. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

export async function* readMessages(
  input: AsyncIterable<Buffer | string>,
  send: (message: unknown) => void,
): AsyncGenerator<unknown> {
  for await (const { text, number } of readLines(input, MAX_LINE_LENGTH)) {
    if (text === undefined) {
      send(errorOf(-32_600, `Line ${number} is longer than ${MAX_LINE_LENGTH / 1024 / 1024} MiB.`));
      continue;
    }
    if (text.trim() === '') continue;
    let message: unknown;
    try {
      // Some programs begin a stream of text with a byte order mark.
      message = JSON.parse(number === 1 ? text.replace(/^\uFEFF/, '') : text);
    } catch {
      send(errorOf(-32_700, `Line ${number} is not valid JSON.`));
      continue;
    }
    yield message;
  }
}

/** For the library; `first` has already been asked for. */
export function toStream(
  first: Promise<IteratorResult<unknown>>,
  messages: AsyncGenerator<unknown>,
  send: (message: unknown) => Promise<void> | undefined,
): Stream {
  let next: Promise<IteratorResult<unknown>> | undefined = first;
  return {
    readable: new ReadableStream<AnyMessage>({
      async pull(controller) {
        const { value, done } = await (next ?? messages.next());
        next = undefined;
        if (done) controller.close();
        else controller.enqueue(value as AnyMessage);
      },
    }),
    writable: new WritableStream<AnyMessage>({ write: (message) => send(message) }),
  };
}

function errorOf(code: number, message: string) {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}
