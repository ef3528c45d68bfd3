/**
 * Resolves base URL, credentials and headers of an endpoint. It owns no connection. The key travels in a header only,
 * never in a URL, so neither logs nor error messages can hold it.
 */

import { debugLogger } from '../../util/debug-logger.ts';
import type { WireEndpoint } from './wire-protocol.ts';

/** The header a key travels in; `authorization` sends it as a Bearer token. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'x-goog-api-key' | 'api-key';

export interface EndpointKey {
  value: string;
  header: KeyHeader;
  /** The variable, file or command it came from. */
  source?: string | undefined;
}

export interface EndpointOptions {
  /** A path in it is kept. */
  baseUrl: string;
  key?: EndpointKey | undefined;
  /** Says where a key could come from; for the rejection of a request without one. */
  withoutKey?: string | undefined;
  /** Sent with every request; they override ours. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A function receives the model of the request. */
  userAgent?: string | ((model: string) => string) | undefined;
}

/** The characters a header may hold (RFC 9110, without the obsolete bytes). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Masking a shorter secret would also mask ordinary words. */
const LEAST_SECRET = 8;
/** Without the word `key`: a masked message must not read as one about keys. */
const MASK = '[hidden]';

/** Throws a TypeError that names the invalid option, without repeating a credential. */
export function createEndpoint(options: EndpointOptions): WireEndpoint {
  const base = parseBaseUrl(options.baseUrl);
  const { host, hostname } = new URL(base);
  const key = options.key?.value.trim();
  const fixed = fixedHeaders(options);
  const secrets = [key, ...Object.values(options.headers ?? {})].filter(
    (value) => (value ?? '').length >= LEAST_SECRET,
  );
  return {
    host,
    isLocal: LOOPBACK.test(hostname),
    keySource: key ? options.key?.source : undefined,
    withoutKey: key ? undefined : options.withoutKey,
    url: (path) => new URL(`${base}/${path}`),
    headers(model) {
      const { userAgent } = options;
      const agent = typeof userAgent === 'function' ? userAgent(model) : userAgent;
      // A model's name may hold characters that are invalid in a header.
      return { ...(agent !== undefined && { 'user-agent': agent.replaceAll(/[^\x20-\x7e]/g, '?') }), ...fixed };
    },
    mask: (text) => secrets.reduce<string>((masked, secret) => masked.replaceAll(secret!, MASK), text),
  };
}

/** One segment of a path. A dot segment would be resolved away and redirect the request to another path. */
export function encodeSegment(segment: string): string {
  return /^\.+$/.test(segment) ? segment.replaceAll('.', '%252e') : encodeURIComponent(segment);
}

function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) throw new TypeError(`Invalid base URL: ${JSON.stringify(text)}`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new TypeError(`The base URL must begin with https:// or http://, not ${JSON.stringify(url.protocol)}`);
  }
  if (url.username || url.password) throw new TypeError('The base URL must not contain a user name or a password.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function fixedHeaders({ key, headers: given = {} }: EndpointOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const value = key?.value.trim();
  debugLogger.hide(value);
  if (key && value) headers[key.header] = key.header === 'authorization' ? `Bearer ${value}` : value;
  for (const [name, text] of Object.entries(given)) headers[name.toLowerCase()] = text;
  for (const [name, text] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw new TypeError(`Invalid header name: ${JSON.stringify(name)}`);
    if (!HEADER_VALUE.test(text)) throw new TypeError(`The value for the header ${name} contains invalid characters.`);
    debugLogger.hide(text);
  }
  return headers;
}
