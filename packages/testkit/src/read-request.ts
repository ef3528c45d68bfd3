/**
 * An incoming HTTP request as the record a test looks at: read to its end, its
 * body parsed, its path taken apart.
 */

import type { IncomingMessage } from 'node:http';
import type { ModelRequest } from './answer.ts';

/** Any prefix may stand before the version, as behind a gateway. */
const MODEL_PATH = /\/v\w+\/models\/([^/:]+):(\w+)$/;

/** Undefined when the client went away before the body was whole. `nextIndex` is asked at the end of the body. */
export async function readRequest(
  incoming: IncomingMessage,
  connection: number,
  nextIndex: () => number,
): Promise<ModelRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    // Node reports a client that left as an error of its own making; there is no one to tell.
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
    // The record says undefined and the server refuses the request.
    return undefined;
  }
}
