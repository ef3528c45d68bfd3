/**
 * One stream of server-sent events: it buffers what is sent while no response is attached, and a resumable one replays
 * what follows the id a client has seen last.
 */

import type { ServerResponse } from 'node:http';
import type { WriteForm } from './exchange.ts';

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
    this.flush();
  }

  async send(data: string, { pieces = 1, isHalf = false }: WriteForm = {}, event = 'message'): Promise<void> {
    const id = this.options.isResumable ? `id: ${this.name}:${this.events.length + 1}\n` : '';
    const lines = data.split('\n').map((line) => `data: ${line}\n`);
    const text = `${id}event: ${event}\n${lines.join('')}\n`;
    if (isHalf) {
      this.response?.write(text.slice(0, text.length / 2));
      return;
    }
    if (pieces === 1 || !this.response) {
      this.events.push(text);
      this.flush();
      return;
    }
    const size = Math.ceil(text.length / pieces);
    for (let begin = 0; begin < text.length; begin += size) {
      await new Promise(setImmediate);
      this.response.write(text.slice(begin, begin + size));
    }
    this.events.push(text);
    this.next = this.events.length;
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

  private flush(): void {
    if (!this.response) return;
    for (const text of this.events.slice(this.next)) this.response.write(text);
    this.next = this.events.length;
    if (this.isEnded) this.drop();
  }
}
