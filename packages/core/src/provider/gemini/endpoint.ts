/** The endpoint of the Gemini API: its default address, the paths of its models and the header its key travels in. */

import { createEndpoint, encodeSegment } from '../wire/endpoint.ts';
import type { WireEndpoint, WireMethod } from '../wire/wire-protocol.ts';

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

const DEFAULT_BASE_URL = 'https://generativelanguage.googleapis.com';
const DEFAULT_API_VERSION = 'v1beta';

const METHODS: Readonly<Record<WireMethod, string>> = {
  stream: 'streamGenerateContent?alt=sse',
  generate: 'generateContent',
  count: 'countTokens',
  embed: 'batchEmbedContents',
};

/** Throws a TypeError that names the invalid option, without repeating a credential. */
export function createGeminiEndpoint(options: GeminiEndpointOptions): WireEndpoint {
  const { baseUrl = DEFAULT_BASE_URL, apiVersion = DEFAULT_API_VERSION, apiKey, authMechanism, ...others } = options;
  const header = authMechanism === 'bearer' ? 'authorization' : 'x-goog-api-key';
  const endpoint = createEndpoint({
    ...others,
    baseUrl,
    key: apiKey === undefined ? undefined : { value: apiKey, header },
  });
  // A gateway on this machine forwards to the hosted service.
  return { ...endpoint, isLocal: false, url: (path) => endpoint.url(`${apiVersion}/${path}`) };
}

/** The path of a model's method below the API version. */
export function methodPath(model: string, method: WireMethod): string {
  return `${modelPath(model)}:${METHODS[method]}`;
}

/** `models/…` for a plain name; a name that includes its collection keeps it. */
export function modelPath(model: string): string {
  const path = model.includes('/') ? model : `models/${model}`;
  return path.split('/').map(encodeSegment).join('/');
}

/** A comma separates entries where a name follows it. */
const ENTRY_BREAK = /,(?=\s*[^\s,:]+\s*:)/;

/**
 * Parses `Name: value, Name2: value2`. A comma belongs to the value unless the text after it looks like the next name
 * and its colon. Entries without a name are dropped.
 */
export function parseCustomHeaders(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const entry of (text ?? '').split(ENTRY_BREAK)) {
    const colon = entry.indexOf(':');
    const name = entry.slice(0, Math.max(colon, 0)).trim();
    if (name !== '') headers[name] = entry.slice(colon + 1).trim();
  }
  return headers;
}

/** Whether an entry is not of the form `Name: value`, so that it is ignored. */
export function hasIgnoredHeader(text: string | undefined): boolean {
  const entries = (text ?? '').split(ENTRY_BREAK);
  return entries.some((entry) => entry.trim() !== '' && entry.indexOf(':') < 1);
}
