/**
 * A scripted MCP server over real HTTP on the loopback, in the process of the test: streamable HTTP at `/mcp`, the older
 * transport at `/sse`, and the authorization server of its script.
 *
 *     await using server = await mcpServer({ tools: [{ name: 'echo' }], oauth: {} });
 *     await workspace.write('.gemini/settings.json', JSON.stringify({ mcpServers: { one: { url: server.url } } }));
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isObject } from '../json-object.ts';
import type { Exchange } from './exchange.ts';
import { Offer } from './honest-answers.ts';
import { readHttpRequest, respond } from './http-answer.ts';
import type { HttpContext } from './http-answer.ts';
import { AuthorizationServer } from './oauth-server.ts';
import { McpRecord } from './record.ts';
import type { McpHttpRequest } from './record.ts';
import { RuleBook } from './rule-book.ts';
import type { McpAction, McpScript } from './script.ts';
import { McpSession } from './session.ts';
import { SseTransport } from './sse-transport.ts';
import { StreamableHttp } from './streamable-http.ts';

export interface McpServer extends AsyncDisposable {
  /** Streamable HTTP. */
  readonly url: string;
  /** The older transport. */
  readonly sseUrl: string;
  readonly origin: string;
  readonly record: McpRecord;
  /** Tokens, registrations and the issuer, with `oauth` in the script. */
  readonly oauth: AuthorizationServer;
  /** Ids of the sessions of both transports. */
  readonly sessions: readonly string[];
  /** Connections that are open now. */
  readonly connections: number;
  /** Lets every session pass the gate, now and later. */
  release(gate: string): void;
  /** Plays actions in every session that is open: notifications, requests to the client, a change of the offer. */
  play(actions: readonly McpAction[]): Promise<void>;
  /** Forgets every session, as a server does that starts again: 404 for its next request. */
  forgetSessions(): void;
  /** Resets every connection. */
  resetConnections(): void;
  close(): Promise<void>;
}

export async function mcpServer(script: McpScript): Promise<McpServer> {
  const server = new HttpServer(script);
  await server.listen();
  return server;
}

/** With a port of its own, the authorization server answers there only. */
type Role = 'both' | 'server' | 'issuer';

class HttpServer implements McpServer {
  origin = '';
  readonly record = new McpRecord();
  readonly oauth: AuthorizationServer;
  private readonly script: McpScript;
  private readonly offer: Offer;
  private readonly rules: RuleBook;
  private readonly streamable: StreamableHttp;
  private readonly sse: SseTransport;
  private readonly servers: readonly Server[];
  private readonly sockets = new Set<Socket>();
  private readonly gates = new Map<string, PromiseWithResolvers<void>>();
  private isClosed = false;

  constructor(script: McpScript) {
    this.script = script;
    this.offer = new Offer(script);
    this.rules = new RuleBook(script.rules ?? []);
    const note = this.record.add.bind(this.record);
    const createSession = (session: string) => this.createSession(session);
    this.streamable = new StreamableHttp({ options: script.http ?? {}, createSession, note });
    this.sse = new SseTransport(createSession);
    this.oauth = new AuthorizationServer(script.oauth ?? {}, note);
    this.servers = script.oauth?.isSeparate
      ? [this.createListener('server'), this.createListener('issuer')]
      : [this.createListener('both')];
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  get sseUrl(): string {
    return `${this.origin}/sse`;
  }

  get sessions(): readonly string[] {
    return [...this.streamable.sessions.keys(), ...this.sse.sessions.keys()];
  }

  get connections(): number {
    return this.sockets.size;
  }

  async listen(): Promise<void> {
    const origins = await Promise.all(this.servers.map(listenOnLoopback));
    this.origin = origins[0]!;
    this.oauth.settle({ resource: this.url, origin: origins.at(-1)! });
  }

  release(gate: string): void {
    this.gate(gate).resolve();
  }

  async play(actions: readonly McpAction[]): Promise<void> {
    await Promise.all([
      ...[...this.streamable.sessions.values()].map((each) => each.mcp.play(actions, this.streamable.exchangeOf(each))),
      ...[...this.sse.sessions.values()].map((each) => each.mcp.play(actions, this.sse.exchangeOf(each))),
    ]);
  }

  forgetSessions(): void {
    this.streamable.sessions.clear();
    this.sse.sessions.clear();
  }

  resetConnections(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const closed = this.servers.map((server) => once(server, 'close'));
    for (const server of this.servers) server.close();
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(closed);
    this.record.finish();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private createListener(role: Role): Server {
    const server = createServer((incoming, response) => void this.serve(incoming, response, role));
    // No timer of the server may end a connection that a test keeps idle on purpose.
    server.keepAliveTimeout = 0;
    server.headersTimeout = 0;
    server.requestTimeout = 0;
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(socket));
    });
    return server;
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse, role: Role): Promise<void> {
    const request = await readHttpRequest(incoming);
    if (!request) return;
    const { method, path } = request;
    this.record.add({ event: 'http', request });
    response.once('close', () => {
      if (this.isClosed) return;
      if (response.headersSent) this.record.add({ event: 'responded', method, path, status: response.statusCode });
      if (!response.writableFinished) this.record.add({ event: 'disconnected', method, path });
    });
    try {
      await this.answer({ request, response }, role);
    } catch (error) {
      this.record.add({ event: 'failure', error: String(error) });
      respond(response, { status: 500, body: String(error) });
    }
  }

  private async answer({ request, response }: HttpContext, role: Role): Promise<void> {
    const actions = this.rules.match({ on: `${request.method} ${request.path}`, names: methodsIn(request) });
    if (actions) await this.createSession().play(actions, plainExchange(response));
    if (!actions || actions.some((action) => action.do === 'pass')) this.route({ request, response }, role);
  }

  private route(context: HttpContext, role: Role): void {
    const { response } = context;
    if (role !== 'server' && this.script.oauth && this.oauth.serveIssuer(context)) return;
    if (role !== 'issuer' && this.script.oauth && this.oauth.serveResourceMetadata(context)) return;
    const serve = role === 'issuer' ? undefined : this.transportAt(context.request.path);
    if (!serve) return respond(response, { status: 404 });
    const challenge = this.unauthorized(context.request);
    if (challenge === undefined) serve(context);
    else respond(response, { status: 401, headers: { 'www-authenticate': challenge } });
  }

  private transportAt(path: string): ((context: HttpContext) => void) | undefined {
    const { transports = ['streamable', 'sse'] } = this.script.http ?? {};
    if (path === '/mcp' && transports.includes('streamable')) return (context) => this.streamable.serve(context);
    if (!transports.includes('sse')) return undefined;
    if (path === '/sse') return (context) => void this.sse.open(context);
    return path === '/messages' ? (context) => this.sse.post(context) : undefined;
  }

  /** The `www-authenticate` of a 401, or undefined. */
  private unauthorized({ headers }: McpHttpRequest): string | undefined {
    const required = Object.entries(this.script.http?.requires ?? {});
    if (required.some(([name, value]) => headers[name] !== value)) return 'Bearer';
    return this.script.oauth ? this.oauth.challenge(headers['authorization']) : undefined;
  }

  private createSession(id?: string): McpSession {
    return new McpSession({
      offer: this.offer,
      rules: this.rules,
      host: {
        pass: (gate) => this.gate(gate).promise,
        stderr: () => {},
        crash: () => {
          this.forgetSessions();
          this.resetConnections();
        },
      },
      note: (entry) => this.record.add(id === undefined ? entry : { session: id, ...entry }),
    });
  }

  private gate(name: string): PromiseWithResolvers<void> {
    const known = this.gates.get(name);
    if (known) return known;
    const created = Promise.withResolvers<void>();
    this.gates.set(name, created);
    return created;
  }
}

async function listenOnLoopback(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The exchange of a rule on an HTTP request: there is no message to answer. */
function plainExchange(response: ServerResponse): Exchange {
  return {
    write: (text) => void response.write(text),
    raw: (bytes) => void response.write(bytes),
    status: (answer) => respond(response, answer),
    reset: () => void response.socket?.resetAndDestroy(),
    drop: () => void response.end(),
  };
}

/** The methods of the messages in a body, for rules that name one. */
function methodsIn({ body }: McpHttpRequest): unknown[] {
  try {
    const parsed: unknown = JSON.parse(body);
    return (Array.isArray(parsed) ? parsed : [parsed]).map((message) => isObject(message) && message['method']);
  } catch {
    return [];
  }
}
