/**
 * Serves clients over streamable HTTP on the loopback address: a session for each `initialize`, a stream of events for
 * each call. A request needs the token, and a Host and an Origin of this machine: a page in a browser must not reach it.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toJson } from '../to-json.ts';
import type { ClientSession, ClientSessionOptions } from './client-session.ts';
import { errorOf, parseMessage, RpcCode } from './json-rpc.ts';
import type { ReadMessage, RequestId, RpcMessage } from './json-rpc.ts';

export interface HttpServerOptions {
  /** 0 for a free one. */
  readonly port: number;
  readonly token: string;
  readonly open: (send: ClientSessionOptions['send']) => ClientSession;
}

export interface HttpServer {
  readonly url: string;
  /** Ends all sessions and connections. */
  close(): Promise<void>;
}

type Request = Extract<ReadMessage, { kind: 'request' }>;

interface HttpSession {
  readonly session: ClientSession;
  /** Where the messages about a request go, until it is answered. */
  readonly routes: Map<RequestId, (message: RpcMessage) => void>;
}

const PATH = '/mcp';
const MAX_BODY = 8 * 1024 * 1024;
const MAX_SESSIONS = 32;
/** Clients give up on a silent connection after minutes. */
const KEEP_ALIVE_MS = 20_000;
const SESSION_HEADER = 'mcp-session-id';

/** Rejects when the port is taken. */
export async function serveHttp(options: HttpServerOptions): Promise<HttpServer> {
  const { createServer } = process.getBuiltinModule('node:http');
  const endpoint = new Endpoint(options);
  const server = createServer((request, response) => void endpoint.serve(request, response));
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  endpoint.hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
  return { url: `http://127.0.0.1:${port}${PATH}`, close: () => closeAll(endpoint, server) };
}

async function closeAll(endpoint: Endpoint, server: Server): Promise<void> {
  await endpoint.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

class Endpoint {
  hosts: ReadonlySet<string> = new Set();
  private readonly options: HttpServerOptions;
  /** The least recently used first. */
  private readonly sessions = new Map<string, HttpSession>();

  constructor(options: HttpServerOptions) {
    this.options = options;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.refusalOf(request);
    if (refusal) return refuse(response, ...refusal);
    if (request.method === 'DELETE') return this.end(request, response);
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST, DELETE');
      return refuse(response, 405, 'Castor sends messages only in the answer to a POST.');
    }
    const body = await readBody(request);
    if (body === undefined) return refuse(response, 413, `The body is longer than ${MAX_BODY} bytes.`);
    this.post(request, response, parseMessage(body));
  }

  async close(): Promise<void> {
    const sessions = [...this.sessions.values()];
    this.sessions.clear();
    await Promise.all(sessions.map(({ session }) => session.close()));
  }

  private refusalOf({ headers, url = '', method }: IncomingMessage): [number, string] | undefined {
    if (!this.hosts.has(headers.host ?? '')) return [403, 'This server answers only for the loopback address.'];
    if (headers.origin !== undefined && !isLoopback(headers.origin)) return [403, 'This origin is not allowed.'];
    if (!this.isAuthorized(headers.authorization)) return [401, 'Send the token: Authorization: Bearer <token>.'];
    if (url.split('?')[0] !== PATH) return [404, `The server is at ${PATH}.`];
    if (method === 'POST' && !/^application\/json\b/i.test(headers['content-type'] ?? ''))
      return [415, 'The body must be application/json.'];
    return undefined;
  }

  /** Compares hashes, so that neither the time nor the length tells anything about the token. */
  private isAuthorized(header: string | undefined): boolean {
    const { createHash, timingSafeEqual } = process.getBuiltinModule('node:crypto');
    const digest = (text: string) => createHash('sha256').update(text).digest();
    const given = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(given), digest(this.options.token));
  }

  private post(request: IncomingMessage, response: ServerResponse, message: ReadMessage): void {
    if (message.kind === 'invalid') return sendJson(response, 400, message.reply);
    if (message.kind === 'request' && message.method === 'initialize') return this.initialize(response, message);
    const found = this.find(request, response);
    if (!found) return;
    if (message.kind !== 'request') {
      found.session.take(message);
      response.writeHead(202).end();
      return;
    }
    if (found.routes.has(message.id))
      return sendJson(response, 400, errorOf(message.id, RpcCode.InvalidRequest, 'A request with this id is running.'));
    if (message.method === 'tools/call' && accepts(request, 'text/event-stream')) stream(found, response, message);
    else answerOnce(found, response, message);
  }

  private initialize(response: ServerResponse, message: Request): void {
    if (this.sessions.size >= MAX_SESSIONS && !this.dropIdle()) {
      return refuse(response, 503, `${MAX_SESSIONS} clients have running calls. Try again later.`);
    }
    const id = crypto.randomUUID();
    const routes: HttpSession['routes'] = new Map();
    const session = this.options.open((sent, about) => {
      if (about !== undefined) routes.get(about)?.(sent);
    });
    this.sessions.set(id, { session, routes });
    response.setHeader(SESSION_HEADER, id);
    answerOnce({ session, routes }, response, message);
  }

  private dropIdle(): boolean {
    for (const [id, { session }] of this.sessions) {
      if (session.isBusy) continue;
      return this.sessions.delete(id);
    }
    return false;
  }

  private find(request: IncomingMessage, response: ServerResponse): HttpSession | undefined {
    const id = request.headers[SESSION_HEADER];
    const found = typeof id === 'string' ? this.sessions.get(id) : undefined;
    if (found && typeof id === 'string') {
      this.sessions.delete(id);
      this.sessions.set(id, found);
    } else if (id === undefined) refuse(response, 400, 'Send "initialize" first, then its Mcp-Session-Id.');
    else refuse(response, 404, 'Unknown session. Send "initialize" again.');
    return found;
  }

  private async end(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = this.find(request, response);
    if (!found) return;
    this.sessions.delete(request.headers[SESSION_HEADER] as string);
    await found.session.close();
    response.writeHead(204).end();
  }
}

/** One message is the answer; messages about the call go nowhere. */
function answerOnce({ session, routes }: HttpSession, response: ServerResponse, message: Request): void {
  const { id } = message;
  routes.set(id, (sent) => {
    if ('method' in sent) return;
    routes.delete(id);
    sendJson(response, 200, sent);
  });
  response.once('close', () => leave(session, routes, id));
  session.take(message);
}

/** Progress, questions, and last the answer. */
function stream({ session, routes }: HttpSession, response: ServerResponse, message: Request): void {
  const { id } = message;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  const timer = setInterval(() => response.write(': still working\n\n'), KEEP_ALIVE_MS);
  routes.set(id, (sent) => {
    response.write(`event: message\ndata: ${toJson(sent)}\n\n`);
    if ('method' in sent) return;
    routes.delete(id);
    response.end();
  });
  response.once('close', () => {
    clearInterval(timer);
    leave(session, routes, id);
  });
  session.take(message);
}

/** A client that hung up can receive no answer, so its call must not go on changing files. */
function leave(session: ClientSession, routes: HttpSession['routes'], id: RequestId): void {
  if (routes.delete(id)) session.cancel(id);
}

function accepts({ headers }: IncomingMessage, type: string): boolean {
  return (headers.accept ?? '').includes(type);
}

function isLoopback(origin: string): boolean {
  try {
    return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(origin).hostname);
  } catch {
    return false;
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BODY) return undefined;
      chunks.push(chunk);
    }
  } catch {
    // The client hung up; no answer can reach it.
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (status === 413) response.setHeader('connection', 'close');
  sendJson(response, status, errorOf(null, RpcCode.InvalidRequest, message));
}

function sendJson(response: ServerResponse, status: number, message: RpcMessage): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(toJson(message));
}
