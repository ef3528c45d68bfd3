/** Reads an incoming HTTP request into the record a test inspects: to its end, with its body and its path parsed. */

import type { IncomingMessage } from 'node:http';
import type { ModelRequest } from './answer.ts';
import type { Protocol } from './protocols/protocol.ts';

/**
 * Undefined when the client disconnected before the body was complete. `nextIndex` is called at the end of the body.
 */
export async function readRequest(
  incoming: IncomingMessage,
  connection: number,
  nextIndex: () => number,
  route: Protocol['route'],
): Promise<ModelRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    // Node reports a disconnected client as an error of its own; it has no receiver.
    return undefined;
  }
  const bytes = Buffer.concat(chunks);
  const body = parse(bytes);
  const path = incoming.url ?? '/';
  const method = incoming.method ?? '';
  return {
    index: nextIndex(),
    method,
    path,
    ...route(method, path, body),
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body,
    byteLength: bytes.length,
    connection,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // The record contains undefined and the server rejects the request.
    return undefined;
  }
}
