/**
 * URLs in what the model wrote: found, checked and brought to one spelling. It
 * decides by the parsed URL only, never by the text of it, and asks no name server.
 */

import { isIP } from 'node:net';

export const MAX_URLS = 20;
const MAX_URL_LENGTH = 8_192;

export interface ParsedUrls {
  urls: URL[];
  /** Sentences about what looked like a URL and cannot be fetched. */
  problems: string[];
}

/** Every word with `://` is taken for a URL. The same page is listed once. */
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

/** The URL in its normal form, or a sentence that says why it is none. */
function parseUrl(text: string): URL | string {
  const url = checkUrl(text);
  return typeof url === 'string' ? url : normalise(url);
}

/** The URL as it is written, or a sentence that says why it cannot be fetched. */
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

/** A file's page at GitHub is a program; the file itself is elsewhere. */
function toRawContent(url: URL): URL {
  if (url.hostname !== 'github.com') return url;
  const parts = /^\/([^/]+)\/([^/]+)\/blob\/(.+)$/.exec(url.pathname);
  return parts ? new URL(`https://raw.githubusercontent.com/${parts[1]}/${parts[2]}/${parts[3]}`) : url;
}

/** Without the brackets and marks that sentences put around a URL. */
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

/** Whether the host is an address, or a name of this machine, that the check refuses. Other names are judged when resolved. */
export function isRefusedHost(url: URL, isAllowedAddress: (address: string) => boolean): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return !isAllowedAddress(host);
  return (host === 'localhost' || host.endsWith('.localhost')) && !isAllowedAddress('127.0.0.1');
}
