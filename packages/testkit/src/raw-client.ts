/**
 * Sends one request over a bare TCP socket, for the tests of this package: it sees what an HTTP client hides, namely
 * the chunks as they were cut and how the connection ended. It requests `Connection: close`, so that every complete
 * answer ends with a FIN.
 */

import { connect } from 'node:net';
import { Condition } from './condition.ts';

export interface RawAnswer {
  /** Undefined when no head arrived. */
  readonly status: number | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The transfer's chunks, or the one body of a known length. */
  readonly chunks: readonly Buffer[];
  readonly body: string;
  /** The body is complete: last chunk seen, or content-length reached. */
  readonly isWhole: boolean;
  readonly end: 'fin' | 'reset';
}

export interface RawExchange {
  readonly done: Promise<RawAnswer>;
  /** Resolves when these bytes have arrived. */
  waitFor(text: string): Promise<void>;
  /** Disconnects at once. */
  leave(): void;
}

export interface RawRequest {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent verbatim. */
  readonly body?: unknown;
  /** Sends only so many characters of the body, while the header promises all. */
  readonly cutBodyAt?: number;
}

export const STREAM_PATH = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse';
export const HELLO = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };

/** Sends the request and returns the whole answer. */
export function exchange(url: string, request: RawRequest = {}): Promise<RawAnswer> {
  return startExchange(url, request).done;
}

export function startExchange(url: string, request: RawRequest = {}): RawExchange {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const condition = new Condition();
  const pieces: Buffer[] = [];
  const received = () => Buffer.concat(pieces);
  const { promise: done, resolve } = Promise.withResolvers<RawAnswer>();
  const finish = (end: RawAnswer['end']) => {
    resolve(parseAnswer(received(), end));
    condition.finish(new Error(`The connection ended (${end}) first.`));
  };
  socket.on('data', (chunk) => {
    pieces.push(chunk);
    condition.changed();
  });
  socket.on('end', () => finish('fin'));
  socket.on('error', () => finish('reset'));
  socket.write(formatRequest(hostname, request));
  return { done, waitFor: (text) => condition.until(() => received().includes(text)), leave: () => socket.destroy() };
}

/** The JSON of the `data:` lines of an event stream written in the default dialect. */
export function framesOf(body: string): unknown[] {
  return body
    .split('\r\n\r\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)) as unknown);
}

/** The texts in a body, in order. */
export function textsOf(body: string): string[] {
  return [...body.matchAll(/"text":"(\w+)"/g)].map(([, word]) => word!);
}

function formatRequest(host: string, request: RawRequest): string {
  const { method = 'POST', path = STREAM_PATH, headers = { 'x-goog-api-key': 'key' }, body = HELLO } = request;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
    `content-length: ${Buffer.byteLength(text)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text.slice(0, request.cutBodyAt)}`;
}

function parseAnswer(received: Buffer, end: RawAnswer['end']): RawAnswer {
  const split = received.indexOf('\r\n\r\n');
  if (split < 0) return { status: undefined, headers: {}, chunks: [], body: '', isWhole: false, end };
  const [statusLine = '', ...headerLines] = received.subarray(0, split).toString().split('\r\n');
  const headers = Object.fromEntries(
    headerLines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const rest = received.subarray(split + 4);
  const { chunks, isWhole } =
    headers['transfer-encoding'] === 'chunked'
      ? parseChunks(rest)
      : parseSized(rest, Number(headers['content-length']));
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    chunks,
    body: Buffer.concat(chunks).toString(),
    isWhole,
    end,
  };
}

function parseSized(rest: Buffer, length: number): Pick<RawAnswer, 'chunks' | 'isWhole'> {
  return { chunks: rest.length > 0 ? [rest] : [], isWhole: rest.length === length };
}

function parseChunks(rest: Buffer): Pick<RawAnswer, 'chunks' | 'isWhole'> {
  const chunks: Buffer[] = [];
  let place = 0;
  while (place < rest.length) {
    const lineEnd = rest.indexOf('\r\n', place);
    const size = Number.parseInt(rest.subarray(place, lineEnd).toString(), 16);
    if (size === 0) return { chunks, isWhole: true };
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    place = lineEnd + 2 + size + 2;
  }
  return { chunks, isWhole: false };
}
