/**
 * Finds, checks and normalises URLs in the model's text. It decides by the parsed URL
 * only, never by its text, and makes no DNS query.
 */

import { isIP } from 'node:net';

export const MAX_URLS = 20;
const MAX_URL_LENGTH = 8_192;

export interface ParsedUrls {
  urls: URL[];
  /** Sentences on words that look like a URL but cannot be fetched. */
  problems: string[];
}

/** Every word with `://` counts as a URL. Each page is listed once. */
export function findUrls(text: string): ParsedUrls {
  const urls = new Map<string, URL>();
  const problems: string[] = [];
  for (const word of text.split(/\s+/)) {
    if (!word.includes('://')) continue;
    const parsed = parseUrl(trimWord(word));
    if (typeof parsed === 'string') problems.push(parsed);
    else urls.set(parsed.href, parsed);
  }
  return { urls: [...urls.values()], problems };
}

/** The URL in its normal form, or a sentence that states why it is invalid. */
function parseUrl(text: string): URL | string {
  const url = checkUrl(text);
  return typeof url === 'string' ? url : normalise(url);
}

/** The URL as written, or a sentence that states why it cannot be fetched. */
export function checkUrl(text: string): URL | string {
  if (text.length > MAX_URL_LENGTH) return `A URL must not be longer than ${MAX_URL_LENGTH} characters.`;
  if (!URL.canParse(text)) return `Malformed URL: "${text}".`;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `Unsupported protocol in URL: "${text}". Only http and https are supported.`;
  }
  if (url.username !== '' || url.password !== '')
    return `A URL must not contain a user name or password: "${url.host}".`;
  return toRawContent(url);
}

/** The parser has lower-cased the host and dropped a default port. */
function normalise(url: URL): URL {
  const normal = new URL(url);
  normal.hostname = url.hostname.replace(/\.$/, '');
  normal.pathname = url.pathname.length > 1 ? url.pathname.replace(/\/+$/, '') : url.pathname;
  return normal;
}

/** GitHub shows a file inside a web application; the raw file has another URL. */
function toRawContent(url: URL): URL {
  if (url.hostname !== 'github.com') return url;
  const parts = /^\/([^/]+)\/([^/]+)\/blob\/(.+)$/.exec(url.pathname);
  return parts ? new URL(`https://raw.githubusercontent.com/${parts[1]}/${parts[2]}/${parts[3]}`) : url;
}

/** Removes the brackets and punctuation that sentences put around a URL. */
function trimWord(word: string): string {
  const separator = word.indexOf('://');
  let start = separator;
  while (start > 0 && /[a-z0-9+.-]/i.test(word[start - 1] ?? '')) start--;
  let end = word.length;
  let unbalanced = count(word, ')', start) - count(word, '(', start);
  for (; end > separator; end--) {
    const last = word[end - 1] ?? '';
    if (last === ')' && unbalanced > 0) unbalanced--;
    else if (!`.,;:!?'"\`>]}*`.includes(last)) break;
  }
  return word.slice(start, end);
}

function count(text: string, character: string, start: number): number {
  let found = 0;
  for (let index = start; index < text.length; index++) if (text[index] === character) found++;
  return found;
}

/** Whether the host is a rejected address or a name of this machine. Other names are checked when resolved. */
export function isRefusedHost(url: URL, isAllowedAddress: (address: string) => boolean): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return !isAllowedAddress(host);
  return (host === 'localhost' || host.endsWith('.localhost')) && !isAllowedAddress('127.0.0.1');
}
