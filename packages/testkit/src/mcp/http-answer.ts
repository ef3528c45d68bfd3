/** Reads requests and writes plain responses of the scripted MCP server over HTTP. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpStatus } from './exchange.ts';
import type { McpHttpRequest } from './record.ts';

/** A request and where its answer goes. */
export interface HttpContext {
  readonly request: McpHttpRequest;
  readonly response: ServerResponse;
}

/** Undefined when the client disconnected before the body was complete. */
export async function readHttpRequest(incoming: IncomingMessage): Promise<McpHttpRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** Does nothing if the response has begun: the first answer wins. */
export function respond(response: ServerResponse, { status, headers = {}, body = '' }: HttpStatus): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers);
  response.end(body);
}

export function respondJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  respond(response, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** A JSON-RPC error that belongs to no request, as servers answer what they reject. */
export function respondError(response: ServerResponse, status: number, message: string, code = -32000): void {
  respondJson(response, status, { jsonrpc: '2.0', error: { code, message }, id: null });
}
