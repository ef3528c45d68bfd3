/** Serves one client over stdin and stdout, a message on each line, until the client closes stdin. */

import { readLines } from '../headless/input-lines.ts';
import type { Output } from '../output.ts';
import { toJson } from '../to-json.ts';
import type { ClientSession, ClientSessionOptions } from './client-session.ts';
import { errorOf, parseMessage, RpcCode } from './json-rpc.ts';

export interface StdioOptions {
  readonly input: AsyncIterable<Buffer | string>;
  readonly output: Output;
  /** Ends the server. */
  readonly signal: AbortSignal;
  readonly open: (send: ClientSessionOptions['send']) => ClientSession;
}

/** Resolves when the client is gone and everything it started has ended. */
export async function serveStdio({ input, output, signal, open }: StdioOptions): Promise<void> {
  const send: ClientSessionOptions['send'] = (message) => void output.answer(`${toJson(message)}\n`);
  const session = open(send);
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => aborted.resolve(), { once: true });
  if (signal.aborted) aborted.resolve();
  await Promise.race([readAll(input, session, send), aborted.promise]);
  await session.close();
}

async function readAll(
  input: StdioOptions['input'],
  session: ClientSession,
  send: ClientSessionOptions['send'],
): Promise<void> {
  for await (const { text, number } of readLines(input)) {
    if (text === undefined) send(errorOf(null, RpcCode.InvalidRequest, `Line ${number} is longer than 8 MiB.`));
    else if (text.trim() !== '') session.take(parseMessage(text));
  }
}
