/** Reads the address of a provider as users write it, and brings it into the one form that its protocol appends paths to. */

import type { ProtocolName } from '@castor/core/program';

/** What users copy from examples behind the base of a protocol. */
const METHOD_PATHS: Readonly<Record<ProtocolName, RegExp>> = {
  chat: /\/chat\/completions$/,
  responses: /\/responses$/,
  anthropic: /\/v1(?:\/messages)?$/,
  ollama: /\/(?:v1|api)(?:\/chat)?$/,
  gemini: /\/v1(?:beta|alpha)?$/,
};
const OLLAMA_PORT = '11434';

/** With and without `/v1`, a slash at the end or the path of a method. Returns the text unchanged when it is no URL. */
export function normaliseBaseUrl(text: string, protocol: ProtocolName): string {
  const url = URL.parse(text.trim());
  if (!url) return text.trim();
  const path = url.pathname.replace(/\/+$/, '').replace(METHOD_PATHS[protocol], '').replace(/\/+$/, '');
  // A path of its own, such as a gateway's `/openai`, is the base; a bare host means the usual version.
  url.pathname = path === '' && (protocol === 'chat' || protocol === 'responses') ? '/v1' : path;
  url.search = '';
  url.hash = '';
  return url.href.replace(/\/+$/, '');
}

/** `host`, `host:port`, `:port` or a URL. A server that listens on every address is reached over the loopback. */
export function readOllamaHost(text: string): string {
  const written = text.trim();
  const hasScheme = /^https?:\/\//i.test(written);
  const named = hasScheme ? written : `http://${written.startsWith(':') ? `127.0.0.1${written}` : written}`;
  const url = URL.parse(named);
  if (!url) return written;
  // A scheme brings its own port; a bare host means Ollama's.
  if (!hasScheme && !/:\d+$/.test(url.origin) && !/:80(?:\/|$)/.test(named)) url.port = OLLAMA_PORT;
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return url.href;
}

export interface AzureAddress {
  url: string;
  /** Of the older path of deployments, which speaks Chat Completions. */
  version?: string | undefined;
  /** The deployment that the address names. */
  deployment?: string | undefined;
}

/**
 * The address of a resource, `https://x.openai.azure.com`, alone or with either path as Azure's pages show them:
 * `/openai/v1/…`, or `/openai/deployments/NAME/…?api-version=DATE`. A dated version, here or from a variable, selects the
 * older path, unless the address names the newer one.
 */
export function readAzureAddress(text: string, givenVersion?: string): AzureAddress {
  const url = URL.parse(text.trim());
  if (!url) return { url: text.trim() };
  const [, before = '', newer, deployment] =
    /^(.*?)(?:\/openai)?(?:\/(v1)(?:\/.*)?|\/deployments\/([^/]+).*|\/responses)?\/*$/.exec(url.pathname) ?? [];
  const inAddress = deployment === undefined ? undefined : url.searchParams.get('api-version');
  const version = newer === undefined ? [inAddress, givenVersion].map(toDated).find(Boolean) : undefined;
  return { url: `${url.origin}${before}/openai${version === undefined ? '/v1' : ''}`, version, deployment };
}

function toDated(version: string | null | undefined): string | undefined {
  return /^\d{4}-\d\d-\d\d[\w-]*$/.exec(version?.trim() ?? '')?.[0];
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
