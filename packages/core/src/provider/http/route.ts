/**
 * Chooses the route of a request: directly, in absolute form to a proxy (http), or through a tunnel (https). One
 * keep-alive agent per route; idle connections do not keep the process alive.
 */

import type { Agent, ClientRequest } from 'node:http';
import type { LookupFunction } from 'node:net';
import { ApiError } from '../../protocol/errors.ts';
import { createTunnelAgent, proxyAddress, proxyHeaders } from './tunnel.ts';
import { loadTransport } from './transport.ts';

export interface RouteOptions {
  /** The proxy for a URL, as a URL; undefined for a direct connection. */
  proxyFor?: ((url: URL) => string | undefined) | undefined;
  /** The time limit for a proxy to open a tunnel. */
  tunnelTimeoutMs: number;
}

export interface Routes {
  /** Starts a request; the caller writes the body and listens. */
  start(
    url: URL,
    headers: Record<string, string | number>,
    method?: 'GET' | 'POST',
  ): { outgoing: ClientRequest; peer: string };
  close(): void;
}

export function createRoutes(options: RouteOptions): Routes {
  const agents = new Map<string, Agent>();

  function agentFor(way: string, create: () => Agent): Agent {
    let agent = agents.get(way);
    if (!agent) {
      agent = create();
      agents.set(way, agent);
    }
    return agent;
  }

  const plainAgent = (protocol: string) =>
    agentFor(protocol, () => new (loadTransport(protocol).Agent)({ keepAlive: true }));

  return {
    start(url, headers, method = 'POST') {
      const { request } = loadTransport(url.protocol);
      const proxy = parseProxyUrl(options.proxyFor?.(url));
      if (!proxy) {
        const agent = plainAgent(url.protocol);
        const lookup = url.hostname === 'localhost' ? lookUpLocalhost : undefined;
        return { outgoing: request(url, { method, headers, agent, lookup }), peer: url.host };
      }
      const peer = `${url.host} (through the proxy ${proxy.host})`;
      if (url.protocol === 'https:') {
        const agent = agentFor(proxy.href, () => createTunnelAgent(proxy, options.tunnelTimeoutMs));
        return { outgoing: request(url, { method, headers, agent }), peer };
      }
      const outgoing = loadTransport(proxy.protocol).request({
        ...proxyAddress(proxy),
        method,
        path: url.href,
        headers: { ...headers, host: url.host, ...proxyHeaders(proxy) },
        agent: plainAgent(proxy.protocol),
      });
      return { outgoing, peer };
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** Both addresses are tried, whatever the system resolves: a server may listen on one of them only. */
const lookUpLocalhost: LookupFunction = (_host, { all }, callback) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (all) callback(null, addresses);
  else callback(null, '127.0.0.1', 4);
};

function parseProxyUrl(text: string | undefined): URL | undefined {
  const problem = describeInvalidProxy(text);
  if (problem !== undefined) throw new ApiError(problem, { reason: 'invalid_request' });
  return text === undefined || text === '' ? undefined : new URL(toAddress(text));
}

/** Its host and port, without the credentials that its URL may hold. */
export function proxyName(text: string | undefined): string | undefined {
  const url = text === undefined || text === '' ? undefined : URL.parse(toAddress(text));
  return url ? `${proxyAddress(url).hostname}:${proxyAddress(url).port}` : undefined;
}

/** What is wrong with a proxy. The sentence does not repeat the URL, which may hold a password. */
export function describeInvalidProxy(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  const url = URL.parse(toAddress(text));
  if (!url) return 'The proxy URL in HTTPS_PROXY or HTTP_PROXY is invalid; use http://host:port.';
  if (url.protocol === 'http:' || url.protocol === 'https:') return undefined;
  return `HTTPS_PROXY or HTTP_PROXY names the unsupported proxy protocol ${url.protocol}//; use http:// or https://.`;
}

function toAddress(text: string): string {
  return text.includes('://') ? text : `http://${text}`;
}
