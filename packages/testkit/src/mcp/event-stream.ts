/**
 * One stream of server-sent events: it buffers what is sent while no response is attached, and a resumable one replays
 * what follows the id a client has seen last.
 */

import type { ServerResponse } from 'node:http';
import type { WriteForm } from './exchange.ts';
import { PieceWriter } from './piece-writer.ts';

interface StreamOptions {
  readonly isResumable?: boolean | undefined;
  /** The `retry:` field, in milliseconds. */
  readonly retry?: number | undefined;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class EventStream {
  readonly name: string;
  private readonly options: StreamOptions;
  private readonly events: string[] = [];
  private readonly writer = new PieceWriter((text) => this.put(text));
  private response: ServerResponse | undefined;
  private next = 0;
  private isEnded = false;

  constructor(name: string, options: StreamOptions) {
    this.name = name;
    this.options = options;
  }

  get isAttached(): boolean {
    return this.response !== undefined;
  }

  /** Sends over this response from now on, after what is buffered; `lastEventId` sends again what follows it. */
  attach(
    response: ServerResponse,
    { lastEventId, isPrimed = false }: { lastEventId?: string; isPrimed?: boolean } = {},
  ): void {
    if (lastEventId !== undefined) this.next = Number(lastEventId.slice(lastEventId.lastIndexOf(':') + 1));
    this.response = response;
    response.once('close', () => {
      if (this.response === response) this.response = undefined;
    });
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      ...this.options.headers,
    });
    response.flushHeaders();
    if (this.options.retry !== undefined) response.write(`retry: ${this.options.retry}\n\n`);
    if (isPrimed && this.options.isResumable) response.write(`id: ${this.name}:${this.next}\ndata: \n\n`);
    void this.flush();
  }

  send(data: string, { pieces = 1, isHalf = false }: WriteForm = {}, event = 'message'): Promise<void> | void {
    const id = this.options.isResumable ? `id: ${this.name}:${this.events.length + 1}\n` : '';
    const lines = data.split('\n').map((line) => `data: ${line}\n`);
    const text = `${id}event: ${event}\n${lines.join('')}\n`;
    if (isHalf) return this.put(text.slice(0, text.length / 2));
    this.events.push(text);
    return this.flush(pieces);
  }

  raw(bytes: Buffer): void {
    this.response?.write(bytes);
  }

  /** No event follows; a response that is attached later gets the rest and ends. */
  end(): void {
    this.isEnded = true;
    this.drop();
  }

  /** Ends the response; the stream goes on. */
  drop(): void {
    this.response?.end();
    this.response = undefined;
  }

  reset(): void {
    this.response?.socket?.resetAndDestroy();
    this.response = undefined;
  }

  private flush(pieces = 1): Promise<void> | void {
    if (!this.response) return;
    const texts = this.events.slice(this.next);
    this.next = this.events.length;
    const written = texts.map((text) => this.writer.write(text, pieces)).at(-1);
    if (this.isEnded) this.drop();
    return written;
  }

  private put(text: string): void {
    this.response?.write(text);
  }
}
