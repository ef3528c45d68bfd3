/** Reads an incoming HTTP request into the record a test inspects: to its end, with its body and its path parsed. */

import type { IncomingMessage } from 'node:http';
import type { ModelRequest } from './answer.ts';

/** Any prefix may precede the version, as behind a gateway. */
const MODEL_PATH = /\/v\w+\/models\/([^/:]+):(\w+)$/;

/**
 * Undefined when the client disconnected before the body was complete. `nextIndex` is called at the end of the body.
 */
export async function readRequest(
  incoming: IncomingMessage,
  connection: number,
  nextIndex: () => number,
): Promise<ModelRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    // Node reports a disconnected client as an error of its own; it has no receiver.
    return undefined;
  }
  const body = Buffer.concat(chunks);
  const path = incoming.url ?? '/';
  const [, model, action] = MODEL_PATH.exec(path.split('?')[0]!) ?? [];
  return {
    index: nextIndex(),
    method: incoming.method ?? '',
    path,
    model: model === undefined ? undefined : decodeURIComponent(model),
    action,
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: parse(body),
    byteLength: body.length,
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
