/**
 * The streamable HTTP transport of a scripted MCP server: sessions, answers as JSON or as events, the listening stream
 * and its resumption. It rejects what the specification rejects.
 */

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import { respond, respondError } from './http-answer.ts';
import type { HttpContext } from './http-answer.ts';
import type { McpEntry, McpHttpRequest, McpMessage } from './record.ts';
import { PARSE_ERROR } from './rpc-error.ts';
import type { McpHttp } from './script.ts';
import type { McpSession } from './session.ts';

interface HttpSession {
  readonly id: string;
  readonly mcp: McpSession;
  /** What belongs to no request. */
  readonly listening: EventStream;
  readonly streams: Map<string, EventStream>;
}

interface TransportPorts {
  readonly options: McpHttp;
  createSession(id: string): McpSession;
  note(entry: McpEntry): void;
}

/** Since this revision every request names the version. */
const VERSION_HEADER_SINCE = '2025-06-18';
/** Since this revision streams begin with an empty event that has an id. */
const PRIMED_SINCE = '2025-11-25';

export class StreamableHttp {
  readonly sessions = new Map<string, HttpSession>();
  private readonly ports: TransportPorts;
  private streams = 0;

  constructor(ports: TransportPorts) {
    this.ports = ports;
  }

  serve(context: HttpContext): void {
    const { request, response } = context;
    if (request.method === 'POST') this.post(context);
    else if (request.method === 'GET') this.listen(context);
    else if (request.method === 'DELETE') this.delete(context);
    else respond(response, { status: 405, headers: { allow: 'GET, POST, DELETE' } });
  }

  /** Where actions write that answer no message: the listening stream. */
  exchangeOf({ id, listening }: HttpSession): Exchange {
    return {
      write: (text, form) => listening.send(text, form),
      raw: (bytes) => listening.raw(bytes),
      reset: () => listening.reset(),
      drop: () => listening.drop(),
      forget: () => void this.sessions.delete(id),
    };
  }

  private post({ request, response }: HttpContext): void {
    const { accept = '', 'content-type': type = '' } = request.headers;
    if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
      this.violate('a POST does not accept application/json and text/event-stream');
      return respondError(
        response,
        406,
        'Not Acceptable: Client must accept both application/json and text/event-stream',
      );
    }
    if (!type.includes('application/json')) {
      this.violate('the body of a POST is not application/json');
      return respondError(response, 415, 'Unsupported Media Type: Content-Type must be application/json');
    }
    let body: unknown;
    try {
      body = JSON.parse(request.body);
    } catch {
      this.violate('the body of a POST is no JSON');
      return respondError(response, 400, 'Parse error', PARSE_ERROR);
    }
    const messages = (Array.isArray(body) ? body : [body]) as McpMessage[];
    const isInitialize = messages.some((message) => message?.method === 'initialize');
    const session = isInitialize ? this.create() : this.find(request, response);
    if (session) this.take(session, messages, { request, response });
  }

  private take(session: HttpSession, messages: readonly McpMessage[], { response }: HttpContext): void {
    const isRequest = messages.some((message) => message?.method !== undefined && message.id !== undefined);
    const exchange = isRequest ? this.answering(session, response) : this.accepting(session, response);
    const played = messages.map((message) => session.mcp.receive(message, exchange));
    if (isRequest) void Promise.all(played).then(() => exchange.finish());
    // The actions have begun: one of them may have answered with a status.
    else respond(response, { status: 202 });
  }

  /** The exchange of a POST without requests: what it leads to goes to the listening stream. */
  private accepting(session: HttpSession, response: ServerResponse): Exchange & { finish(): void } {
    return {
      ...this.exchangeOf(session),
      status: (answer) => respond(response, answer),
      reset: () => void response.socket?.resetAndDestroy(),
      finish: () => {},
    };
  }

  private answering(session: HttpSession, response: ServerResponse): Exchange & { finish(): void } {
    const { options } = this.ports;
    const shared = {
      status: this.accepting(session, response).status!,
      reset: () => void response.socket?.resetAndDestroy(),
      forget: () => void this.sessions.delete(session.id),
    };
    if (options.answers === 'json') return { ...shared, ...this.jsonAnswer(session, response) };
    const stream = this.stream(session, `post-${++this.streams}`);
    let hasAnswer = false;
    const open = () => {
      if (response.headersSent || response.destroyed) return;
      stream.attach(response, { isPrimed: (session.mcp.version ?? '') >= PRIMED_SINCE });
    };
    return {
      ...shared,
      write: (text, { isAnswer, ...form }) => {
        hasAnswer ||= isAnswer;
        open();
        return stream.send(text, form);
      },
      raw: (bytes) => {
        open();
        stream.raw(bytes);
      },
      drop: () => {
        open();
        stream.drop();
      },
      // Without an answer the stream stays open: the server never answers.
      finish: () => {
        if (hasAnswer) stream.end();
      },
    };
  }

  private jsonAnswer(
    session: HttpSession,
    response: ServerResponse,
  ): Pick<Exchange, 'write' | 'raw' | 'drop'> & { finish(): void } {
    const answers: string[] = [];
    const headers = { 'content-type': 'application/json', ...this.headersOf(session) };
    let isRaw = false;
    return {
      write: (text, { isAnswer, isHalf }) => {
        if (!isAnswer) return session.listening.send(text);
        if (!isHalf) return void answers.push(text);
        response.writeHead(200, { ...headers, 'content-length': String(text.length) });
        response.write(text.slice(0, text.length / 2), () => response.destroy());
      },
      raw: (bytes) => {
        isRaw = true;
        if (!response.headersSent) response.writeHead(200, headers);
        response.write(bytes);
      },
      drop: () => void response.end(),
      finish: () => {
        const body = answers.length > 1 ? `[${answers.join(',')}]` : answers[0];
        if (isRaw) response.end(body);
        else if (body !== undefined) respond(response, { status: 200, headers, body });
      },
    };
  }

  private listen({ request, response }: HttpContext): void {
    if (this.ports.options.stream === false)
      return respond(response, { status: 405, headers: { allow: 'POST, DELETE' } });
    if (!request.headers['accept']?.includes('text/event-stream')) {
      this.violate('a GET does not accept text/event-stream');
      return respondError(response, 406, 'Not Acceptable: Client must accept text/event-stream');
    }
    const session = this.find(request, response);
    if (!session) return;
    const lastEventId = request.headers['last-event-id'];
    const name = lastEventId?.slice(0, lastEventId.lastIndexOf(':'));
    const stream = name === undefined ? session.listening : session.streams.get(name);
    if (!stream) return respondError(response, 400, 'Invalid event ID format');
    if (stream.isAttached) return respondError(response, 409, 'Conflict: Only one SSE stream is allowed per session');
    stream.attach(response, lastEventId === undefined ? {} : { lastEventId });
  }

  private delete({ request, response }: HttpContext): void {
    if (this.ports.options.canDelete === false)
      return respond(response, { status: 405, headers: { allow: 'GET, POST' } });
    const session = this.find(request, response);
    if (!session) return;
    this.sessions.delete(session.id);
    session.listening.end();
    respond(response, { status: 200 });
  }

  private create(): HttpSession {
    const id = randomUUID();
    const streams = new Map<string, EventStream>();
    const listening = new EventStream('listening', { ...this.ports.options, headers: this.headersOf({ id }) });
    const session: HttpSession = { id, mcp: this.ports.createSession(id), streams, listening };
    streams.set('listening', session.listening);
    // Without sessions the server knows one client, the latest.
    if (this.ports.options.sessions === 'none') this.sessions.clear();
    this.sessions.set(id, session);
    return session;
  }

  private find({ headers }: McpHttpRequest, response: ServerResponse): HttpSession | undefined {
    const id = headers['mcp-session-id'];
    const isNameless = this.ports.options.sessions === 'none';
    const session = isNameless ? [...this.sessions.values()][0] : this.sessions.get(id ?? '');
    if (!isNameless && id === undefined) {
      this.violate('a request has no mcp-session-id');
      respondError(response, 400, 'Bad Request: Mcp-Session-Id header is required');
      return undefined;
    }
    if (!session) {
      respondError(response, 404, 'Session not found', -32001);
      return undefined;
    }
    return this.hasLegalVersion(session, headers, response) ? session : undefined;
  }

  private hasLegalVersion({ mcp }: HttpSession, headers: McpHttpRequest['headers'], response: ServerResponse): boolean {
    const named = headers['mcp-protocol-version'];
    const expected = mcp.version ?? '';
    if (named === undefined && expected >= VERSION_HEADER_SINCE) this.violate('a request has no mcp-protocol-version');
    if (named === undefined || named === expected) return true;
    this.violate(`a request has the mcp-protocol-version ${named} instead of ${expected}`);
    respondError(response, 400, `Bad Request: Unsupported protocol version: ${named}`);
    return false;
  }

  private stream(session: HttpSession, name: string): EventStream {
    const stream = new EventStream(name, { ...this.ports.options, headers: this.headersOf(session) });
    session.streams.set(name, stream);
    return stream;
  }

  private headersOf({ id }: { id: string }): Record<string, string> {
    return this.ports.options.sessions === 'none' ? {} : { 'mcp-session-id': id };
  }

  private violate(rule: string): void {
    this.ports.note({ event: 'violation', rule });
  }
}
