/**
 * Describes an answer that reports a failure: its facts from the wire, its words when the body holds no error object, and
 * the delay it asks for. It decides nothing; each protocol classifies.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { shorten, toOneLine } from '../../util/short-text.ts';

const MAX_TEXT_LENGTH = 500;
const RETRY_IN_WORDS = /\b(?:try again|retry) in (\d+(?:\.\d+)?) ?(ms|s)\b/i;

/** A failed answer as received from the wire. */
export interface FailedAnswer {
  status: number;
  statusText?: string | undefined;
  /** The value of `Retry-After`. */
  retryAfter?: string | undefined;
  /** The value of `Location`. */
  location?: string | undefined;
  /** All headers, for protocols that read more of them. */
  headers?: IncomingHttpHeaders | undefined;
  body: string;
  /** Milliseconds since the epoch; a date in `Retry-After` is relative to it. */
  now: number;
  /** Where the request went. */
  url?: URL | undefined;
  /** Whether a server on this machine sent it. */
  isLocal?: boolean | undefined;
}

/** The delay an answer asks for, in milliseconds: a header in any of its forms, or the words of its message. */
export function askedDelayOf({ headers = {}, retryAfter, now }: FailedAnswer, message: string): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return Math.round(milliseconds);
  const [, amount, unit] = RETRY_IN_WORDS.exec(message) ?? [];
  const words = amount === undefined ? undefined : Math.round(Number(amount) * (unit === 'ms' ? 1 : 1_000));
  return parseRetryAfter(retryAfter, now) ?? words;
}

/** Parses a `Retry-After` in seconds or as a date, into milliseconds. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Math.round(Number(value) * 1_000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The message when the body holds no error object. */
export function describeAnswer({ status, statusText, location, body }: FailedAnswer): string {
  const name = `HTTP ${status}${statusText ? ` ${statusText}` : ''}`;
  if (status >= 300 && status < 400) return `${name}: redirect${describeTarget(location)} not followed`;
  const title = /<title[^>]*>([^<]*)</i.exec(body)?.[1];
  const isHtml = title !== undefined || /^\s*</.test(body);
  const text = toOneLine(isHtml ? (title ?? '') : (messageIn(body) ?? body));
  if (text === '') return name;
  return `${name}: ${shorten(text, MAX_TEXT_LENGTH)}`;
}

/** A wrong base URL and a missing model are both "not found"; only the address tells which. */
export function withAddress(message: string, url: URL | undefined): string {
  return url ? `${message} (The request went to ${url.origin}${url.pathname}.)` : message;
}

/** Drops the query, which may repeat parts of the request. */
function describeTarget(location: string | undefined): string {
  return location === undefined ? '' : ` to ${location.replace(/[?#].*$/s, '')}`;
}

/** The message of a gateway: `{"message": …}` or `{"error": "…"}`. */
function messageIn(body: string): string | undefined {
  try {
    const { message, error } = (JSON.parse(body) ?? {}) as { message?: unknown; error?: unknown };
    return [message, error].find((value) => typeof value === 'string');
  } catch {
    // Not JSON: the text itself is the message.
    return undefined;
  }
}
