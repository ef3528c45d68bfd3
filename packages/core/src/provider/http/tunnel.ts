/**
 * Opens connections to an https host through a proxy: CONNECT, then TLS inside. The proxy sees the host's name and
 * its own credentials, and none of the request's.
 */

import type { ClientRequestArgs } from 'node:http';
import type { Agent, RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../protocol/errors.ts';
import { toConnectionError } from './connection-error.ts';
import { loadTransport } from './transport.ts';

export function createTunnelAgent(proxy: URL, timeoutMs: number): Agent {
  const { Agent } = process.getBuiltinModule('node:https');
  class TunnelAgent extends Agent {
    override createConnection(
      options: RequestOptions,
      callback?: (error: Error | null, stream: Duplex) => void,
    ): undefined {
      const connected = (error: Error | null, stream?: Duplex) => callback?.(error, stream as Duplex);
      openTunnel(proxy, options, timeoutMs).then(
        (socket) => connected(null, super.createConnection({ ...options, socket } as RequestOptions) ?? undefined),
        (error: Error) => connected(error),
      );
    }
  }
  return new TunnelAgent({ keepAlive: true });
}

function openTunnel(proxy: URL, target: RequestOptions, timeoutMs: number): Promise<Socket> {
  const host = String(target.host ?? target.hostname);
  const authority = `${host.includes(':') ? `[${host}]` : host}:${target.port ?? 443}`;
  return new Promise((resolve, reject) => {
    const request = loadTransport(proxy.protocol).request({
      ...proxyAddress(proxy),
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...proxyHeaders(proxy) },
      agent: false,
      timeout: timeoutMs,
    });
    // The timer of the waiting request keeps the process alive; an abandoned tunnel must not.
    request.on('socket', (socket) => socket.unref());
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.on('error', (error) => reject(proxyError(error, proxy)));
    request.on('connect', (response, socket: Socket, head) => {
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) {
        if (head.length > 0) socket.unshift(head);
        socket.setTimeout(0);
        socket.ref();
        resolve(socket);
      } else {
        socket.destroy();
        reject(refusal(proxy, authority, status, response.statusMessage ?? ''));
      }
    });
    request.end();
  });
}

/** The address to connect to, without credentials: they would become an Authorization header for the target. */
export function proxyAddress(proxy: URL): Pick<ClientRequestArgs, 'protocol' | 'hostname' | 'port'> {
  const defaultPort = proxy.protocol === 'https:' ? 443 : 80;
  return {
    protocol: proxy.protocol,
    hostname: proxy.hostname.replaceAll(/^\[|\]$/g, ''),
    port: proxy.port === '' ? defaultPort : Number(proxy.port),
  };
}

export function proxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function proxyError(error: Error, proxy: URL): ApiError {
  const { message, code } = toConnectionError(error, `proxy ${proxy.host}`);
  return new ApiError(message, { reason: 'network', ...(code !== undefined && { code }), cause: error });
}

/** A 4xx is a final rejection by the proxy; any other status may succeed on retry. */
function refusal(proxy: URL, authority: string, status: number, statusText: string): ApiError {
  const message = `The proxy ${proxy.host} refused to connect to ${authority}: HTTP ${status} ${statusText}`.trim();
  return new ApiError(message, {
    reason: status >= 400 && status < 500 ? 'forbidden' : 'network',
    status,
    // A proxy reports an unreachable host with these.
    ...((status === 502 || status === 504) && { code: 'EHOSTUNREACH' }),
  });
}
