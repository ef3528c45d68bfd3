/**
 * SessionProxy: the only way from a sandbox to the network. It listens on a Unix socket or a port for HTTP and SOCKS5, decides on
 * each host before it connects, resolves the name once and dials the address that it checked. Unknown hosts are held while
 * `decide` thinks.
 */

import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { getErrorMessage } from '../../protocol/errors.ts';
import { builtin } from '../../util/builtin-modules.ts';
import { isInnerAddress, normalizeHost } from './host-list.ts';
import type { NetworkLog } from './network-log.ts';
import { answerSocks, readSocksRequest, SOCKS_VERSION } from './socks-request.ts';
import { WaitingClient } from './waiting-client.ts';

export interface ProxyDecision {
  isAllowed: boolean;
  why: string;
  /** No grant would change it. */
  isFinal?: boolean | undefined;
}

export interface SessionProxyOptions {
  /** Absent: a port of localhost, which the system chooses. */
  socketPath?: string | undefined;
  /** May take its time: the program waits, until `gone` says that it no longer does. Port 0 stands for a question about the name alone. */
  decide(host: string, port: number, call: string | undefined, gone?: AbortSignal): Promise<ProxyDecision>;
  log: NetworkLog;
  /** Addresses that are reached though they are inside, for tests. */
  allowsAddress?: ((address: string) => boolean) | undefined;
  /** The addresses of a name; absent: those that the system knows. */
  lookup?: ((host: string) => Promise<{ address: string }[]>) | undefined;
}

const CONNECT_TIMEOUT_MS = 30_000;
const HOP_HEADERS = new Set(['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'te', 'upgrade']);

export class SessionProxy {
  private readonly options: SessionProxyOptions;
  private readonly server: Server;
  private readonly http: HttpServer;
  private readonly sockets = new Set<Socket>();
  private readonly calls = new Set<string>();

  constructor(options: SessionProxyOptions) {
    this.options = options;
    const { http, net } = builtin;
    this.http = http.createServer((request, response) => void this.forward(request, response));
    this.http.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      void this.tunnel(request, socket, head);
    });
    this.http.on('clientError', (_error, socket) => socket.destroy());
    this.server = net.createServer((socket) => this.greet(socket));
  }

  /** The first byte tells SOCKS from HTTP. */
  private greet(socket: Socket): void {
    this.keep(socket);
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      if (first[0] === SOCKS_VERSION) void this.tunnelSocks(socket);
      else this.http.emit('connection', socket);
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      const { socketPath } = this.options;
      if (socketPath === undefined) this.server.listen(0, '127.0.0.1', resolve);
      else this.server.listen(socketPath, resolve);
    });
  }

  /** Undefined on a Unix socket. */
  get port(): number | undefined {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : undefined;
  }

  /** The name of a call that may connect; another name counts as none. */
  expect(call: string): void {
    this.calls.add(call);
    this.options.log.expect(call);
  }

  close(): void {
    this.server.close();
    this.http.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private async tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const [, name = '', port = ''] = /^(.*):(\d{1,5})$/.exec(request.url ?? '') ?? [];
    const client = new WaitingClient(socket);
    const checked = await this.checkSafely(name, Number(port), callOf(request), client.gone);
    client.release();
    if ('why' in checked) {
      const why = checked.why.replaceAll(/[^\x20-\x7e]/g, ' ');
      socket.end(`HTTP/1.1 ${checked.status} ${why}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${why}\n`);
      return;
    }
    this.join(socket, { host: checked.address, port: Number(port) }, (upstream) => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
    });
  }

  private async tunnelSocks(socket: Socket): Promise<void> {
    const request = await readSocksRequest(socket);
    if (!request) return;
    const { host, port, user } = request;
    const client = new WaitingClient(socket);
    const checked = await this.checkSafely(host, port, user, client.gone);
    client.release();
    if ('why' in checked) {
      answerSocks(socket, checked.status);
      socket.end();
      return;
    }
    this.join(socket, { host: checked.address, port }, () => answerSocks(socket, 200));
  }

  /** Dials, says that it did, and passes bytes on both ways. */
  private join(socket: Socket, place: { host: string; port: number }, onOpen: (upstream: Socket) => void): void {
    const upstream = builtin.net.connect({ ...place, timeout: CONNECT_TIMEOUT_MS });
    this.keep(upstream);
    upstream.once('timeout', () => upstream.destroy());
    upstream.once('connect', () => {
      upstream.setTimeout(0);
      onOpen(upstream);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.once('error', () => socket.destroy());
    socket.once('close', () => upstream.destroy());
    upstream.once('close', () => socket.destroy());
  }

  /** A request without encryption, in the form that proxies get. */
  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    if (url?.protocol !== 'http:')
      return refuse(response, 'This is the proxy of a sandbox; it takes http and CONNECT.');
    const port = Number(url.port || 80);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const checked = await this.checkSafely(url.hostname, port, callOf(request), gone.signal);
    if ('why' in checked) return refuse(response, checked.why, checked.status);
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_HEADERS.has(name)));
    const upstream = builtin.http.request({
      ...{ host: checked.address, port, method: request.method, path: `${url.pathname}${url.search}` },
      headers: { ...headers, host: url.host, connection: 'close' },
      timeout: CONNECT_TIMEOUT_MS,
    });
    upstream.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.once('error', (error) => {
      if (response.headersSent) response.destroy();
      else refuse(response, getErrorMessage(error), 502);
    });
    request.pipe(upstream);
  }

  /** A log that is required and cannot be written refuses the connection. */
  private checkSafely(...given: Parameters<SessionProxy['check']>): ReturnType<SessionProxy['check']> {
    return this.check(...given).catch((error: unknown) => ({ why: getErrorMessage(error), status: 403 }));
  }

  /** The address to dial, or why not. */
  private async check(
    name: string,
    port: number,
    named: string | undefined,
    gone: AbortSignal,
  ): Promise<{ address: string } | { why: string; status: number }> {
    const call = named !== undefined && this.calls.has(named) ? named : undefined;
    const host = normalizeHost(name);
    const deny = (why: string, isFinal = false) => {
      const shown = host ?? name.slice(0, 200);
      this.options.log.add({ call, host: shown, port, isAllowed: false, why, ...(isFinal && { isFinal }) });
      return { why: `${why} (Castor's sandbox)`, status: 403 };
    };
    if (host === undefined || port < 1 || port > 65_535) return deny('Only plain host names are reached', true);
    const decision = await this.options.decide(host, port, call, gone);
    if (!decision.isAllowed) return deny(decision.why, decision.isFinal);
    // An allowed host that does not exist is no denial: no grant would help.
    const fail = (why: string) => {
      this.options.log.add({ call, host, port, isAllowed: true, why });
      return { why, status: 502 };
    };
    let found: { address: string }[];
    try {
      found = await (this.options.lookup?.(host) ?? builtin.dns.lookup(host, { all: true }));
    } catch (error) {
      return fail(`${host} was not found: ${getErrorMessage(error)}`);
    }
    const inner = found.find(
      ({ address }) => isInnerAddress(address) && this.options.allowsAddress?.(address) !== true,
    );
    if (inner) return deny(`${host} is ${inner.address}, an address of this computer or its network`, true);
    const [first] = found;
    if (!first) return fail(`${host} has no address`);
    this.options.log.add({ call, host, port, isAllowed: true, why: decision.why });
    return { address: first.address };
  }
}

function refuse(response: ServerResponse, why: string, status = 403): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${why}\n`);
}

/** Each call has its own user name in the address of the proxy. */
function callOf({ headers }: IncomingMessage): string | undefined {
  const [, encoded = ''] = /^basic (.+)$/i.exec(headers['proxy-authorization'] ?? '') ?? [];
  return Buffer.from(encoded, 'base64').toString('utf8').split(':')[0] || undefined;
}
