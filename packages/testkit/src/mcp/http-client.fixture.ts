/** A client of plain requests for tests of the scripted server over HTTP: it keeps the session and hides no header. */

import type { McpServer } from './http-server.ts';
import { INITIALIZE } from './stdio-client.fixture.ts';

export const ACCEPT = 'application/json, text/event-stream';

interface Event {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

export class RawHttpClient {
  session: string | undefined;
  headers: Record<string, string> = {};
  private readonly url: string;
  private ids = 0;

  constructor(server: McpServer) {
    this.url = server.url;
  }

  post(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(
      'POST',
      { accept: ACCEPT, 'content-type': 'application/json', ...headers },
      JSON.stringify(message),
    );
  }

  fetch(method: string, headers: Record<string, string> = {}, body?: string): Promise<Response> {
    const session =
      this.session === undefined ? {} : { 'mcp-session-id': this.session, 'mcp-protocol-version': '2025-06-18' };
    return fetch(this.url, {
      method,
      headers: { ...session, ...this.headers, ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
  }

  request(method: string, params?: object, id: unknown = ++this.ids): Promise<Response> {
    return this.post({ jsonrpc: '2.0', id, method, ...(params && { params }) });
  }

  notify(method: string, params?: object): Promise<Response> {
    return this.post({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  listen(headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch('GET', { accept: 'text/event-stream', ...headers });
  }

  async open(): Promise<Response> {
    const response = await this.request('initialize', INITIALIZE);
    this.session = response.headers.get('mcp-session-id') ?? undefined;
    await response.text();
    await this.notify('notifications/initialized');
    return response;
  }
}

/** The events of a response, one by one. */
export class EventReader implements AsyncDisposable {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private buffered = '';

  constructor(response: Response) {
    this.reader = response.body!.getReader();
  }

  /** The next event, or undefined at the end of the stream. */
  async next(): Promise<Event | undefined> {
    while (!this.buffered.includes('\n\n')) {
      const { done, value } = await this.reader.read();
      if (done) return undefined;
      this.buffered += this.decoder.decode(value, { stream: true });
    }
    const end = this.buffered.indexOf('\n\n');
    const lines = this.buffered.slice(0, end).split('\n');
    this.buffered = this.buffered.slice(end + 2);
    return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2))) as unknown as Event;
  }

  async message(): Promise<Record<string, unknown>> {
    const event = await this.next();
    return JSON.parse(event?.data ?? 'null') as Record<string, unknown>;
  }

  async rest(): Promise<Event[]> {
    const events: Event[] = [];
    for (let event = await this.next(); event; event = await this.next()) events.push(event);
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reader.cancel().catch(() => {});
  }
}
