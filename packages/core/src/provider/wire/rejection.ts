/** Reads a rejected HTTP answer as the facts of its failure, and says what is wrong with an unreadable one. It interprets no words. */

import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, isAbortError } from '../../protocol/errors.ts';
import { systemClock } from '../../util/clock.ts';
import { debugLogger } from '../../util/debug-logger.ts';
import { shorten } from '../../util/short-text.ts';
import { unsupportedEncoding } from '../http/content-encoding.ts';
import type { HttpResponse } from '../http/http-messages.ts';
import type { FailedAnswer } from './failed-answer.ts';

/** Characters of a rejection's body that the debug log shows. */
const MAX_SHOWN_BODY = 2000;
const MAX_ERROR_BYTES = 1024 * 1024;
/** The status is known already; the message is not worth a longer wait. */
const ERROR_BODY_TIMEOUT_MS = 5_000;
/** For a page: a portal may let go within seconds, a wrong address does not. */
const PAGE_ATTEMPTS = 4;
/** For an unsupported encoding: another server behind the same address may send a supported one. */
const ENCODING_ATTEMPTS = 2;

/** For an answer that is a page, or has an encoding we do not read. */
export function unexpectedFormat(headers: IncomingHttpHeaders): ApiError {
  const { 'content-type': type = '' } = headers;
  if (type.startsWith('text/html')) {
    const message = `The answer is a page (${type}): the address may be wrong, or a proxy or captive portal sent it.`;
    return new ApiError(message, { reason: 'network', code: 'UNEXPECTED_FORMAT', attempts: PAGE_ATTEMPTS });
  }
  const encoding = unsupportedEncoding(headers);
  const message = `The answer has the unsupported Content-Encoding ${encoding}; let the proxy or gateway send gzip, deflate, br or none.`;
  // A server that encodes without being asked does so again.
  return new ApiError(message, { reason: 'network', code: 'UNEXPECTED_FORMAT', attempts: ENCODING_ATTEMPTS });
}

export async function readRejection(response: HttpResponse): Promise<FailedAnswer> {
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
