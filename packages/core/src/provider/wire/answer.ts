/**
 * Reads an HTTP response up to the point where a protocol takes over: an accepted answer as a body, a rejected one as the
 * facts of its failure, a whole body as text. It sends nothing and interprets no words.
 */

import { ApiError, isAbortError } from '../../protocol/errors.ts';
import { systemClock } from '../../util/clock.ts';
import { debugLogger } from '../../util/debug-logger.ts';
import { shorten } from '../../util/short-text.ts';
import { unsupportedEncoding } from '../http/content-encoding.ts';
import type { HttpResponse } from '../http/http-messages.ts';
import type { FailedAnswer } from './failed-answer.ts';

const MAX_EXCERPT_LENGTH = 200;
/** Characters of a rejection's body that the debug log shows. */
const MAX_SHOWN_BODY = 2000;
const MAX_ERROR_BYTES = 1024 * 1024;
/** For a page: a portal may let go within seconds, a wrong address does not. */
const PAGE_ATTEMPTS = 4;
/** For an unsupported encoding: another server behind the same address may send a supported one. */
const ENCODING_ATTEMPTS = 2;
/** The status is known already; the message is not worth a longer wait. */
const ERROR_BODY_TIMEOUT_MS = 5_000;

/** Undefined for an accepted answer. Throws for an answer of a type that no model service sends. */
export async function readFailure(response: HttpResponse): Promise<FailedAnswer | undefined> {
  if (response.status < 200 || response.status >= 300) return readRejection(response);
  const error = findUnexpectedFormat(response);
  if (error === undefined) return undefined;
  response.close();
  throw error;
}

function findUnexpectedFormat({ headers }: HttpResponse): ApiError | undefined {
  const { 'content-type': type = '' } = headers;
  if (type.startsWith('text/html')) {
    const message = `The answer is a page (${type}): the address may be wrong, or a proxy or captive portal sent it.`;
    return new ApiError(message, { reason: 'network', code: 'UNEXPECTED_FORMAT', attempts: PAGE_ATTEMPTS });
  }
  const encoding = unsupportedEncoding(headers);
  if (encoding === undefined) return undefined;
  const message = `The answer has the unsupported Content-Encoding ${encoding}; let the proxy or gateway send gzip, deflate, br or none.`;
  // A server that encodes without being asked does so again.
  return new ApiError(message, { reason: 'network', code: 'UNEXPECTED_FORMAT', attempts: ENCODING_ATTEMPTS });
}

async function readRejection(response: HttpResponse): Promise<FailedAnswer> {
  const { status, statusText, headers } = response;
  const body = await readErrorBody(response);
  if (debugLogger.isEnabled) debugLogger.warn(`status ${status}, body: ${shorten(body, MAX_SHOWN_BODY)}`);
  return {
    status,
    statusText,
    headers,
    retryAfter: headers['retry-after'],
    location: headers.location,
    body,
    now: systemClock.now(),
  };
}

/** Reads what it can: the status suffices when the body breaks off or its encoding is unsupported. */
async function readErrorBody(response: HttpResponse): Promise<string> {
  if (unsupportedEncoding(response.headers) !== undefined) {
    response.close();
    return '';
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => response.close(), ERROR_BODY_TIMEOUT_MS);
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ERROR_BYTES) break;
    }
  } catch (error) {
    if (isAbortError(error)) throw error;
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads a whole, unstreamed answer. */
export async function readText(response: HttpResponse, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) {
      throw new ApiError(`The answer is larger than ${maxBytes} bytes.`, {
        reason: 'network',
        code: 'FRAME_TOO_LARGE',
      });
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Parses the JSON object of a frame or a body. */
export function parseObject(data: string): Record<string, unknown> {
  let answer: unknown;
  try {
    answer = JSON.parse(data);
  } catch (cause) {
    throw unreadable('The answer is not valid JSON', data, cause);
  }
  if (typeof answer !== 'object' || answer === null) throw unreadable('The answer is not an object', data);
  return answer as Record<string, unknown>;
}

/** The error for data on the wire that is not an answer of the protocol. */
export function unreadable(what: string, data: string, cause?: unknown): ApiError {
  return new ApiError(`${what}: ${JSON.stringify(shorten(data, MAX_EXCERPT_LENGTH))}`, {
    reason: 'network',
    code: 'MALFORMED_FRAME',
    cause,
  });
}
