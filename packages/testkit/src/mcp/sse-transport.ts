/** The older HTTP transport of a scripted MCP server: one stream of events per session, and an endpoint to post to. */

import { randomUUID } from 'node:crypto';
import { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import { respond, respondError } from './http-answer.ts';
import type { HttpContext } from './http-answer.ts';
import { PARSE_ERROR } from './rpc-error.ts';
import type { McpSession } from './session.ts';

interface SseSession {
  readonly id: string;
  readonly mcp: McpSession;
  readonly stream: EventStream;
}

export class SseTransport {
  readonly sessions = new Map<string, SseSession>();
  private readonly createSession: (id: string) => McpSession;

  constructor(createSession: (id: string) => McpSession) {
    this.createSession = createSession;
  }

  /** Opens a session with its stream. */
  async open({ request, response }: HttpContext): Promise<void> {
    if (request.method !== 'GET') return respond(response, { status: 405, headers: { allow: 'GET' } });
    const id = randomUUID();
    const stream = new EventStream(id, {});
    this.sessions.set(id, { id, mcp: this.createSession(id), stream });
    response.once('close', () => this.sessions.delete(id));
    stream.attach(response);
    await stream.send(`/messages?sessionId=${id}`, {}, 'endpoint');
  }

  /** Takes a message; its answer goes to the stream. */
  post({ request, response }: HttpContext): void {
    const session = this.sessions.get(request.query['sessionId'] ?? '');
    if (request.method !== 'POST') return respond(response, { status: 405, headers: { allow: 'POST' } });
    if (!session) return respondError(response, 404, 'Session not found', -32001);
    let message: unknown;
    try {
      message = JSON.parse(request.body);
    } catch {
      return respondError(response, 400, 'Parse error', PARSE_ERROR);
    }
    void session.mcp.receive(message, {
      ...this.exchangeOf(session),
      status: (answer) => respond(response, answer),
    });
    // The actions have begun: one of them may have answered with a status.
    respond(response, { status: 202, body: 'Accepted' });
  }

  exchangeOf({ id, stream }: SseSession): Exchange {
    return {
      write: (text, form) => stream.send(text, form),
      raw: (bytes) => stream.raw(bytes),
      reset: () => stream.reset(),
      drop: () => stream.drop(),
      forget: () => void this.sessions.delete(id),
    };
  }
}
