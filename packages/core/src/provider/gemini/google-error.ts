/**
 * Finds the google.rpc error object inside any wrapping and reduces it to the few facts that decisions depend on. It
 * owns the search and the repair of known damage; errors.ts interprets the facts. Never throws.
 */

import type { GoogleErrorDetails } from '../../protocol/errors.ts';
import { isRecord } from '../../util/is-record.ts';

export interface GoogleError {
  code?: number;
  /** The server's message. */
  message?: string;
  /** RetryInfo.retryDelay. */
  retryDelayMs?: number;
  details: GoogleErrorDetails;
}

type JsonObject = Record<string, unknown>;

const MAX_NESTED_MESSAGES = 10;
const MAX_CAUSES = 5;

/** Searches a body, an error thrown by a client library, or a frame of a stream. */
export function findGoogleError(value: unknown): GoogleError | undefined {
  const outer = findErrorObject(value, MAX_CAUSES);
  return outer && reduceError(unwrapMessages(outer));
}

function findErrorObject(value: unknown, causesLeft: number): JsonObject | undefined {
  if (typeof value === 'string') return errorObjectIn(parseDamagedJson(value));
  const direct = errorObjectIn(value);
  if (direct) return direct;
  if (!isRecord(value)) return undefined;
  const { response, error, message, cause } = value;
  for (const place of [isRecord(response) ? response['data'] : undefined, error, message]) {
    const found = errorObjectIn(typeof place === 'string' ? parseDamagedJson(place) : place);
    if (found) return found;
  }
  return causesLeft > 0 ? findErrorObject(cause, causesLeft - 1) : undefined;
}

/** The `error` of `{error: {code | message | details}}` or of an array that starts with one. */
function errorObjectIn(value: unknown): JsonObject | undefined {
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(body)) return undefined;
  const { error } = body;
  if (!isRecord(error) || error instanceof Error) return undefined;
  return 'code' in error || 'message' in error || 'details' in error ? error : undefined;
}

/** Gateways put the error they received into the message of their own. The innermost error is the most specific. */
function unwrapMessages(outer: JsonObject): JsonObject {
  let current = outer;
  for (let level = 0; level < MAX_NESTED_MESSAGES; level++) {
    const { message } = current;
    const inner = typeof message === 'string' ? errorObjectIn(parseDamagedJson(message)) : undefined;
    if (!inner) break;
    current = { ...current, ...inner };
  }
  return current;
}

/** Parses JSON, JSON surrounded by text, or JSON with the damage seen in the wild; otherwise undefined. */
function parseDamagedJson(text: string): unknown {
  const start = text.search(/[[{]/);
  if (start < 0) return undefined;
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const inner = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  for (const candidate of [text, text.slice(start, end + 1), inner, repair(inner)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // The next candidate is a more forgiving reading of the same text.
    }
  }
  return undefined;
}

function repair(text: string): string {
  return text.replaceAll('\u00a0', ' ').replaceAll(/,(?:\s*,)+/g, ',');
}

function reduceError(error: JsonObject): GoogleError {
  const details = Array.isArray(error['details']) ? error['details'].filter(isRecord).map(trimKeys) : [];
  const code = typeof error['code'] === 'string' ? Number(error['code']) : error['code'];
  const retryDelayMs = parseDuration(detailOf(details, 'RetryInfo')?.['retryDelay']);
  return {
    ...(typeof code === 'number' && Number.isInteger(code) && { code }),
    ...(typeof error['message'] === 'string' && error['message'] !== '' && { message: error['message'] }),
    ...(retryDelayMs !== undefined && { retryDelayMs }),
    details: reduceDetails(details),
  };
}

function reduceDetails(details: JsonObject[]): GoogleErrorDetails {
  const info = detailOf(details, 'ErrorInfo');
  const quotaIds = listOf(detailOf(details, 'QuotaFailure')?.['violations'])
    .map((violation) => violation['quotaId'])
    .filter((quotaId) => typeof quotaId === 'string');
  const links = listOf(detailOf(details, 'Help')?.['links']).flatMap(({ url, description }) =>
    typeof url === 'string' ? [{ url, ...(typeof description === 'string' && { description }) }] : [],
  );
  return {
    ...(typeof info?.['reason'] === 'string' && { errorReason: info['reason'] }),
    ...(typeof info?.['domain'] === 'string' && { domain: info['domain'] }),
    ...(isRecord(info?.['metadata']) && { metadata: stringsOf(info['metadata']) }),
    ...(quotaIds.length > 0 && { quotaIds }),
    ...(links.length > 0 && { links }),
  };
}

function detailOf(details: JsonObject[], type: string): JsonObject | undefined {
  return details.find((detail) => {
    const name = detail['@type'];
    return typeof name === 'string' && name.trim().endsWith(`google.rpc.${type}`);
  });
}

/** Parses `34.07s` or `900ms` into milliseconds. */
export function parseDuration(value: unknown): number | undefined {
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)(ms|s)$/.exec(value.trim()) : null;
  return match ? Math.round(Number(match[1]) * (match[2] === 's' ? 1_000 : 1)) : undefined;
}

function trimKeys(detail: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(detail).map(([key, value]) => [key.trim(), value]));
}

function stringsOf(metadata: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
