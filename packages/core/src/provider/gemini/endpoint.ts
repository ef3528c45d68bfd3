/**
 * Resolves base URL, path, credentials and headers of a request. It owns no connection. The key travels in a header
 * only, never in a URL, so neither logs nor error messages can hold it.
 */

import { debugLogger } from '../../util/debug-logger.ts';

type AuthMechanism = 'x-goog-api-key' | 'bearer';

export interface GeminiEndpointOptions {
  /** Default `https://generativelanguage.googleapis.com`. A path in it is kept. */
  baseUrl?: string | undefined;
  /** Default `v1beta`. */
  apiVersion?: string | undefined;
  apiKey?: string | undefined;
  /** The header the key travels in. Default `x-goog-api-key`. */
  authMechanism?: AuthMechanism | undefined;
  /** Sent with every request; they override ours. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A function receives the model of the request. */
  userAgent?: string | ((model: string) => string) | undefined;
}

export type GeminiMethod = 'generateContent' | 'streamGenerateContent' | 'countTokens' | 'batchEmbedContents';

export interface GeminiEndpoint {
  url(model: string, method: GeminiMethod): URL;
  /** Names in lower case. */
  headers(model: string): Record<string, string>;
}

const DEFAULT_BASE_URL = 'https://generativelanguage.googleapis.com';
const DEFAULT_API_VERSION = 'v1beta';
/** The characters a header may hold (RFC 9110, without the obsolete bytes). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** Throws a TypeError that names the invalid option, without repeating a credential. */
export function createGeminiEndpoint(options: GeminiEndpointOptions): GeminiEndpoint {
  const base = parseBaseUrl(options.baseUrl ?? DEFAULT_BASE_URL);
  const version = options.apiVersion ?? DEFAULT_API_VERSION;
  const fixed = fixedHeaders(options);
  return {
    url(model, method) {
      const query = method === 'streamGenerateContent' ? '?alt=sse' : '';
      return new URL(`${base}/${version}/${modelPath(model)}:${method}${query}`);
    },
    headers(model) {
      const { userAgent } = options;
      const agent = typeof userAgent === 'function' ? userAgent(model) : userAgent;
      // A model's name may hold characters that are invalid in a header.
      return { ...(agent !== undefined && { 'user-agent': agent.replaceAll(/[^\x20-\x7e]/g, '?') }), ...fixed };
    },
  };
}

/** `models/…` for a plain name; a name that includes its collection keeps it. */
export function modelPath(model: string): string {
  const path = model.includes('/') ? model : `models/${model}`;
  return path.split('/').map(encodeSegment).join('/');
}

/** A dot segment would be resolved away and redirect the request to another path. */
function encodeSegment(segment: string): string {
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

function fixedHeaders(options: GeminiEndpointOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const apiKey = options.apiKey?.trim();
  debugLogger.hide(apiKey);
  if (apiKey && options.authMechanism === 'bearer') headers['authorization'] = `Bearer ${apiKey}`;
  else if (apiKey) headers['x-goog-api-key'] = apiKey;
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw new TypeError(`Invalid header name: ${JSON.stringify(name)}`);
    if (!HEADER_VALUE.test(value)) throw new TypeError(`The value for the header ${name} contains invalid characters.`);
    debugLogger.hide(value);
  }
  return headers;
}

/**
 * Parses `Name: value, Name2: value2`. A comma belongs to the value unless the text after it looks like the next name
 * and its colon. Entries without a name are dropped.
 */
export function parseCustomHeaders(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const entry of (text ?? '').split(/,(?=\s*[^\s,:]+\s*:)/)) {
    const colon = entry.indexOf(':');
    const name = entry.slice(0, Math.max(colon, 0)).trim();
    if (name !== '') headers[name] = entry.slice(colon + 1).trim();
  }
  return headers;
}
